/* What the parts of the page, and its tabs, ask one another for. */
import { Bookmarks } from '../timeline/bookmarks.js';
import { copy } from '../base/dom.js';
import { quoteWord } from '../base/shell.js';
import { isAbort, problemText } from '../sources/source.js';
import { parsePlace, writePlace } from './link.js';
import { idle, later } from '../base/idle.js';
import { Rows } from '../timeline/rows.js';
import { Runs } from './runs.js';
import { Search } from '../timeline/search.js';
import { State } from './state.js';
import { learnShortNames, ns, safe, shown, time } from '../base/units.js';

/**
 * @typedef {import('./state.js').Span} Span
 * @typedef {import('./state.js').BriefEvent} BriefEvent
 * @typedef {{name: ?string, path: string, rank: ?number, start: number, end: number, shift: number,
 *   tool: string, schema: string, is_shown: boolean, side: ?('A' | 'B')}} Capture side: of runs that are compared
 * @typedef {object} Session
 * @property {string} program
 * @property {string} fingerprint
 * @property {string[]} command
 * @property {string} clock
 * @property {?string} aligned_at of two sides, what begins together
 * @property {string} origin_ns
 * @property {Span} limits
 * @property {Span} window
 * @property {number} tracks_version
 * @property {Capture[]} captures
 * @property {?{what: string, done: number, total: number}} loading
 * @property {string[]} problems
 * @property {{name: string, title: string, summary: string}[]} analyses
 * @property {boolean} [is_file]
 *
 * @typedef {object} Going
 * @property {Span} window
 * @property {number} [track]
 * @property {number} [capture]
 * @property {'area' | {start: number, end: number}} [select]
 * @property {number} [finding] its number
 */

/** What is selected takes this share of the window when it is fitted. */
const FITTED = 0.8;
/** Lanes of a track that are looked at for an event of which the time alone is known. */
const MOST_LANES_ASKED = 12;

/** Of two runs each has a letter, which tells what came before and what after. @param {Session} session @returns {Session} */
function named(session)
{
	if (session.clock !== 'steps')
		return session;
	return { ...session, captures: session.captures.map((c) => ({ ...c, name: `${c.side}: ${c.name ?? c.path.split('/').pop()}` })) };
}

export class App {
	/**
	 * @param {import('../sources/source.js').Source} source
	 * @param {Session} session
	 */
	constructor(source, session)
	{
		this.source = source;
		this.session = named(session);
		source.fingerprint = session.fingerprint;
		this.origin = BigInt(session.origin_ns);
		this.state = new State();
		this.rows = new Rows();
		this.runs = new Runs(this);
		this.search = new Search(this);
		this.bookmarks = new Bookmarks(this);
		/** @type {?import('../timeline/timeline.js').Timeline} */
		this.timeline = null;
		/** @type {{id: string, title: string}[]} */
		this.tabs = [];
		/** @type {(text: string) => void} */
		this.say = () => {};
		/** @type {(command: string) => Promise<void>} does what a key does */
		this.run = async () => {};
		/** @type {?AbortController} */
		this.asking = null;
		/** @type {?import('./link.js').Place} what a link names and has not come yet */
		this.awaited = null;
		this.state.set({ limits: session.limits, clock: session.clock, cursor: session.window[0] });
		this.state.setWindow(...session.window);
		/** Until somebody moves. */
		this.firstWindow = this.state.is.window;
		this.state.follow((changed) => {
			if (!changed.has('selection'))
				return;
			/* What was said was of what is selected no more. */
			this.say('');
			void this.loadDetails();
		});
		this.writeLink = later(() => history.replaceState(null, '', `#${this.link()}`), 300, false);
	}

	/** @param {Session} session as it is by now */
	setSession(session)
	{
		const isFirst = this.state.is.window === this.firstWindow;

		this.session = named(session);
		this.state.set({ limits: session.limits, clock: session.clock });
		/* Who has not moved yet sees what came. */
		if (isFirst) {
			this.state.setWindow(...session.window);
			this.firstWindow = this.state.is.window;
		}
	}

	/** @param {import('../timeline/rows.js').Track[]} tracks */
	setTracks(tracks)
	{
		this.source.clocks.setTracks(tracks);
		this.rows.setTracks(this.session.clock !== 'steps' ? tracks
			: tracks.map((t) => (t.kind === 'capture' ? { ...t, label: `${this.session.captures[t.capture].side}: ${t.label}` } : t)));
		void this.meetAwaited();
	}

	title()
	{
		const names = this.session.captures.map((c) => c.name ?? c.path.split('/').pop());

		return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''} – gpuwhy`;
	}

	/* Questions to the program. */

	/** @param {number} at is in the middle of the window then */
	goToTime(at)
	{
		const [b, e] = this.window();

		this.state.leave();
		this.state.set({ tab: 'timeline', cursor: at });
		this.state.setWindow(at - (e - b) / 2, at + (e - b) / 2);
	}

	/**
	 * @param {string} name
	 * @param {import('../sources/source.js').Params} [params]
	 * @param {AbortSignal} [signal]
	 */
	async api(name, params = {}, signal)
	{
		const answer = await this.source.json(`/api/${name}`, { capture: this.capture(), ...params }, { signal });

		learnShortNames(answer.short_names);
		return answer;
	}

	/** @param {string} path @param {unknown} body @param {AbortSignal} [signal] */
	async post(path, body, signal)
	{
		const answer = await this.source.json(path, {}, { signal, body });

		learnShortNames(answer.short_names);
		return answer;
	}

	/** @param {string} path with its parameters @param {AbortSignal} [signal] */
	text(path, signal)
	{
		return this.source.text(path, {}, { signal });
	}

	/* Where we are. */

	tracks()
	{
		return this.rows.tracks;
	}

	window()
	{
		return this.state.is.window;
	}

	capture()
	{
		return this.state.is.capture;
	}

	/** @param {number} number */
	setCapture(number)
	{
		this.state.set({ capture: number });
	}

	/** @param {number} own a time of a capture's own clock @param {number} capture */
	ownToPage(own, capture)
	{
		return own + (this.session.captures[capture]?.shift ?? 0) - Number(this.origin);
	}

	/** @param {number} page @param {number} capture */
	pageToOwn(page, capture)
	{
		return page - (this.session.captures[capture]?.shift ?? 0) + Number(this.origin);
	}

	/** @param {() => void} call @returns {() => void} ends it */
	onChange(call)
	{
		return this.state.follow((changed) => {
			if (changed.has('window') || changed.has('selection') || changed.has('capture') || changed.has('tab'))
				call();
		});
	}

	/* Going somewhere. */

	/** @param {Going} to */
	async go(to)
	{
		const { state } = this;

		state.leave();
		if (to.capture !== undefined)
			state.set({ capture: to.capture });
		state.set({ tab: 'timeline' });
		state.setWindow(...to.window);
		if (to.track !== undefined)
			this.choose(to.track, 0);
		if (to.select === 'area')
			state.set({ selection: { kind: 'area', start: to.window[0], end: to.window[1] } });
		else if (to.select)
			await this.selectSpan(to.select.start, to.select.end, this.tracksMeant(to));
	}

	/** @param {Going} to @returns {number[]} tracks on which the event may be */
	tracksMeant(to)
	{
		if (to.finding !== undefined)
			return this.rows.tracks.filter((t) => t.kind === 'findings' && t.capture === this.capture())
				.map((t) => t.number);
		return to.track === undefined ? [] : [to.track];
	}

	/**
	 * The event that takes just that time, or the time itself.
	 * @param {number} start
	 * @param {number} end
	 * @param {number[]} tracks
	 * @param {boolean} [stays] the window is where it should be
	 */
	async selectSpan(start, end, tracks, stays = false)
	{
		this.state.set({ selection: { kind: 'area', start, end }, cursor: start });
		try {
			const event = await this.findEvent(start, end, tracks);

			if (event)
				await this.select(event, { stays });
		} catch (error) {
			this.trouble(error);
		}
	}

	/**
	 * @param {number} start
	 * @param {number} end
	 * @param {number[]} tracks
	 */
	async findEvent(start, end, tracks)
	{
		for (const track of tracks) {
			const lanes = Math.min(this.rows.byNumber.get(track)?.lanes ?? 1, MOST_LANES_ASKED);

			for (let lane = 0; lane < lanes; lane++) {
				const event = await this.near(track, lane, start, 'at');

				if (event && Math.abs(event.start - start) < 1 && Math.abs(event.start + event.duration - end) < 1)
					return event;
			}
		}
		return null;
	}

	/**
	 * @param {number} track
	 * @param {number} lane
	 * @param {number} at
	 * @param {'at' | 'next' | 'previous'} way
	 * @returns {Promise<?BriefEvent>}
	 */
	async near(track, lane, at, way)
	{
		const { least } = this.state.is;
		const params = { track, lane, time: Math.round(at), way, least: way === 'at' ? 0 : least };

		return (await this.source.json('/near', params)).event;
	}

	/**
	 * The row of a lane becomes the chosen one, and is seen.
	 * @param {number} track
	 * @param {number} lane
	 */
	choose(track, lane)
	{
		const i = this.rows.indexOf(track, lane);

		if (i < 0 || this.rows.all[i].lane !== lane)
			this.rows.reveal(track, lane);
		this.state.set({ chosen: { track, lane } });
		this.timeline?.showRow(track, lane);
		const capture = this.rows.byNumber.get(track)?.capture;
		if (capture !== undefined)
			this.state.set({ capture });
	}

	/**
	 * @param {BriefEvent} event
	 * @param {{jumps?: boolean, stays?: boolean}} [how] jumps: where we were is kept; stays: the window does not follow
	 */
	async select(event, { jumps = false, stays = false } = {})
	{
		const { state } = this, [b, e] = state.is.window, end = event.start + event.duration;

		if (jumps)
			state.leave();
		this.choose(event.track, event.lane);
		state.set({ selection: { kind: 'event', event }, cursor: event.start });
		if (!stays && (end <= b || event.start >= e)) {
			if (event.duration > (e - b) * FITTED)
				this.fit([event.start, end]);
			else
				state.setWindow(event.start + event.duration / 2 - (e - b) / 2, event.start + event.duration / 2 + (e - b) / 2);
		}
		this.say(`${this.nameOf(event)}: ${ns(event.duration)} from ${time(event.start)}`);
	}

	/**
	 * What an event is called, in plain text: titles of findings have `code` in them.
	 * @param {BriefEvent} event
	 */
	nameOf(event)
	{
		const name = shown(event.name ?? 'no name');

		return this.rows.byNumber.get(event.track)?.kind === 'findings' ? name.replaceAll('`', '') : name;
	}

	/** @param {Span} span */
	fit([begin, end])
	{
		const around = ((end - begin) * (1 - FITTED)) / 2;

		this.state.setWindow(begin - around, end + around);
	}

	/**
	 * The finding that something is evidence of.
	 * @param {{capture: number, number: number}} finding
	 */
	async openFinding({ capture, number })
	{
		this.state.leave();
		this.state.set({ capture, tab: 'findings' });
		await idle();
		const card = document.querySelectorAll('#tab-view .gf-card')[number - 1];
		card?.scrollIntoView({ block: 'start' });
	}

	/** What is known of the selected event, for the pane beside and the arrows. */
	async loadDetails()
	{
		const s = this.state.is.selection;

		this.asking?.abort();
		this.state.set({ details: null });
		if (s?.kind !== 'event')
			return;
		const asking = (this.asking = new AbortController());
		const { track, lane, at } = s.event;
		try {
			const details = await this.source.json('/event', { track, lane, at }, { signal: asking.signal });
			this.state.set({ details });
		} catch (error) {
			if (!isAbort(error))
				this.state.set({ details: this.briefDetails(s.event, problemText(error)) });
		}
	}

	/**
	 * What the picture knows of an event, where nobody answers more.
	 * @param {BriefEvent} event
	 * @param {string} missing why
	 */
	briefDetails(event, missing)
	{
		return {
			...event, short_name: event.name, facts: [], links: [], same_name: null, finding: null, value: null,
			track_name: this.rows.byNumber.get(event.track)?.name ?? '', missing,
		};
	}

	/** @param {unknown} error */
	trouble(error)
	{
		if (!isAbort(error))
			this.say(safe(problemText(error)).replaceAll('`', ''));
	}

	/* Links. */

	link()
	{
		const { window, chosen, selection, tab, pattern, aligned } = this.state.is;
		const nameOf = (/** @type {?{track: number}} */ of) => (of ? this.rows.byNumber.get(of.track)?.name ?? null : null);
		/* A selected event is found again by its row, whichever is chosen by now; one that is hidden stays so. */
		const own = selection?.kind === 'event' ? nameOf(selection.event) : null;

		return writePlace({
			window, selection: this.state.selected(), tab, pattern, align: aligned,
			row: own && !this.rows.hidden.has(own) ? own : nameOf(chosen),
			hide: [...this.rows.hidden], pin: [...this.rows.pinned], fold: [...this.rows.turned],
		}, this.origin);
	}

	async copyLink()
	{
		const url = `${location.href.split('#')[0]}#${this.link()}`;

		this.say(await copy(url) ? 'copied: a link to this place, for whoever has this page open'
			: `the link is in the address bar: #${this.link()}`);
	}

	/** For somebody who has the traces and no page. */
	async copyCommand()
	{
		const command = [...this.session.command, '--at', this.link()].map(quoteWord).join(' ');

		this.say(await copy(command) ? `copied: ${command}` : command);
	}

	/**
	 * All is as the link says; what it does not name is not there.
	 * @param {string} fragment
	 */
	applyLink(fragment)
	{
		const place = parsePlace(fragment, this.origin);

		/* What was said was of another place. */
		this.say('');
		this.rows.hidden = new Set(place.hide);
		this.rows.pinned = new Set(place.pin);
		this.rows.turned = new Set(place.fold);
		this.rows.list();
		this.state.set({ tab: place.tab ?? 'timeline' });
		if (place.window) {
			this.state.setWindow(...place.window);
			this.state.set({ cursor: this.state.is.window[0] });
		}
		this.state.set({ selection: place.selection ? { kind: 'area', start: place.selection[0], end: place.selection[1] } : null });
		if ((place.pattern ?? '') !== this.state.is.pattern)
			void this.search.run(place.pattern ?? '');
		this.awaited = place;
		void this.meetAwaited();
	}

	/** @param {import('./link.js').Place} place @returns {Promise<boolean>} whether runs lie as it says */
	async meetAlignment(place)
	{
		if (place.align === this.state.is.aligned || !this.runs.are())
			return true;
		if (!this.runs.haveSteps())
			return false;
		try {
			await this.runs.align(place.align);
		} catch (error) {
			/* A step that is not there is not waited for. */
			place.align = this.state.is.aligned;
			this.trouble(error);
		}
		if (place.window)
			this.state.setWindow(...place.window);
		return true;
	}

	/** Steps and the row that a link names may come later than the link. */
	async meetAwaited()
	{
		const place = this.awaited;

		if (place && !await this.meetAlignment(place))
			return;
		const track = place?.row ? this.rows.byName(place.row) : null;

		if (!place || !track || place !== this.awaited)
			return;
		this.awaited = null;
		this.choose(track.number, 0);
		if (place.selection)
			void this.selectSpan(place.selection[0], place.selection[1], [track.number], place.window !== null);
	}
}
