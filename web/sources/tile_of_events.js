/* What do the cells of a tile show, where a file has its events and nobody has its cells? As src/timeline/cells.c does it. */
import { CELLS, CELL_BYTES, NO_CLASS, tileWidth } from './tile.js';

const CLASSES = 8;

/**
 * @typedef {{at: number[], start: number[], duration: number[], class: number[], value?: number[]}} LaneEvents that do not overlap, in order
 */

/** What is summed up of the cells. */
class Sums {
	constructor()
	{
		this.ns = new Float64Array(CELLS * CLASSES);
		this.begun = new Uint32Array(CELLS);
		this.firstClass = new Uint8Array(CELLS).fill(NO_CLASS);
		/** Value · ns, of rows that have values. */
		this.values = new Float64Array(CELLS);
		this.longest = new Float64Array(CELLS).fill(-1);
		this.at = new Uint32Array(CELLS).fill(0xffffffff);
	}

	/**
	 * @param {LaneEvents} events
	 * @param {number} i
	 * @param {number} begin of the tile
	 * @param {number} width of a cell
	 */
	add(events, i, begin, width)
	{
		const start = events.start[i] - begin, end = start + events.duration[i];
		const first = Math.max(0, Math.floor(start / width));
		const last = Math.min(CELLS - 1, Math.max(first, Math.ceil(end / width) - 1));

		if (start >= 0 && first < CELLS) {
			if (!this.begun[first]++)
				this.firstClass[first] = events.class[i];
		}
		for (let cell = first; cell <= last; cell++) {
			const part = Math.max(0, Math.min(end, (cell + 1) * width) - Math.max(start, cell * width));

			this.ns[cell * CLASSES + events.class[i]] += part;
			this.values[cell] += part * (events.value?.[i] ?? 0);
			if (events.duration[i] > this.longest[cell]) {
				this.longest[cell] = events.duration[i];
				this.at[cell] = events.at[i];
			}
		}
	}

	/** @param {Uint8Array} cells @param {number} cell @param {number} width @param {number} [full] of values */
	write(cells, cell, width, full)
	{
		const at = cell * CELL_BYTES, view = new DataView(cells.buffer);
		let busy = 0, first = NO_CLASS, second = NO_CLASS;
		const of = (/** @type {number} */ c) => this.ns[cell * CLASSES + c];

		for (let c = 0; c < CLASSES; c++) {
			busy += of(c);
			if (!of(c))
				continue;
			if (first === NO_CLASS || of(c) > of(first)) {
				second = first;
				first = c;
			} else if (second === NO_CLASS || of(c) > of(second)) {
				second = c;
			}
		}
		const share = Math.floor((Math.floor(busy * 510 / width) + 1) / 2);

		cells[at] = busy ? first : this.firstClass[cell];
		cells[at + 1] = second;
		cells[at + 2] = full ? valueShare(this.values[cell] / busy, full) : share || (busy || this.begun[cell] ? 1 : 0);
		cells[at + 3] = second < NO_CLASS ? Math.floor((Math.floor(of(second) * 510 / busy) + 1) / 2) : 0;
		view.setUint32(at + 4, this.begun[cell], true);
		view.setUint32(at + 8, this.at[cell], true);
	}
}

/** The mean in 255ths of what fills a cell. @param {number} mean @param {number} full */
function valueShare(mean, full)
{
	if (!(mean > full * 1e-9))
		return 0;
	return Math.max(1, Math.min(255, Math.round(mean / full * 255)));
}

/**
 * @param {LaneEvents} events
 * @param {number} level
 * @param {number} index
 * @param {number} [full] what fills a cell, of rows that have values
 * @returns {?Uint8Array} null: nothing goes on in it
 */
export function fillCells(events, level, index, full)
{
	const begin = index * tileWidth(level), end = begin + tileWidth(level), width = 2 ** level;
	/** @type {?Sums} */
	let sums = null;

	for (let i = 0; i < events.at.length; i++) {
		const last = events.start[i] + events.duration[i];

		if (events.start[i] >= end)
			break;
		if (last > begin || (events.start[i] >= begin && last === begin))
			(sums ??= new Sums()).add(events, i, begin, width);
	}
	if (!sums)
		return null;
	const cells = new Uint8Array(CELLS * CELL_BYTES);

	for (let cell = 0; cell < CELLS; cell++)
		sums.write(cells, cell, width, full);
	return cells;
}
