/* Where are the events of that name? */
import { byId, button, el } from './dom.js';
import { histogram } from './histogram.js';
import { isAbort } from './source.js';
import { count, ns, shown } from './units.js';

const TRACKS_LISTED = 8;

export class Search {
	/** @param {import('./app.js').App} app */
	constructor(app)
	{
		this.app = app;
		/** @type {any} the reply of /search */
		this.result = null;
		/** @type {?Set<number>} tracks that have hits */
		this.found = null;
		/** @type {?RegExp} to mark the hits that are drawn */
		this.regExp = null;
		/** @type {Map<string, boolean>} names that it was tried on */
		this.tried = new Map();
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
			this.hide();
			byId('scroll').focus();
		});
		input.addEventListener('focus', () => this.show());
		form.addEventListener('focusout', (e) => {
			if (!(e.relatedTarget instanceof Node && form.contains(e.relatedTarget)))
				this.hide();
		});
	}

	input()
	{
		return /** @type {HTMLInputElement} */ (byId('pattern'));
	}

	/** Enter: searches; once more, goes to the next hit. */
	async enter()
	{
		const pattern = this.input().value;

		if (pattern !== this.app.state.is.pattern)
			await this.run(pattern);
		if (this.result?.hits)
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
		this.tried.clear();
		this.found = result && result.hits ? new Set(result.tracks.filter((/** @type {any} */ t) => t.hits > 0)
			.map((/** @type {any} */ t) => t.number)) : null;
		try {
			this.regExp = result?.hits ? new RegExp(pattern, 'i') : null;
		} catch {
			/* The program's expressions know more: its hits are gone to, and not marked. */
			this.regExp = null;
		}
		this.app.state.set({ pattern: result ? pattern : '' });
		this.app.timeline?.labels.setChosen(this.app.state.is.chosen, this.found);
		this.app.timeline?.changed('rows', 'overview');
		if (document.activeElement === this.input())
			this.show();
		if (result)
			this.app.say(`${count(result.hits)} hit${result.hits === 1 ? '' : 's'} of ${pattern}: n and N go through them`);
	}

	/** @returns {((name: string) => boolean) | null} null: nothing was searched for */
	matcher()
	{
		return this.regExp ? (name) => this.matches(name) : null;
	}

	/** @param {string} name */
	matches(name)
	{
		let is = this.tried.get(name);

		if (is === undefined) {
			is = this.regExp?.test(name) ?? false;
			this.tried.set(name, is);
		}
		return is;
	}

	forget()
	{
		this.input().value = '';
		this.set('', null);
		this.hide();
	}

	/** @param {1 | -1} way */
	async step(way)
	{
		const { state, source } = this.app, { pattern, cursor, selection } = state.is;
		/* From the event itself: hits that begin together are all met. */
		const from = selection?.kind === 'event' ? { track: selection.event.track, lane: selection.event.lane, at: selection.event.at }
			: { time: cursor };

		if (!pattern) {
			this.input().focus();
			return;
		}
		try {
			const reply = await source.json('/hit', { pattern, ...from, way: way > 0 ? 'next' : 'previous' });
			if (reply.event)
				await this.app.select(reply.event, true);
			else
				this.app.say(`no ${way > 0 ? 'later' : 'earlier'} hit`);
		} catch (error) {
			this.app.trouble(error);
		}
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
				el('strong', { text: `${count(result.hits)} hit${result.hits === 1 ? '' : 's'}` }),
				button('◂ N', () => void this.step(-1), { title: 'the hit before (N)' }),
				button('n ▸', () => void this.step(1), { title: 'the next hit (n)' }),
				button('clear', () => this.forget(), { title: 'search for nothing' })),
			...this.tracks(), ...(result.durations ? [histogram(result.durations, 'durations of the hits')] : []));
	}

	tracks()
	{
		const listed = [...this.result.tracks].filter((t) => t.hits > 0).sort((a, b) => b.ns - a.ns);
		const lines = listed.slice(0, TRACKS_LISTED).map((t) => {
			const track = this.app.rows.byNumber.get(t.number);

			return button(`${shown(track?.name ?? '')}: ${count(t.hits)}, ${ns(t.ns)}`, () => this.app.choose(t.number, 0),
				{ class: 'hit-row' });
		});

		if (listed.length > TRACKS_LISTED)
			lines.push(el('p', { class: 'quiet', text: `and ${listed.length - TRACKS_LISTED} more rows` }));
		return lines;
	}
}
