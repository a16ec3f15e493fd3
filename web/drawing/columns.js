/*
 * What does a row look like, pixel by pixel? Cells are at most as wide as a pixel (wider where a
 * coarser tile stands in): each gives to the pixels that it lies in its share of them, so that the
 * picture moves smoothly and nothing is lost.
 */
import { CELLS, CELL_BYTES, tileWidth } from '../sources/tile.js';

const CLASSES = 8;

/**
 * @typedef {object} Columns
 * @property {number} count
 * @property {number} scale columns to a CSS pixel
 * @property {Uint8Array} first class with the most time
 * @property {Uint8Array} second the next; 8: none
 * @property {Uint8Array} share busy, in 255ths; at least 1 where anything goes on
 * @property {Uint8Array} part of what is busy, that of the second
 * @property {number} version of the tiles that it was made of
 * @property {number} begin
 * @property {number} end
 */

/** @type {Float32Array} time of each class in each pixel; one for all, as rows are made one by one */
let times = new Float32Array(0);
/** @type {Uint8Array} whether anything goes on in it */
let touched = new Uint8Array(0);

/** @param {number} count @param {number} scale @returns {Columns} */
export function newColumns(count, scale)
{
	return {
		count, scale, first: new Uint8Array(count), second: new Uint8Array(count),
		share: new Uint8Array(count), part: new Uint8Array(count), version: -1, begin: 0, end: 0,
	};
}

/**
 * Adds the cells of a tile that lie in a part of the window.
 * @param {Uint8Array} cells
 * @param {number} start of the tile
 * @param {number} width of a cell
 * @param {number} from the part
 * @param {number} to
 * @param {number} begin of the window
 * @param {number} perNs columns to a ns
 * @param {number} count
 */
function addCells(cells, start, width, from, to, begin, perNs, count)
{
	const firstCell = Math.max(0, Math.floor((from - start) / width));
	const lastCell = Math.min(CELLS, Math.ceil((to - start) / width));
	const left = Math.max(0, (from - begin) * perNs), right = Math.min(count, (to - begin) * perNs);

	for (let c = firstCell; c < lastCell; c++) {
		const o = c * CELL_BYTES, busy = cells[o + 2];

		if (busy === 0)
			continue;
		const x0 = Math.max(left, (start + c * width - begin) * perNs);
		const x1 = Math.min(right, (start + (c + 1) * width - begin) * perNs);
		const second = cells[o + 1], secondBusy = second < CLASSES ? (busy * cells[o + 3]) / 255 : 0;
		const last = Math.min(count, Math.ceil(x1));

		for (let i = Math.floor(x0); i < last; i++) {
			const share = Math.min(x1, i + 1) - Math.max(x0, i);

			touched[i] = 1;
			times[i * CLASSES + (cells[o] & 7)] += (busy - secondBusy) * share;
			if (secondBusy)
				times[i * CLASSES + second] += secondBusy * share;
		}
	}
}

/** @param {Columns} columns @param {number} rows that it is the mean of */
function finish(columns, rows)
{
	const { count, first, second, share, part } = columns;

	for (let i = 0; i < count; i++) {
		if (!touched[i]) {
			share[i] = 0;
			continue;
		}
		let most = 0, next = CLASSES, all = 0;

		for (let c = 0, at = i * CLASSES; c < CLASSES; c++) {
			const time = times[at + c];

			all += time;
			if (c === 0 || time > times[at + most]) {
				next = c === 0 || times[at + most] === 0 ? CLASSES : most;
				most = c;
			} else if (time > 0 && (next === CLASSES || time > times[at + next])) {
				next = c;
			}
		}
		first[i] = most;
		second[i] = next;
		share[i] = Math.max(1, Math.min(255, Math.round(all / rows)));
		part[i] = next < CLASSES && all > 0 ? Math.round((times[i * CLASSES + next] * 255) / all) : 0;
	}
}

/** @param {number} count */
function clear(count)
{
	if (times.length < count * CLASSES) {
		times = new Float32Array(count * CLASSES);
		touched = new Uint8Array(count);
	}
	times.fill(0, 0, count * CLASSES);
	touched.fill(0, 0, count);
}

/**
 * @param {number} count
 * @param {import('../sources/tile_cache.js').TileCache} cache
 * @param {number} track
 * @param {number} lane
 * @param {number} level
 * @param {number} begin
 * @param {number} end
 */
function addTiles(count, cache, track, lane, level, begin, end)
{
	const perNs = count / (end - begin), wide = tileWidth(level);

	for (let index = Math.max(0, Math.floor(begin / wide)); index * wide < end; index++) {
		const found = cache.tiles.covering(track, level, index);
		const cells = found?.is.cells[lane];

		if (found)
			found.is.used = cache.frame;
		if (!found || !cells)
			continue;
		const from = Math.max(begin, index * wide), to = Math.min(end, (index + 1) * wide);
		addCells(cells, found.index * tileWidth(found.level), 2 ** found.level, from, to, begin, perNs, count);
	}
}

/**
 * @param {Columns} columns
 * @param {import('../sources/tile_cache.js').TileCache} cache
 * @param {number} track
 * @param {number} lane
 * @param {number} level
 * @param {number} begin
 * @param {number} end
 */
export function fillColumns(columns, cache, track, lane, level, begin, end)
{
	fillMean(columns, cache, [{ track, by: 0 }], lane, level, begin, end);
}

/**
 * Several rows as one: the mean of them.
 * @param {Columns} columns
 * @param {import('../sources/tile_cache.js').TileCache} cache
 * @param {{track: number, by: number}[]} rows by: how far each is moved
 * @param {number} lane
 * @param {number} level
 * @param {number} begin
 * @param {number} end
 */
export function fillMean(columns, cache, rows, lane, level, begin, end)
{
	if (columns.version === cache.version && columns.begin === begin && columns.end === end)
		return;
	clear(columns.count);
	for (const { track, by } of rows)
		addTiles(columns.count, cache, track, lane, level, begin - by, end - by);
	finish(columns, rows.length);
	columns.version = cache.version;
	columns.begin = begin;
	columns.end = end;
}
