/* Where are the events of that name? */
import { byId, button, el } from '../base/dom.js';
import { histogram } from '../tables/histogram.js';
import { isAbort } from '../sources/source.js';
import { count, ns, shown, time } from '../base/units.js';

const TRACKS_LISTED = 8;

export class Search {
	/** @param {import('../app/app.js').App} app */
	constructor(app)
	{
		this.app = app;
		/** @type {any} the reply of /search */
		this.result = null;
		/** @type {?Set<number>} tracks that have hits, or may have */
		this.found = null;
		/** @type {Set<number>} tracks of which a file has not every event */
		this.notSearched = new Set();
		/** @type {?AbortController} */
		this.asking = null;
	}

	start()
	{
		const input = this.input(), form = byId('search');

		form.addEventListener('submit', (e) => {
			e.preventDefault();
			void this.enter();
		});
		input.addEventListener('keydown', (e) => {
			if (e.key !== 'Escape')
				return;
			e.stopPropagation();
			this.forget();
			byId('scroll').focus();
		});
		input.addEventListener('focus', () => this.show());
		this.app.state.follow((changed) => {
			if (changed.has('tab') && this.app.state.is.tab !== 'timeline')
				this.hide();
		});
		/* Keys may go elsewhere, and n and N go through what is listed; the pointer asks for what lies below. */
		addEventListener('pointerdown', (e) => {
			if (!(e.target instanceof Node && form.contains(e.target)))
				this.hide();
		});
	}

	input()
	{
		return /** @type {HTMLInputElement} */ (byId('pattern'));
	}

	/** Enter: searches, and goes to the first hit from here on, where n and N go on. */
	async enter()
	{
		const pattern = this.input().value;

		if (pattern !== this.app.state.is.pattern)
			await this.run(pattern);
		if (!this.result?.hits)
			return;
		this.app.state.set({ tab: 'timeline' });
		byId('scroll').focus();
		await this.step(1);
	}

	/** @param {string} pattern */
	async run(pattern)
	{
		this.asking?.abort();
		this.input().value = pattern;
		if (!pattern) {
			this.forget();
			return;
		}
		const asking = (this.asking = new AbortController());
		try {
			const result = await this.app.source.json('/search', { pattern }, { signal: asking.signal });
			this.set(pattern, result);
		} catch (error) {
			if (isAbort(error))
				return;
			this.forget();
			this.app.trouble(error);
		}
	}

	/** @param {string} pattern @param {any} result */
	set(pattern, result)
	{
		this.result = result;
		this.notSearched = new Set(result?.not_searched);
		this.found = result && result.hits ? new Set([...this.notSearched, ...result.tracks.filter((/** @type {any} */ t) => t.hits > 0)
			.map((/** @type {any} */ t) => t.number)]) : null;
		/* Whoever answers says which of the events that are drawn are hits: none but they know how the pattern is read. */
		this.app.source.pattern = this.found ? pattern : '';
		this.app.timeline?.forgetEvents();
		this.app.state.set({ pattern: result ? pattern : '' });
		this.app.timeline?.labels.setChosen(this.app.state.is.chosen, this.found);
		this.app.timeline?.changed('rows', 'overview');
		if (document.activeElement === this.input())
			this.show();
		if (result)
			this.app.say(`${this.countText(` of ${shown(pattern)}`)}${result.hits ? ': n and N go through them' : ''}`);
	}

	/** How many were found, and among what. @param {string} [of] */
	countText(of = '')
	{
		const { hits, not_searched: isFile } = this.result, { size } = this.notSearched;
		const where = size ? ` in the events that are in this file; ${count(size)} row${size > 1 ? 's were' : ' was'} not searched in full` : isFile ? ' in this file' : '';

		return `${hits ? count(hits) : 'no'} hit${hits > 1 ? 's' : ''}${of}${where}`;
	}

	forget()
	{
		this.input().value = '';
		this.set('', null);
		this.hide();
	}

	/**
	 * The next hit or the one before; after the last comes the first.
	 * @param {1 | -1} way
	 */
	async step(way)
	{
		const { cursor, selection, pattern, limits } = this.app.state.is;
		/* From the event itself: hits that begin together are all met. */
		const from = selection?.kind === 'event' ? { track: selection.event.track, lane: selection.event.lane, at: selection.event.at, time: selection.event.start }
			: { time: cursor };

		if (!pattern) {
			this.input().focus();
			return;
		}
		if (!this.result?.hits) {
			this.app.say(`no hit of ${shown(pattern)}`);
			return;
		}
		try {
			const near = await this.hit(from, way), hit = near ?? await this.hit({ time: way > 0 ? limits[0] - 1 : limits[1] + 1 }, way);

			if (hit)
				await this.app.select(hit, { jumps: true });
			if (hit && !near)
				this.app.say(`${way > 0 ? 'no later hit: the first' : 'no earlier hit: the last'} is ${shown(hit.name ?? '')} at ${time(hit.start)}`);
		} catch (error) {
			this.app.trouble(error);
		}
	}

	/**
	 * @param {import('../sources/source.js').Params} from
	 * @param {1 | -1} way
	 * @returns {Promise<?import('../app/state.js').BriefEvent>}
	 */
	async hit(from, way)
	{
		const { pattern } = this.app.state.is;

		return (await this.app.source.json('/hit', { pattern, ...from, way: way > 0 ? 'next' : 'previous' })).event;
	}

	hide()
	{
		byId('hits').hidden = true;
	}

	/** What was found, below the field. */
	show()
	{
		const box = byId('hits'), { result } = this;

		box.hidden = !result;
		if (!result)
			return;
		box.replaceChildren(
			el('p', { class: 'hits-said' },
				el('strong', { text: this.countText() }),
				...(result.hits ? this.stepButtons() : []),
				button('clear', () => this.forget(), { title: 'search for nothing' })),
			...this.tracks(), ...this.others(), ...(result.durations ? [histogram(result.durations, 'durations of the hits')] : []));
	}

	stepButtons()
	{
		return [button('◂ N', () => void this.step(-1), { title: 'the hit before (N)' }),
			button('n ▸', () => void this.step(1), { title: 'the next hit (n)' })];
	}

	/** Rows in which there may be more. */
	others()
	{
		const names = [...this.notSearched].slice(0, TRACKS_LISTED).map((n) => shown(this.app.rows.byNumber.get(n)?.name ?? ''));
		const more = this.notSearched.size - names.length;

		return names.length ? [el('p', { class: 'quiet', text: `not searched in full: ${names.join('; ')}${more ? ` and ${more} more` : ''}` })] : [];
	}

	tracks()
	{
		const listed = [...this.result.tracks].filter((t) => t.hits > 0).sort((a, b) => b.ns - a.ns);
		/** @type {HTMLElement[]} */
		const lines = listed.slice(0, TRACKS_LISTED).map((t) => {
			const track = this.app.rows.byNumber.get(t.number);

			return button(`${shown(track?.name ?? '')}: ${count(t.hits)}, ${ns(t.ns)}`, () => this.app.choose(t.number, 0),
				{ class: 'hit-row' });
		});

		if (listed.length > TRACKS_LISTED)
			lines.push(el('p', { class: 'quiet', text: `and ${listed.length - TRACKS_LISTED} more row${listed.length === TRACKS_LISTED + 1 ? '' : 's'}` }));
		return lines;
	}
}
