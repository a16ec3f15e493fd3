/*
 * What do pointer and wheel do on the rows? A click selects, a drag selects a part of the time,
 * with Shift it pans; the wheel scrolls rows, with Ctrl it zooms, with Shift it pans.
 */
import { eventAt } from '../drawing/draw.js';
import { NotInFile } from '../sources/source.js';
import { cellNumber, NO_EVENT } from '../sources/tile.js';
import { ns } from '../base/units.js';

const DRAG_FROM = 4;
const ZOOM = 1.0018;

/** @typedef {{x: number, at: number, how: 'area' | 'pan', moved: boolean}} Drag */

export class Pointer {
	/**
	 * @param {import('../app/app.js').App} app
	 * @param {import('./timeline.js').Timeline} timeline
	 * @param {import('./hover.js').Hover} hover
	 */
	constructor(app, timeline, hover)
	{
		const element = timeline.layers.over.element;

		this.app = app;
		this.timeline = timeline;
		this.hover = hover;
		this.element = element;
		/** @type {?Drag} */
		this.drag = null;
		/** @type {Map<number, number>} fingers, and where they are */
		this.fingers = new Map();
		element.addEventListener('pointerdown', (e) => this.down(e));
		element.addEventListener('pointermove', (e) => this.move(e));
		element.addEventListener('pointerup', (e) => void this.up(e));
		element.addEventListener('pointercancel', (e) => this.cancel(e));
		element.addEventListener('pointerleave', () => hover.hide());
		element.addEventListener('dblclick', () => this.fit());
		element.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
		timeline.layers.ruler.element.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
	}

	/** @param {MouseEvent} e */
	x(e)
	{
		return e.clientX - this.element.getBoundingClientRect().left;
	}

	/** @param {number} x */
	time(x)
	{
		const [b, e] = this.app.window();

		return b + (x * (e - b)) / this.timeline.width;
	}

	/** @param {MouseEvent} e */
	row(e)
	{
		const y = e.clientY - this.element.getBoundingClientRect().top;

		return this.app.rows.at(y, this.timeline.scroll.scrollTop);
	}

	/** @param {PointerEvent} e */
	down(e)
	{
		const x = this.x(e), touches = e.pointerType === 'touch';

		if (touches)
			this.fingers.set(e.pointerId, x);
		if (e.button !== 0 && e.button !== 1)
			return;
		this.element.setPointerCapture(e.pointerId);
		this.hover.hide();
		this.drag = {
			x, at: this.time(x), moved: false,
			how: e.shiftKey || e.button === 1 || touches ? 'pan' : 'area',
		};
	}

	/** @param {PointerEvent} e */
	move(e)
	{
		const x = this.x(e), row = this.row(e), { drag } = this;

		if (this.fingers.size === 2 && this.fingers.has(e.pointerId)) {
			this.pinch(e.pointerId, x);
			return;
		}
		if (drag) {
			if (Math.abs(x - drag.x) > DRAG_FROM)
				drag.moved = true;
			if (drag.moved)
				this.pull(drag, x);
		} else if (row) {
			this.hover.show(e.clientX, e.clientY, row, this.time(x));
		} else {
			this.hover.hide();
		}
	}

	/** @param {Drag} drag @param {number} x */
	pull(drag, x)
	{
		const { state } = this.app, at = this.time(Math.max(0, Math.min(this.timeline.width, x)));

		if (drag.how === 'pan')
			state.pan(drag.at - this.time(x));
		else
			state.set({ selection: { kind: 'area', start: Math.round(Math.min(at, drag.at)), end: Math.round(Math.max(at, drag.at)) } });
	}

	/** @param {number} id @param {number} x */
	pinch(id, x)
	{
		const before = [...this.fingers.values()], was = Math.abs(before[0] - before[1]);
		const middle = (before[0] + before[1]) / 2;

		this.fingers.set(id, x);
		const now = [...this.fingers.values()], is = Math.abs(now[0] - now[1]);
		if (was > 4 && is > 4)
			this.app.state.zoom(was / is, this.time(middle));
		if (this.drag)
			this.drag.moved = true;
	}

	/** @param {PointerEvent} e */
	cancel(e)
	{
		this.fingers.delete(e.pointerId);
		this.drag = null;
	}

	/** @param {PointerEvent} e */
	async up(e)
	{
		const { drag } = this, row = this.row(e);

		this.cancel(e);
		if (drag?.moved && drag.how === 'area') {
			const [start, end] = this.app.state.selected() ?? [0, 0];

			this.app.state.set({ cursor: start });
			this.app.say(`${ns(end - start)} selected: f fits it, Escape drops it`);
		}
		if (drag && !drag.moved && row && e.button === 0)
			await this.click(row, this.time(this.x(e)));
	}

	/**
	 * The event that is drawn there; in a cell, its longest; where nothing goes on, the gap.
	 * @param {import('./rows.js').Row} row
	 * @param {number} at
	 */
	async click(row, at)
	{
		const { app } = this, { track, lane } = row, cell = this.hover.cellAt(row, at);
		const drawn = track.values ? null : eventAt(this.timeline.picture(), row, at);
		const longest = cell ? cellNumber(cell.cells, cell.cell, 8) : NO_EVENT;

		app.choose(track.number, lane);
		app.state.set({ cursor: Math.round(at) });
		try {
			/* Nothing is drawn here because the file has nothing of it: that is no gap. */
			if (app.source.lacks(track.number))
				throw new NotInFile('this row is');
			if (drawn)
				await app.select(drawn);
			else if (longest !== NO_EVENT)
				await app.select(await app.source.json('/event', { track: track.number, lane, at: longest, brief: 1 }));
			else if (track.kind === 'gpu' || track.kind === 'stream')
				await this.selectGap(track.number, at);
			else
				app.state.set({ selection: null });
		} catch (error) {
			app.state.set({ selection: null });
			app.trouble(error);
		}
	}

	/** @param {number} track @param {number} at */
	async selectGap(track, at)
	{
		const { app } = this, [first, last] = app.state.is.limits;
		const before = await app.near(track, 0, at, 'previous'), after = await app.near(track, 0, at, 'next');
		const start = before ? before.start + before.duration : first, end = after ? after.start : last;

		app.state.set({ selection: start < end ? { kind: 'gap', track, start, end } : null });
	}

	fit()
	{
		const selected = this.app.state.selected();

		if (selected) {
			this.app.state.leave();
			this.app.fit(selected);
		}
	}

	/** @param {WheelEvent} e */
	wheel(e)
	{
		const { state } = this.app, [b, end] = state.is.window, perPixel = (end - b) / this.timeline.width;
		const lines = e.deltaMode === 1 ? 16 : 1, dx = e.deltaX * lines, dy = e.deltaY * lines;

		if (e.ctrlKey || e.metaKey)
			state.zoom(ZOOM ** (dy * 1.4), this.time(this.x(e)));
		else if (e.shiftKey)
			state.pan((dy || dx) * perPixel);
		else if (Math.abs(dx) > Math.abs(dy))
			state.pan(dx * perPixel);
		else
			return;
		e.preventDefault();
		this.hover.hide();
	}
}
