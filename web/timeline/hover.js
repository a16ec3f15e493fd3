/* What is under the pointer: what is it, how long, which share of the window? */
import { byId, el } from '../base/dom.js';
import { eventAt, levelOf } from '../drawing/draw.js';
import { later } from '../base/idle.js';
import { isAbort } from '../sources/source.js';
import { cellNumber, CELL_BYTES, NO_CLASS, NO_EVENT, tileWidth } from '../sources/tile.js';
import { count, ns, percent, shown, time } from '../base/units.js';
import { valueText } from '../base/values.js';

const WAIT_MS = 70;
const MOST_KNOWN = 500;

/**
 * @typedef {import('./rows.js').Row} Row
 * @typedef {{cells: Uint8Array, cell: number, width: number}} Cell
 */

export class Hover {
	/** @param {import('../app/app.js').App} app @param {import('./timeline.js').Timeline} timeline */
	constructor(app, timeline)
	{
		this.app = app;
		this.timeline = timeline;
		this.box = byId('tip');
		/** @type {Map<string, any>} brief events that were asked for */
		this.events = new Map();
		/** @type {?AbortController} */
		this.asking = null;
		/** @type {Map<string, number>} busy time of a row in a window */
		this.busy = new Map();
		this.askBusy = later((/** @type {Row} */ row, /** @type {any} */ event) => void this.addShare(row, event), WAIT_MS);
		this.ask = later((/** @type {Row} */ row, /** @type {Cell} */ cell) => void this.askLongest(row, cell), WAIT_MS);
		/* What was known was at another time. */
		app.state.follow((changed) => {
			if (!changed.has('aligned'))
				return;
			this.events.clear();
			this.busy.clear();
		});
	}

	hide()
	{
		this.box.hidden = true;
		this.ask.stop();
		this.askBusy.stop();
		this.asking?.abort();
		this.timeline.hover = null;
		this.timeline.pointer = null;
		this.timeline.changed('over');
	}

	/**
	 * The cell at a time: of a coarser tile where that is what is drawn.
	 * @param {Row} row
	 * @param {number} at
	 * @returns {?Cell}
	 */
	cellAt(row, at)
	{
		const level = levelOf(this.timeline.picture()), { tiles } = this.timeline.cache;
		const own = at - this.app.source.clocks.ofTrack(row.track.number);
		const found = tiles.covering(row.track.number, level, Math.floor(own / tileWidth(level)));
		const cells = found?.is.cells[row.lane];

		if (!found || !cells)
			return null;
		const width = 2 ** found.level, first = found.index * tileWidth(found.level);
		const cell = Math.floor((own - first) / width);
		return { cells, cell, width };
	}

	/**
	 * @param {number} x in the window
	 * @param {number} y
	 * @param {Row} row
	 * @param {number} at
	 */
	show(x, y, row, at)
	{
		const event = row.track.values ? null : eventAt(this.timeline.picture(), row, at);
		const cell = this.cellAt(row, at), isMissing = this.app.source.lacks(row.track.number);

		this.timeline.hover = event;
		this.timeline.pointer = at;
		this.timeline.changed('over');
		if (event) {
			this.ask.stop();
			this.put(x, y, this.eventLines(row, event));
			this.askBusy(row, event);
		} else if (cell && cell.cells[cell.cell * CELL_BYTES] !== NO_CLASS) {
			this.put(x, y, this.cellLines(row, cell));
			this.ask(row, cell);
		} else {
			this.ask.stop();
			this.put(x, y, [time(at), `${row.track.name}: ${isMissing ? 'not in this file' : row.track.values ? 'nothing recorded' : 'nothing here'}`]);
		}
		this.x = x;
		this.y = y;
	}

	/** @param {Row} row @param {import('../app/state.js').BriefEvent} event */
	eventLines(row, event)
	{
		const [b, e] = this.app.window(), part = Math.min(e, event.start + event.duration) - Math.max(b, event.start);
		const busy = this.busy.get(this.busyKey(row));

		return [
			event.name || '(no name)',
			`${ns(event.duration)} from ${time(event.start)}`,
			`${percent((100 * part) / (e - b))} of the window` +
				(busy ? `, ${percent((100 * part) / busy)} of what the row is busy in it` : ''),
			[event.class, row.track.name].filter(Boolean).join(', '),
			...(event.value ? [event.value] : []),
		];
	}

	/** @param {Row} row */
	busyKey(row)
	{
		return `${row.track.number} ${this.app.window()}`;
	}

	/**
	 * How busy the row is in the window is asked for once, and then known.
	 * @param {Row} row
	 * @param {import('../app/state.js').BriefEvent} event
	 */
	async addShare(row, event)
	{
		const key = this.busyKey(row), [begin, end] = this.app.window();

		if (this.busy.has(key))
			return;
		try {
			const { tracks } = await this.app.source.json('/sums', { tracks: row.track.number, begin, end });

			if (this.busy.size > MOST_KNOWN)
				this.busy.clear();
			this.busy.set(key, tracks[0]?.busy ?? 0);
			if (!this.box.hidden && this.timeline.hover === event)
				this.put(this.x ?? 0, this.y ?? 0, this.eventLines(row, event));
		} catch {
			/* The share of the window stands. */
		}
	}

	/** @param {Row} row @param {Cell} of */
	cellLines(row, { cells, cell, width })
	{
		const o = cell * CELL_BYTES, { classes, values, name } = row.track;
		const begun = cellNumber(cells, cell, 4), second = cells[o + 1];
		const part = (100 * cells[o + 3]) / 255;

		if (values)
			return [name, `mean ${valueText((cells[o + 2] * values.full) / 255, values.unit)} over ${ns(width)}`];
		return [
			`${count(begun)} event${begun === 1 ? ' begins' : 's begin'} in these ${ns(width)}`,
			`busy ${percent((100 * cells[o + 2]) / 255)}` + (classes[cells[o]] ? `: ${classes[cells[o]]}` +
				(second < NO_CLASS && classes[second] ? ` ${percent(100 - part)}, ${classes[second]} ${percent(part)}` : '') : ''),
			name,
		];
	}

	/**
	 * The longest event of a cell, by name.
	 * @param {Row} row
	 * @param {Cell} of
	 */
	async askLongest(row, of)
	{
		const at = cellNumber(of.cells, of.cell, 8), { number } = row.track;

		if (at === NO_EVENT)
			return;
		this.asking?.abort();
		const asking = (this.asking = new AbortController());
		try {
			const event = await this.brief(number, row.lane, at, asking.signal);
			if (asking.signal.aborted || this.box.hidden)
				return;
			const lines = row.track.values ? [`${event.value} at ${time(event.start)}`, ...this.cellLines(row, of)]
				: [`longest: ${event.name || '(no name)'}, ${ns(event.duration)}`, ...this.cellLines(row, of)];
			this.timeline.hover = row.track.values ? null : event;
			this.timeline.changed('over');
			this.put(this.x ?? 0, this.y ?? 0, lines);
		} catch (error) {
			/* A tip that does not come is no trouble: the cell's lines stand. */
			if (!isAbort(error))
				return;
		}
	}

	/** @param {number} track @param {number} lane @param {number} at @param {AbortSignal} signal */
	async brief(track, lane, at, signal)
	{
		const key = `${track}/${lane}/${at}`;

		if (!this.events.has(key)) {
			const event = await this.app.source.json('/event', { track, lane, at, brief: 1 }, { signal });

			if (this.events.size > MOST_KNOWN)
				this.events.clear();
			this.events.set(key, event);
		}
		return this.events.get(key);
	}

	/** @param {number} x @param {number} y @param {string[]} lines */
	put(x, y, lines)
	{
		this.box.replaceChildren(...lines.map((text, i) => el('div', { class: i ? null : 'first', text: shown(text) })));
		this.box.hidden = false;
		const { offsetWidth: w, offsetHeight: h } = this.box;
		this.box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - w - 4))}px`;
		this.box.style.top = `${y + 18 + h > innerHeight ? Math.max(4, y - h - 10) : y + 18}px`;
	}
}
