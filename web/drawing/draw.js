/* The rows of the window: cells, over them events that are wide enough, with their names. */
import { RectList } from './canvas.js';
import { fillColumns, newColumns } from './columns.js';
import { fitText } from './text_fit.js';
import { levelFor, tileWidth } from '../sources/tile.js';

/** Narrower boxes have no name. */
const NAME_WIDTH = 28;

/**
 * @typedef {import('../timeline/rows.js').Row} Row
 * @typedef {object} Picture all that the drawing depends on
 * @property {number} width of the rows
 * @property {number} height
 * @property {number} scale pixels of the device to a CSS pixel
 * @property {number} scrolled
 * @property {number} pinnedHeight
 * @property {Row[]} rows that are seen
 * @property {import('../app/state.js').Span} window
 * @property {import('../sources/tile_cache.js').TileCache} cache
 * @property {import('../sources/clocks.js').Clocks} clocks on which tiles are
 * @property {import('./theme.js').Look} look
 * @property {number} least
 * @property {?Set<number>} found tracks that have hits, or may have; null: nothing was searched for
 * @property {Set<number>} notSearched tracks of which not every event was searched: what is seen of these may be hits
 * @property {(track: number) => boolean} lacks the file has nothing of this row, which is no row where nothing goes on
 * @property {?{track: number, lane: number}} chosen
 */

/** @type {Map<number, import('./columns.js').Columns>} by track and lane, to be filled again */
const known = new Map();
const boxes = Array.from({ length: 8 }, () => new RectList()), others = Array.from({ length: 8 }, () => new RectList());
const edges = new RectList(), hits = new RectList();
/** @type {{x: number, y: number, text: string, kind: number, isHit: boolean}[]} */
const names = [];
let nameCount = 0;

/** @param {Picture} p @returns {number} */
export const levelOf = (p) => levelFor((p.window[1] - p.window[0]) / (p.width * p.scale));

/** @param {Picture} p @param {Row} row */
export const rowTop = (p, row) => (row.pinned ? row.y : row.y - p.scrolled);

/** @param {Picture} p @param {number} time */
export const timeX = (p, time) => ((time - p.window[0]) * p.width) / (p.window[1] - p.window[0]);

/** The window on the clock of the row's tiles. @param {Picture} p @param {Row} row @returns {import('../app/state.js').Span} */
function windowOf(p, row)
{
	const by = p.clocks.ofTrack(row.track.number);

	return [p.window[0] - by, p.window[1] - by];
}

/** @param {Picture} p @param {Row} row */
function columnsOf(p, row)
{
	const key = row.track.number * 64 + row.lane, count = Math.round(p.width * p.scale);
	let columns = known.get(key);

	if (!columns || columns.count !== count) {
		if (known.size > 2000)
			known.clear();
		known.set(key, (columns = newColumns(count, p.scale)));
	}
	fillColumns(columns, p.cache, row.track.number, row.lane, levelOf(p), ...windowOf(p, row));
	return columns;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {number} kind its class
 * @param {boolean} isHit
 */
function addName(x, y, text, kind, isHit)
{
	const name = names[nameCount] ?? (names[nameCount] = { x: 0, y: 0, text: '', kind: 0, isHit: true });

	nameCount++;
	name.x = x;
	name.y = y;
	name.text = text;
	name.kind = kind;
	name.isHit = isHit;
}

/**
 * Boxes of a lane's events in one tile. One that began in a tile before was drawn with that.
 * @param {Picture} p
 * @param {Row} row
 * @param {import('../sources/tile_cache.js').LaneEvents} events
 * @param {number} from
 */
function addBoxes(p, row, events, from)
{
	const top = rowTop(p, row), height = row.height - 1;
	const [begin, end] = windowOf(p, row), perNs = p.width / (end - begin), marks = p.found ? events.hit : null;

	for (let i = 0; i < events.start.length; i++) {
		const start = events.start[i], duration = events.duration[i];

		if (start >= end || start + duration <= begin || start < from || duration < p.least)
			continue;
		const x0 = Math.max(0, (start - begin) * perNs);
		const x1 = Math.min(p.width, (start + duration - begin) * perNs), kind = events.class[i] & 7;

		const isHit = !marks || marks[i] === 1;

		(isHit ? boxes : others)[kind].add(x0, top, x1 - x0, height);
		if (start >= begin && x1 - x0 > 2)
			edges.add(x0, top, Math.min(1, 0.5 + (x1 - x0) / 40), height);
		if (x1 - x0 >= NAME_WIDTH && events.names[i]) {
			/* Titles of findings have `code` in them. */
			const name = row.track.kind === 'findings' ? events.names[i].replaceAll('`', '') : events.names[i];
			const text = fitText(name, x1 - x0 - 7);

			if (text)
				addName(x0 + 4, top + height / 2 + 0.5, text, kind, isHit);
		}
	}
}

/** @param {Picture} p @param {Row} row */
function addEvents(p, row)
{
	const level = levelOf(p), wide = tileWidth(level), [begin, end] = windowOf(p, row);
	let last = -1, lastLevel = -1, from = -Infinity;

	for (let index = Math.max(0, Math.floor(begin / wide)); index * wide < end; index++) {
		const found = p.cache.events.covering(row.track.number, level, index);

		if (!found || (found.index === last && found.level === lastLevel)) {
			if (!found)
				from = -Infinity;
			continue;
		}
		found.is.used = p.cache.frame;
		last = found.index;
		lastLevel = found.level;
		if (found.is.lanes[row.lane])
			addBoxes(p, row, found.is.lanes[row.lane], from);
		from = (found.index + 1) * tileWidth(found.level);
	}
}

/**
 * Where hits are, however short they are.
 * @param {Picture} p
 * @param {Row} row
 */
function addMarks(p, row)
{
	const level = levelOf(p), wide = tileWidth(level), [begin, end] = windowOf(p, row), perNs = p.width / (end - begin);
	const bottom = rowTop(p, row) + row.height - 1;

	for (let index = Math.max(0, Math.floor(begin / wide)); index * wide < end; index++) {
		const found = p.cache.marks.covering(row.track.number, level, index), cells = found?.is.lanes[row.lane] ?? [];

		if (!found)
			continue;
		found.is.used = p.cache.frame;
		const start = found.index * tileWidth(found.level), width = 2 ** found.level;

		for (let i = 0; i < cells.length; i += 2) {
			const from = Math.max(begin, index * wide, start + cells[i] * width);
			const to = Math.min(end, (index + 1) * wide, start + cells[i + 1] * width);

			if (to > from)
				hits.add((from - begin) * perNs, bottom - 3, Math.max(2, (to - from) * perNs), 3);
		}
	}
}

/** @param {import('./canvas.js').Canvas} c @param {Picture} p */
function drawBoxes(c, p)
{
	for (let i = 0; i < boxes.length; i++) {
		c.rects(boxes[i], p.look.classes[i]);
		c.rects(others[i], p.look.paleClasses[i]);
		boxes[i].clear();
		others[i].clear();
	}
	c.rects(edges, p.look.colours.bg);
	c.rects(hits, p.look.colours.hit);
	edges.clear();
	hits.clear();
	for (let i = 0; i < nameCount; i++)
		c.text(names[i].x, names[i].y, names[i].text, !names[i].isHit ? p.look.colours.fg : p.look.inks[names[i].kind]);
	nameCount = 0;
}

/**
 * It looks like nothing that a row with events looks like.
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 * @param {Row} row
 */
function drawMissing(c, p, row)
{
	const top = rowTop(p, row), height = row.height - 1;

	c.rect(0, top, p.width, height, p.look.colours.line, 0.5);
	if (row.lane === 0)
		c.text(6, top + height / 2 + 0.5, 'not in this file', p.look.colours.dim);
}

/** @param {Picture} p @param {Row} row */
const isPale = (p, row) => p.found !== null && !p.found.has(row.track.number);

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 * @param {Row[]} rows
 */
function drawSome(c, p, rows)
{
	for (const row of rows) {
		/* Cells are of all events: where something was searched for marks say which have hits. */
		const top = rowTop(p, row), style = row.track.values ? 'area' : p.found && !p.notSearched.has(row.track.number) ? 'pale' : 'bars';

		if (p.lacks(row.track.number)) {
			drawMissing(c, p, row);
			continue;
		}
		c.columns(0, top, row.height - 1, columnsOf(p, row), p.look, style);
		if (row.track.values || isPale(p, row))
			continue;
		addEvents(p, row);
		if (p.found)
			addMarks(p, row);
	}
	drawBoxes(c, p);
	for (const row of rows) {
		const first = row.lane === 0 && row.y > 0;

		if (first)
			c.rect(0, rowTop(p, row) - 1, p.width, 1, p.look.colours.line, row.track.depth === 0 ? 1 : 0.45);
	}
}

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 */
export function drawRows(c, p)
{
	c.begin(p.width, p.height);
	drawSome(c, p, p.rows.filter((r) => !r.pinned));
	if (p.pinnedHeight > 0) {
		/* Rows that scroll go behind those that stay. */
		c.rect(0, 0, p.width, p.pinnedHeight, p.look.colours.bg);
		drawSome(c, p, p.rows.filter((r) => r.pinned));
		c.rect(0, p.pinnedHeight - 1, p.width, 1, p.look.colours.dim);
	}
}

/**
 * @param {Picture} p
 * @param {Row} row
 * @returns {Set<number>} the classes that its cells show
 */
export function seenClasses(p, row)
{
	const { first, second } = columnsOf(p, row), seen = new Set([...first, ...second]);

	seen.delete(8);
	return seen;
}

/**
 * The event that is drawn at a place.
 * @param {Picture} p
 * @param {Row} row
 * @param {number} time
 * @returns {?import('../app/state.js').BriefEvent}
 */
export function eventAt(p, row, time)
{
	const by = p.clocks.ofTrack(row.track.number), own = time - by, level = levelOf(p);
	const found = p.cache.events.covering(row.track.number, level, Math.floor(own / tileWidth(level)));
	const e = found?.is.lanes[row.lane];
	/* A pixel of grace: what is one pixel wide can be hit. */
	const near = (p.window[1] - p.window[0]) / p.width / 2;

	for (let i = 0; e && i < e.start.length; i++) {
		if (e.start[i] - near <= own && own < e.start[i] + e.duration[i] + near && e.duration[i] >= p.least)
			return {
				track: row.track.number, lane: row.lane, at: e.at[i], start: e.start[i] + by,
				duration: e.duration[i], name: e.names[i], class: row.track.classes[e.class[i]],
			};
	}
	return null;
}
