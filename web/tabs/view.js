/* What is a tab about, and how does it get its answers? It is drawn anew when that changes. */
import { append, el } from '../base/dom.js';
import { picker } from './choices.js';
import { captureName, missing } from './common.js';
import * as units from '../base/units.js';

/**
 * @typedef {import("./common.js").App} App
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {import("./common.js").Failure} Failure
 * @typedef {import("./common.js").Params} Params
 * @typedef {import("./common.js").Place} Place
 * @typedef {import("./common.js").Tab} Tab
 */

/** The window that all tabs are about: "", the program's own choice; "all"; "shown", the timeline's. */
let chosenWindow = '';

/** Options of the command that this page has as something to choose from. @type {[RegExp, string][]} */
const CHOICES = [
	[/--span all asks about all( of it)?/, "'Window: whole capture' above asks about all$1"],
	[/add more names with --comm REGEX/, "'More kernels that communicate' above adds names"],
	[/--instances shows each/, "'each by itself' above shows each"],
];

/** @param {string} text of an answer or a failure, in the words of this page */
const pageWords = (text) => CHOICES.reduce((said, [option, words]) => said.replace(option, words), text);

/** One drawing of a tab: what it was about, and a signal that ends with it. */
export class View {
	/**
	 * @param {App} app
	 * @param {HTMLElement} body
	 * @param {boolean} hasWindow whether there is one to choose
	 */
	constructor(app, body, hasWindow)
	{
		/* A file has nothing to choose from. */
		this.hasChoices = hasWindow && !app.session.is_file;
		this.app = app;
		this.body = body;
		this.capture = app.capture();
		this.ending = new AbortController();
		this.signal = this.ending.signal;
	}

	/** @returns {Params} what limits an analysis to the chosen window */
	windowParams()
	{
		const shown = this.app.window();

		if (chosenWindow === 'all')
			return { span: 'all' };
		return chosenWindow === 'shown' && shown ? { window: shown.map(Math.round).join(',') } : {};
	}

	/**
	 * @param {string} name
	 * @param {Params} [params]
	 */
	async ask(name, params = {})
	{
		const { limit, ...others } = params;
		/* A file holds whole answers, and no others; among them are failures. */
		const asked = this.app.session.is_file ? others : params;
		const answer = await this.app.api(name, { capture: this.capture, ...asked }, this.signal);

		if (answer.error)
			throw answer.error;
		return this.hasChoices ? { ...answer, notes: answer.notes?.map(pageWords) } : answer;
	}

	/**
	 * @param {string} sql
	 * @param {number} [limit]
	 */
	query(sql, limit = 1000)
	{
		return this.app.post('/query', { sql, capture: this.capture, limit, timeout_s: 20 }, this.signal);
	}

	/**
	 * Shows what comes of a question in a place of its own: a quiet line, then the answer or what is missing.
	 * @template T
	 * @param {HTMLElement} parent
	 * @param {string} what that is being read: "kernels"
	 * @param {Promise<T>} question
	 * @param {(answer: T, place: HTMLElement) => void} show
	 * @returns {Promise<void>}
	 */
	async part(parent, what, question, show)
	{
		const place = el(
			'div',
			{ class: 'gw-part', 'aria-busy': 'true' },
			el('p', { class: 'gw-quiet' }, `Reading ${what} …`)
		);

		append(parent, place);
		try {
			const answer = await question;
			if (this.signal.aborted)
				return;
			place.replaceChildren();
			show(answer, place);
		} catch (failure) {
			if (this.signal.aborted)
				return;
			place.replaceChildren();
			const { message, hint } = /** @type {Failure} */ (failure);
			missing(place, this.hasChoices ? { message: pageWords(message ?? ''), hint: hint && pageWords(hint) } : { message, hint });
		}
		place.removeAttribute('aria-busy');
	}

	/**
	 * To the timeline, framed with a little of what lies around it.
	 * @param {number} start on the capture's own clock
	 * @param {number} end
	 * @param {Partial<Place>} [more]
	 */
	frame(start, end, more = {})
	{
		const capture = more.capture ?? this.capture;
		const [b, e] = [this.app.ownToPage(start, capture), this.app.ownToPage(end, capture)];
		const around = Math.max((e - b) * 0.1, 200);

		this.app.go({ window: [b - around, e + around], select: { start: b, end: e }, capture, ...more });
	}

	/**
	 * The first row of a kind in the timeline.
	 * @param {string} kind
	 * @param {{capture?: number, device?: unknown}} [which]
	 */
	track(kind, { capture = this.capture, device } = {})
	{
		return this.app
			.tracks()
			.find((t) => t.kind === kind && t.capture === capture && (device === undefined || t.device === device))
			?.number;
	}

	/**
	 * The timeline's row of a stream.
	 * @param {unknown} device
	 * @param {unknown} stream
	 * @param {unknown} [pid]
	 */
	streamTrack(device, stream, pid)
	{
		const rows = this.app
			.tracks()
			.filter(
				(t) => t.kind === 'stream' && t.capture === this.capture && t.device === device && t.stream === stream
			);
		return (rows.find((t) => t.pid === pid) ?? rows[0])?.number;
	}
}

/**
 * @param {App} app
 * @param {boolean} hasWindow
 * @param {() => void} changed
 */
function scope(app, hasWindow, changed)
{
	const { captures } = app.session;
	const pickers = [];

	if (captures.length > 1)
		pickers.push(
			picker(
				'Capture',
				captures.map((c, i) => ({ value: String(i), text: captureName(c) })),
				String(app.capture()),
				(value) => {
					app.setCapture(Number(value));
					changed();
				}
			)
		);
	if (hasWindow && !app.session.is_file)
		pickers.push(
			picker(
				'Window',
				[
					{ value: '', text: "the program's choice" },
					{ value: 'all', text: 'whole capture' },
					{ value: 'shown', text: 'what the timeline shows' },
				],
				chosenWindow,
				(value) => {
					chosenWindow = value;
					changed();
				}
			)
		);
	return pickers;
}

/**
 * Which clock the times of a tab are on, where it is not the timeline's.
 * @param {App} app
 */
function ownClock(app)
{
	const number = app.capture(), ahead = app.ownToPage(0, number);

	if (app.session.captures.length < 2 || !ahead)
		return null;
	return el('p', { class: 'gw-quiet gw-clock' },
		`times are on ${units.shown(captureName(app.session.captures[number]))}'s own clock: ` +
			`${units.ns(Math.abs(ahead))} ${ahead > 0 ? 'more' : 'less'} on the timeline`);
}

/**
 * A tab that draws itself anew when what it is about changes.
 * @param {{id: string, title: string, hasWindow?: boolean, draw(view: View): void}} options
 * @returns {Tab}
 */
export function tab({ id, title, hasWindow = false, draw })
{
	return {
		id,
		title,
		open(element, app) {
			const head = el('div', { class: 'gw-head' });
			const clock = el('div');
			const body = el('div', { class: 'gw-body' });
			let view = new View(app, body, hasWindow);
			let about = '';

			function redraw()
			{
				view.ending.abort();
				view = new View(app, body, hasWindow);
				about = aboutNow();
				head.replaceChildren(el('h2', {}, title), ...scope(app, hasWindow, changed));
				clock.replaceChildren();
				append(clock, ownClock(app));
				body.replaceChildren();
				draw(view);
			}
			function aboutNow()
			{
				return `${app.capture()} ${hasWindow && chosenWindow} ${hasWindow && chosenWindow === 'shown' && app.window()}`;
			}
			function changed()
			{
				if (!view.signal.aborted && aboutNow() !== about)
					redraw();
			}
			const forget = app.onChange(changed);
			append(element, el('div', { class: `gw-tab gw-${id}` }, head, clock, body));
			redraw();
			return {
				refresh: redraw,
				close() {
					view.ending.abort();
					if (typeof forget === 'function')
						forget();
				},
			};
		},
	};
}
