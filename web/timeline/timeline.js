/* The timeline on the page: its canvases, their sizes, and when what is drawn. */
import { ScreenCanvas } from '../drawing/canvas.js';
import { LineCanvas } from '../drawing/canvas_lines.js';
import { byId, button } from '../base/dom.js';
import { drawRows, levelOf } from '../drawing/draw.js';
import { awayText, flowsOf } from '../drawing/flow.js';
import { begin } from '../base/idle.js';
import { Labels } from './labels.js';
import { drawOverlay } from '../drawing/overlay.js';
import { Brush, drawOverview, OVERVIEW_HEIGHT, overviewLevel, overviewText, overviewTracks } from '../drawing/overview.js';
import { drawGrid, drawRuler, RULER_HEIGHT } from '../drawing/ruler.js';
import { readLook } from '../drawing/theme.js';
import { TileCache } from '../sources/tile_cache.js';
import { TileLoader } from '../sources/tile_loader.js';
import { shown } from '../base/units.js';

/** Rows beside the screen are fetched, too: scrolling finds them there. */
const SPARE = 120;
const FRAMES_KEPT = 2000;

/** @typedef {'rows' | 'over' | 'ruler' | 'overview'} Layer */

export class Timeline {
	/** @param {import('../app/app.js').App} app */
	constructor(app)
	{
		this.app = app;
		this.cache = new TileCache();
		this.loader = new TileLoader(app.source, this.cache, () => this.changed('rows', 'overview'));
		this.loader.onLanes = (number, lanes) => app.rows.setLanes(number, lanes);
		this.scroll = byId('scroll');
		this.layers = {
			rows: new ScreenCanvas(/** @type {HTMLCanvasElement} */ (byId('rows'))),
			over: new ScreenCanvas(/** @type {HTMLCanvasElement} */ (byId('over'))),
			ruler: new ScreenCanvas(/** @type {HTMLCanvasElement} */ (byId('ruler'))),
			overview: new ScreenCanvas(/** @type {HTMLCanvasElement} */ (byId('overview'))),
		};
		this.look = readLook();
		/** @type {Set<Layer>} */
		this.dirty = new Set();
		/** @type {(() => void) | null} */
		this.pending = null;
		/** @type {?import('../app/state.js').BriefEvent} */
		this.hover = null;
		/** @type {?number} */
		this.pointer = null;
		/** @type {number[]} script time of the last frames, in ms */
		this.frames = [];
		this.width = 0;
		this.height = 0;
		new Brush(this.layers.overview.element, app.state);
		this.labels = new Labels(byId('labels'), byId('pinned-labels'), byId('other-labels'), app.rows, {
			choose: (row) => app.state.set({ chosen: { track: row.track.number, lane: row.lane } }),
			fold: (row) => app.rows.fold(row.track),
			pin: (row) => app.rows.pin(row.track),
			hide: (row) => app.rows.hide(row.track),
			whole: (row) => {
				app.rows.toggle(app.rows.whole, row.track.name);
				app.rows.list();
			},
		});
		this.follow();
	}

	follow()
	{
		const { app } = this;

		app.rows.follow(() => this.relist());
		app.state.follow((changed) => {
			if (changed.has('window') || changed.has('limits') || changed.has('aligned') || changed.has('relative') || changed.has('least'))
				this.changed('rows', 'over', 'ruler', 'overview');
			if (changed.has('chosen'))
				this.labels.setChosen(app.state.is.chosen, app.search.found);
			if (changed.has('tab'))
				this.resize();
			this.changed('over');
		});
		this.scroll.addEventListener('scroll', () => this.changed('rows', 'over'), { passive: true });
		new ResizeObserver(() => this.resize()).observe(this.scroll);
	}

	/** Rows keep their place on the screen when others come above them. */
	relist()
	{
		const { rows, state } = this.app, before = this.anchor;

		this.labels.list();
		this.labels.setChosen(state.is.chosen, this.app.search.found);
		if (before) {
			const i = rows.indexOf(before.track, before.lane);

			if (i >= 0)
				this.scroll.scrollTop = rows.all[i].y - before.y;
		}
		this.keepAnchor();
		this.tellHidden();
		this.changed('rows', 'over', 'overview');
	}

	/** Nothing is gone without a word. */
	tellHidden()
	{
		const count = this.app.rows.tracks.filter((t) => this.app.rows.hidden.has(t.name)).length;

		byId('hidden-rows').replaceChildren(...(count ? [button(`${count} hidden`, () => this.app.rows.showAll(),
			{ title: 'show all rows again (X)' })] : []));
	}

	/** Which row is at the top, and where just: see relist(). At the very top nothing is kept. */
	keepAnchor()
	{
		const { rows } = this.app, { scrollTop } = this.scroll;
		const row = scrollTop > 0 ? rows.at(rows.pinnedHeight, scrollTop) : null;

		this.anchor = row ? { track: row.track.number, lane: row.lane, y: row.y - scrollTop } : null;
	}

	resize()
	{
		const canvas = this.layers.rows.element.parentElement;

		if (!canvas || !this.scroll.clientHeight)
			return;
		this.width = canvas.clientWidth;
		/* Ruler and strip end where the rows do: left of the scroll bar. */
		document.documentElement.style.setProperty('--bar', `${this.scroll.offsetWidth - this.scroll.clientWidth}px`);
		const wasHigh = this.height;

		this.height = this.scroll.clientHeight;
		this.keepSeen(wasHigh);
		canvas.style.height = `${this.height}px`;
		this.changed('rows', 'over', 'ruler', 'overview');
	}

	setLook()
	{
		this.look = readLook();
		this.changed('rows', 'over', 'ruler', 'overview');
	}

	/** @returns {import('../drawing/draw.js').Picture} */
	picture()
	{
		const { app } = this, { rows, search } = app, { window, least, chosen } = app.state.is;
		const scrolled = this.scroll.scrollTop;

		return {
			width: this.width, height: this.height, scale: devicePixelRatio || 1, scrolled,
			pinnedHeight: rows.pinnedHeight, rows: rows.visible(scrolled, this.height), window, cache: this.cache, clocks: app.source.clocks,
			look: this.look, least, found: search.found, notSearched: search.notSearched, chosen, lacks: (track) => app.source.lacks(track),
		};
	}

	/** @returns {import('../drawing/overview.js').Whole} */
	whole()
	{
		const { app } = this, { limits, window } = app.state.is;

		return {
			width: this.layers.overview.element.clientWidth, scale: devicePixelRatio || 1, limits, window,
			tracks: overviewTracks(app.rows.tracks), cache: this.cache, clocks: app.source.clocks, look: this.look,
			strip: app.search.result?.strip ?? null, bookmarks: app.bookmarks.times(),
		};
	}

	/** @returns {import('../drawing/overlay.js').Over} */
	over(picture = this.picture())
	{
		const { state, rows, bookmarks } = this.app, { selection, cursor, mark, details } = state.is;

		return {
			selection, cursor, mark, hover: this.hover, pointer: this.pointer, bookmarks: bookmarks.times(),
			flows: selection?.kind === 'event' ? flowsOf(picture, rows, details) : [],
		};
	}

	/** @param {...Layer} layers */
	changed(...layers)
	{
		for (const layer of layers)
			this.dirty.add(layer);
		if (this.pending)
			return;
		this.pending = begin();
		requestAnimationFrame(() => this.frame());
	}

	frame()
	{
		const started = performance.now(), end = this.pending;

		this.pending = null;
		if (this.width > 0 && this.app.state.is.tab === 'timeline')
			this.draw();
		this.frames.push(performance.now() - started);
		if (this.frames.length > FRAMES_KEPT)
			this.frames.shift();
		end?.();
	}

	draw()
	{
		const picture = this.picture(), { dirty, layers } = this, { relative } = this.app.state.is;

		this.dirty = new Set();
		if (dirty.has('rows')) {
			this.cache.beginFrame();
			this.keepAnchor();
			drawRows(layers.rows, picture);
			drawGrid(layers.rows, picture, relative);
			this.load(picture);
		}
		if (dirty.has('ruler')) {
			layers.ruler.begin(this.width, RULER_HEIGHT);
			drawRuler(layers.ruler, picture, relative);
		}
		if (dirty.has('overview'))
			this.drawOverview(this.whole());
		if (dirty.has('over')) {
			const over = this.over(picture);

			drawOverlay(layers.over, picture, over);
			this.showEdges(picture, over.flows);
		}
	}

	/** @param {import('../drawing/overview.js').Whole} whole */
	drawOverview(whole)
	{
		const { element } = this.layers.overview;

		drawOverview(this.layers.overview, whole);
		element.title = overviewText(whole.tracks);
		element.setAttribute('aria-label', element.title);
	}

	/**
	 * What is seen comes first, then its names, then all of the capture, which stands in for what is
	 * not there yet.
	 * @param {import('../drawing/draw.js').Picture} p
	 */
	load(p)
	{
		const { loader, app } = this, whole = this.whole(), level = levelOf(p);
		const near = app.rows.visible(Math.max(0, p.scrolled - SPARE), p.height + 2 * SPARE);
		/** @type {Map<number, number>} */
		const depths = new Map();

		for (const row of near)
			depths.set(row.track.number, Math.max(depths.get(row.track.number) ?? 1, row.lane + 1));
		const tracks = Array.from(depths, ([number, depth]) => ({ number, depth: depth <= 8 ? 8 : 64 }));
		const gpus = whole.tracks.map((t) => ({ number: t.number, depth: 8 }));

		loader.plan();
		loader.want('tiles', gpus, overviewLevel(whole), ...whole.limits);
		loader.want('tiles', tracks, level, ...p.window);
		loader.want('events', tracks.filter((t) => !app.rows.byNumber.get(t.number)?.values), level, ...p.window);
		if (app.search.found)
			loader.want('marks', tracks.filter((t) => app.search.found?.has(t.number)), level, ...p.window);
		loader.want('tiles', tracks, overviewLevel(whole), ...whole.limits);
		loader.go();
	}

	/**
	 * Ends of arrows that are not on the screen: buttons that go there.
	 * @param {import('../drawing/draw.js').Picture} p
	 * @param {import('../drawing/flow.js').Flow[]} flows
	 */
	showEdges(p, flows)
	{
		const edges = byId('edges'), made = [];

		for (const { link, away } of flows) {
			if (!away)
				continue;
			const edge = button(shown(awayText(p, this.app.rows, link)), () => void this.app.select(link.event, { jumps: true }));

			edge.style.maxWidth = `min(46ch, ${Math.floor(Math.max(away.x, p.width - away.x) - 4)}px)`;
			edge.style.top = `${Math.max(0, Math.min(p.height - 26, away.y - 12))}px`;
			if (away.x > p.width / 2)
				edge.style.right = `${p.width - away.x}px`;
			else
				edge.style.left = `${away.x}px`;
			made.push(edge);
		}
		if (made.length || edges.childElementCount)
			edges.replaceChildren(...made);
	}

	/**
	 * Scrolls so that the row of a lane is seen.
	 * @param {number} track
	 * @param {number} lane
	 */
	showRow(track, lane)
	{
		const { rows } = this.app, i = rows.indexOf(track, lane), row = rows.all[i];

		if (!row || row.pinned)
			return;
		const top = row.y - rows.pinnedHeight, { scrollTop } = this.scroll;
		if (top < scrollTop)
			this.scroll.scrollTop = Math.max(0, top - 20);
		else if (row.y + row.height > scrollTop + this.height)
			this.scroll.scrollTop = row.y + row.height - this.height + 20;
	}

	/** What the pane below would cover moves up, where it was seen. @param {number} wasHigh */
	keepSeen(wasHigh)
	{
		const { rows, state } = this.app, { chosen } = state.is, row = chosen ? rows.all[rows.indexOf(chosen.track, chosen.lane)] : null;

		if (chosen && row && this.height < wasHigh && row.y < this.scroll.scrollTop + wasHigh)
			this.showRow(chosen.track, chosen.lane);
	}

	forgetEvents()
	{
		this.cache.forgetEvents();
		this.changed('rows');
	}

	/** @returns {string[]} the calls that draw what is seen */
	record()
	{
		const lines = new LineCanvas(), picture = this.picture(), { relative } = this.app.state.is;

		drawOverview(lines, this.whole());
		lines.begin(picture.width, RULER_HEIGHT);
		drawRuler(lines, picture, relative);
		drawRows(lines, picture);
		drawGrid(lines, picture, relative);
		drawOverlay(lines, picture, this.over(picture));
		return lines.lines;
	}
}

export { OVERVIEW_HEIGHT };
