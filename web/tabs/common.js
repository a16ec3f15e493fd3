/* What have the tabs in common: what the page offers them, and pieces that several of them show. */
import { append, copy, el, freshId, withCode } from '../base/dom.js';
import { answerLines } from '../tables/table.js';
import * as units from '../base/units.js';

/**
 * @typedef {{name: string | null, path: string, rank: number | null, start: number, end: number, shift: number, tool?: string, schema?: string}} Capture
 * @typedef {{name: string, title: string, summary: string}} Analysis
 * @typedef {{captures: Capture[], clock: string, analyses: Analysis[], is_file?: boolean}} Session
 * @typedef {{start_ns: number, end_ns: number, text?: string, span?: string}} AnswerWindow
 * @typedef {import("../tables/table.js").AnswerTable} AnswerTable
 * @typedef {import("../tables/table.js").Row} Row
 * @typedef {{number: number, kind: string, capture: number, device: number | null, stream: number | null, pid: number | null}} Track
 * @typedef {Record<string, unknown> & {tables: AnswerTable[], findings: any[], notes: string[], warnings: string[],
 *   window: AnswerWindow | null, trees?: any[], verdict?: string, verdict_text?: string, workload?: {text: string}}} Answer
 * @typedef {Record<string, string | number | boolean>} Params
 * @typedef {{window: [number, number], track?: number, capture?: number,
 *   select?: {start: number, end: number}, finding?: number}} Place
 * @typedef {object} App
 * @property {Session} session
 * @property {(name: string, params?: Params, signal?: AbortSignal) => Promise<Answer>} api
 * @property {(path: string, body: unknown, signal?: AbortSignal) => Promise<Answer>} post
 * @property {(path: string, signal?: AbortSignal) => Promise<string>} text
 * @property {() => Track[]} tracks
 * @property {(place: Place) => void} go
 * @property {() => [number, number] | null} window
 * @property {() => number} capture
 * @property {(n: number) => void} setCapture
 * @property {(ns: number, capture: number) => number} ownToPage
 * @property {(ns: number, capture: number) => number} pageToOwn
 * @property {(text: string) => void} say
 * @property {(fn: () => void) => (() => void) | void} onChange
 * @typedef {{close(): void, refresh(): void}} Opened
 * @typedef {{id: string, title: string, open(element: HTMLElement, app: App): Opened}} Tab
 * @typedef {{code?: unknown, message: string, hint?: string | null}} Failure
 */

/**
 * What a trace does not have, and how to capture it: a calm sentence or two.
 * @param {HTMLElement} element
 * @param {Failure} failure
 */
export function missing(element, failure)
{
	const message = failure?.message || 'The program did not answer.';

	append(
		element,
		el(
			'div',
			{ class: 'gw-missing', role: 'note' },
			el('p', {}, ...withCode(sentence(message))),
			failure?.hint ? el('p', {}, ...withCode(sentence(failure.hint))) : null
		)
	);
}

/** @param {string} text */
function sentence(text)
{
	const safe = units.safe(text.slice(0, 4000));
	const ended = /[.!?…:`]$/.test(safe) ? safe : safe + '.';
	return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/**
 * A button that copies a text.
 * @param {App} app
 * @param {string} text
 * @param {string} what
 */
export function copyButton(app, text, what)
{
	return el(
		'button',
		{
			type: 'button',
			class: 'gt-button',
			'aria-label': `Copy ${what}`,
			onclick: async () => app.say((await copy(text)) ? 'Copied.' : 'The browser does not allow copying.'),
		},
		'copy'
	);
}

/**
 * @param {Answer} answer
 * @param {string} name
 * @returns {Row[]}
 */
export function rowsOf(answer, name)
{
	return answer.tables.find((t) => t.name === name)?.rows ?? [];
}

/** @param {unknown} value */
export function num(value)
{
	return typeof value === 'number' ? value : 0;
}

/**
 * Which window an answer is about, and its notes.
 * @param {HTMLElement} element
 * @param {Answer} answer
 */
export function aboutWindow(element, answer)
{
	const window = answer.window;

	if (window)
		append(
			element,
			el(
				'p',
				{ class: 'gw-quiet' },
				window.text ? `${units.safe(window.text)}: ` : '',
				`${units.ns(window.end_ns - window.start_ns)} from ${units.time(window.start_ns)} to ${units.time(window.end_ns)}`
			)
		);
	answerLines(element, answer);
}

/**
 * @param {HTMLElement} element
 * @param {string} title
 * @param {string} [what] a line below it
 */
export function section(element, title, what)
{
	const id = freshId('gw-section');
	const made = el(
		'section',
		{ class: 'gw-section', 'aria-labelledby': id },
		el('h3', { id }, title),
		what ? el('p', { class: 'gw-quiet' }, what) : null
	);

	append(element, made);
	return made;
}

/** @param {Capture} capture */
export function captureName(capture)
{
	return capture.name ?? capture.path.split('/').pop() ?? capture.path;
}
