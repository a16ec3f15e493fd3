/* The whole capture in a strip: where is the window in it? */
import { fillMean, newColumns } from './columns.js';
import { levelFor } from '../sources/tile.js';

export const OVERVIEW_HEIGHT = 46;
const STRIP = 7;
const MOST_LINES = 12;
const GRIP = 7;

/**
 * @typedef {object} Whole
 * @property {number} width
 * @property {number} scale
 * @property {import('../app/state.js').Span} limits
 * @property {import('../app/state.js').Span} window
 * @property {import('../timeline/rows.js').Track[]} tracks
 * @property {import('../sources/tile_cache.js').TileCache} cache
 * @property {import('../sources/clocks.js').Clocks} clocks
 * @property {import('./theme.js').Look} look
 * @property {?number[]} strip where hits are
 * @property {number[]} bookmarks
 */

/** @type {Map<string, import('./columns.js').Columns>} by the tracks of a line */
const known = new Map();

/**
 * GPUs, or what else there is; findings are about that, and no work.
 * @param {import('../timeline/rows.js').Track[]} tracks
 */
export function overviewTracks(tracks)
{
	for (const kind of ['gpu', 'stream', 'calls', 'ranges', 'spans', 'os', 'samples', 'counter']) {
		const found = tracks.filter((t) => t.kind === kind);

		if (found.length)
			return found;
	}
	return tracks.filter((t) => t.kind !== 'findings' && t.kind !== 'capture').slice(0, 1);
}

/**
 * Which of them share a line: where there are more than have room, those that lie beside each other, and each capture has as
 * many lines as the others.
 * @param {import('../timeline/rows.js').Track[]} tracks
 * @returns {import('../timeline/rows.js').Track[][]}
 */
export function overviewLines(tracks)
{
	const captures = new Set(tracks.map((t) => t.capture));

	if (tracks.length <= MOST_LINES)
		return tracks.map((t) => [t]);
	if (captures.size > MOST_LINES)
		return inParts(tracks, MOST_LINES);
	return [...captures].flatMap((c) => inParts(tracks.filter((t) => t.capture === c), Math.floor(MOST_LINES / captures.size)));
}

/** Parts of one length, but for the last. @template T @param {T[]} all @param {number} most parts */
function inParts(all, most)
{
	const length = Math.ceil(all.length / most), parts = [];

	for (let i = 0; i < all.length; i += length)
		parts.push(all.slice(i, i + length));
	return parts;
}

/** What a line of it is, where it is not one row. @param {import('../timeline/rows.js').Track[]} tracks */
export function overviewText(tracks)
{
	const most = Math.max(0, ...overviewLines(tracks).map((line) => line.length));

	return most > 1 ? `The whole capture, ${tracks.length} rows: each line is the mean of up to ${most} of them; the window is framed`
		: 'The whole capture; the window is framed';
}

/** @param {Whole} w */
export const overviewLevel = (w) => levelFor((w.limits[1] - w.limits[0]) / Math.max(1, w.width * w.scale));

/** @param {Whole} w @param {number} time */
const at = (w, time) => ((time - w.limits[0]) * w.width) / (w.limits[1] - w.limits[0]);

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Whole} w
 */
function drawStrip(c, w)
{
	const strip = w.strip ?? [], most = Math.max(1, ...strip), wide = w.width / Math.max(1, strip.length);

	strip.forEach((hits, i) => {
		if (hits)
			c.rect(i * wide, OVERVIEW_HEIGHT - STRIP, Math.max(1.5, wide), STRIP, w.look.colours.hit,
				0.4 + (0.6 * hits) / most);
	});
}

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Whole} w
 */
function drawBrush(c, w)
{
	const x0 = at(w, w.window[0]), x1 = Math.max(x0 + 2, at(w, w.window[1])), { colours } = w.look;

	c.rect(0, 0, x0, OVERVIEW_HEIGHT, colours.bg, 0.6);
	c.rect(x1, 0, w.width - x1, OVERVIEW_HEIGHT, colours.bg, 0.6);
	c.frame(x0 + 0.5, 0.5, x1 - x0 - 1, OVERVIEW_HEIGHT - 1, colours.accent, 1.5);
	for (const x of x1 - x0 > 3 * GRIP ? [x0, x1] : [])
		c.rect(x - 1.5, OVERVIEW_HEIGHT / 2 - 8, 3, 16, colours.accent);
}

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Whole} w
 */
export function drawOverview(c, w)
{
	const lines = overviewLines(w.tracks), high = Math.floor((OVERVIEW_HEIGHT - STRIP - 4) / Math.max(1, lines.length));
	const count = Math.round(w.width * w.scale);

	c.begin(w.width, OVERVIEW_HEIGHT);
	lines.forEach((line, i) => {
		const rows = line.map((t) => ({ track: t.number, by: w.clocks.ofTrack(t.number) })), key = rows.map((r) => `${r.track}+${r.by}`).join();
		let columns = known.get(key);

		if (!columns || columns.count !== count)
			known.set(key, (columns = newColumns(count, w.scale)));
		fillMean(columns, w.cache, rows, 0, overviewLevel(w), ...w.limits);
		c.columns(0, 3 + i * high, Math.max(1, high - (high > 3 ? 1 : 0)), columns, w.look,
			line[0].values ? 'area' : 'bars');
	});
	drawBrush(c, w);
	drawStrip(c, w);
	for (const time of w.bookmarks)
		c.rect(at(w, time) - 1, 0, 3, 8, w.look.colours.mark);
}

/** How the pointer moves the brush. */
export class Brush {
	/**
	 * @param {HTMLCanvasElement} element
	 * @param {import('../app/state.js').State} state
	 */
	constructor(element, state)
	{
		this.element = element;
		this.state = state;
		/** @type {?{how: 'move' | 'begin' | 'end' | 'new', at: number}} */
		this.drag = null;
		element.addEventListener('pointerdown', (e) => this.down(e));
		element.addEventListener('pointermove', (e) => this.move(e));
		element.addEventListener('pointerup', (e) => this.up(e));
		element.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
	}

	/** @param {MouseEvent} e */
	time(e)
	{
		const [b, end] = this.state.is.limits, box = this.element.getBoundingClientRect();

		return b + ((e.clientX - box.left) * (end - b)) / box.width;
	}

	/** @param {number} ns */
	pixels(ns)
	{
		const [b, e] = this.state.is.limits;

		return (ns * this.element.clientWidth) / (e - b);
	}

	/** @param {MouseEvent} e */
	how(e)
	{
		const [b, end] = this.state.is.window, t = this.time(e), width = this.pixels(end - b);
		const grip = Math.min(GRIP, Math.max(3, width / 4));

		/* A window that is everything cannot be moved: a part of it is chosen. */
		if (this.element.clientWidth - width < 1)
			return 'new';

		if (Math.abs(this.pixels(t - b)) < grip)
			return 'begin';
		if (Math.abs(this.pixels(t - end)) < grip)
			return 'end';
		return t > b && t < end ? 'move' : 'new';
	}

	/** @param {PointerEvent} e */
	down(e)
	{
		if (e.button !== 0)
			return;
		this.element.setPointerCapture(e.pointerId);
		this.drag = { how: this.how(e), at: this.time(e) };
		if (this.drag.how === 'new')
			this.state.leave();
	}

	/** @param {PointerEvent} e */
	move(e)
	{
		const { state, drag } = this, [b, end] = state.is.window, t = this.time(e);

		if (!drag) {
			const how = this.how(e);
			this.element.dataset.how = how;
			return;
		}
		if (drag.how === 'move') {
			state.pan(t - drag.at);
			/* What the edge of the capture kept from moving is not made up for later. */
			drag.at += state.is.window[0] - b;
		} else if (drag.how === 'begin') {
			state.setWindow(Math.min(t, end), end);
		} else if (drag.how === 'end') {
			state.setWindow(b, Math.max(t, b));
		} else if (Math.abs(this.pixels(t - drag.at)) > 3) {
			state.setWindow(Math.min(t, drag.at), Math.max(t, drag.at));
		}
	}

	/** @param {PointerEvent} e */
	up(e)
	{
		const { state, drag } = this, [b, end] = state.is.window, t = this.time(e);

		this.drag = null;
		if (drag?.how === 'new' && Math.abs(this.pixels(t - drag.at)) <= 3)
			state.setWindow(t - (end - b) / 2, t + (end - b) / 2);
	}

	/** @param {WheelEvent} e */
	wheel(e)
	{
		e.preventDefault();
		this.state.zoom(1.2 ** Math.sign(e.deltaY), this.time(e));
	}
}
