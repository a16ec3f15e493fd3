/* The whole capture in a strip: where is the window in it? */
import { fillColumns, newColumns } from './columns.js';
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

/** @type {Map<number, import('./columns.js').Columns>} */
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
			return found.slice(0, MOST_LINES);
	}
	return tracks.filter((t) => t.kind !== 'findings' && t.kind !== 'capture').slice(0, 1);
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
	const high = Math.floor((OVERVIEW_HEIGHT - STRIP - 4) / Math.max(1, w.tracks.length));
	const count = Math.round(w.width * w.scale);

	c.begin(w.width, OVERVIEW_HEIGHT);
	w.tracks.forEach((t, i) => {
		const by = w.clocks.ofTrack(t.number);
		let columns = known.get(t.number);

		if (!columns || columns.count !== count)
			known.set(t.number, (columns = newColumns(count, w.scale)));
		fillColumns(columns, w.cache, t.number, 0, overviewLevel(w), w.limits[0] - by, w.limits[1] - by);
		c.columns(0, 3 + i * high, Math.max(1, high - (high > 3 ? 1 : 0)), columns, w.look,
			t.values ? 'area' : 'bars');
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
