/* Why is the run slow, and what should be done next? Each finding as a card that leads to its places. */
import { append, el, freshId, withCode } from '../base/dom.js';
import * as units from '../base/units.js';
import { aboutWindow, copyButton } from './common.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {{start_ns: number, end_ns: number}} Stretch
 * @typedef {{label: string, value: unknown, unit: string, start_ns?: number, end_ns?: number}} Evidence
 * @typedef {{kind: string, function: string | null, file: string | null, line: number | null, ns: number, pct: number}} Code
 * @typedef {{id: string, severity: string, owner: string, title: string, recoverable_ns: number, recoverable_pct: number | null,
 *   recoverable_how: string | null, confidence: string, may_be_wrong: string | null, evidence: Evidence[],
 *   places?: Stretch[], total_places?: number, code?: Code[], recommendation: string[]}} Finding
 */

/** Which place of a finding was looked at last, so that coming back goes on from there. @type {Map<string, number>} */
const lastPlaces = new Map();

/** @type {Record<string, string>} */
const owners = {
	data: 'input data',
	model_code: 'model code',
	launch_runtime: 'launches and runtime',
	communication: 'communication',
	infrastructure: 'infrastructure',
};

/** @param {Finding} finding */
function cost(finding)
{
	if (!finding.recoverable_ns)
		return units.safe(finding.recoverable_how ?? 'not known');
	return (
		units.ns(finding.recoverable_ns) +
		(finding.recoverable_pct === null ? '' : `, ${units.percent(finding.recoverable_pct)} of the window`)
	);
}

/** @param {string} text @returns {string | undefined} a command within advice, where it stands apart */
function commandIn(text)
{
	return /(?:: |\()((?:gpuwhy|nsys|ncu) [^(),;]+)/.exec(text)?.[1].trim();
}

/**
 * @param {View} view
 * @param {string} text
 */
function advice(view, text)
{
	const command = commandIn(text);

	return el(
		'li',
		{},
		...withCode(units.safe(text)),
		command ? ' ' : null,
		command ? copyButton(view.app, command, `the command ${command}`) : null
	);
}

/**
 * @param {View} view
 * @param {Evidence} evidence
 * @param {number} number
 */
function evidenceRow(view, evidence, number)
{
	const { start_ns: start, end_ns: end } = evidence;
	const show =
		start !== undefined &&
		end !== undefined &&
		el(
			'button',
			{
				type: 'button',
				class: 'gt-button',
				'aria-label': `Show ${evidence.label} in the timeline`,
				onclick: () => view.frame(start, end, { finding: number }),
			},
			'show'
		);

	return el(
		'div',
		{ class: 'gf-fact' },
		el('dt', {}, units.shown(evidence.label)),
		el('dd', { dir: 'auto' }, units.cell(evidence.value, evidence.unit), show ? ' ' : null, show)
	);
}

/** @param {Code} code */
function codeLine(code)
{
	const place = code.file ? `${code.file.split('/').pop()}${code.line === null ? '' : `:${code.line}`}` : '';

	return el(
		'li',
		{ title: units.safe(code.file ?? '') },
		el('code', {}, units.shown(code.function ?? '(unknown)')),
		place ? ` (${units.shown(place)})` : '',
		`: ${units.ns(code.ns)}, ${units.percent(code.pct)} of the cost`
	);
}

/**
 * Steps through the places of a finding.
 * @param {View} view
 * @param {Finding} finding
 * @param {number} number
 */
function placeButtons(view, finding, number)
{
	const places = finding.places ?? [];
	const key = `${view.capture} ${finding.id} ${number}`;
	const says = el('span', { class: 'gw-quiet', 'aria-live': 'polite' });

	function say()
	{
		const total = finding.total_places ?? places.length;
		const at = lastPlaces.get(key);
		const all =
			total > places.length ? `the longest ${places.length} of ${units.count(total)} places` : `${total} places`;

		says.textContent = total === 1 ? '1 place' : at === undefined ? all : `place ${at + 1} of ${all}`;
	}
	/** @param {number} by */
	function go(by)
	{
		const at = lastPlaces.get(key);
		const next = at === undefined ? 0 : (at + by + places.length) % places.length;
		lastPlaces.set(key, next);
		say();
		view.frame(places[next].start_ns, places[next].end_ns, { finding: number });
	}
	say();
	if (!places.length)
		return null;
	return el(
		'div',
		{ class: 'gf-places', role: 'group', 'aria-label': `Places of finding ${number}` },
		el('button', { type: 'button', class: 'gt-button gt-primary', onclick: () => go(0) }, 'show in timeline'),
		places.length > 1 &&
			el('button', { type: 'button', class: 'gt-button', onclick: () => go(-1) }, '‹ previous'),
		places.length > 1 && el('button', { type: 'button', class: 'gt-button', onclick: () => go(1) }, 'next ›'),
		says
	);
}

/**
 * @param {string} label
 * @param {HTMLElement[]} items
 */
function list(label, items)
{
	return items.length ? el('div', {}, el('h4', {}, label), el('ul', {}, ...items)) : null;
}

/**
 * @param {View} view
 * @param {Finding} finding
 * @param {number} number from 1, as everywhere
 */
function card(view, finding, number)
{
	const id = freshId('gf');

	return el(
		'article',
		{ class: `gf-card severity-${finding.severity}`, 'aria-labelledby': id },
		el('h3', { id }, `${number}. `, ...withCode(units.safe(finding.title))),
		el(
			'p',
			{ class: 'gf-tags' },
			el('span', { class: 'gf-severity' }, finding.severity),
			` severity · ${finding.confidence} confidence · ${owners[finding.owner] ?? finding.owner}`
		),
		el(
			'dl',
			{ class: 'gf-cost' },
			el('div', { class: 'gf-fact' }, el('dt', {}, 'Recoverable'), el('dd', {}, cost(finding))),
			Boolean(finding.recoverable_ns) &&
				finding.recoverable_how &&
				el(
					'div',
					{ class: 'gf-fact' },
					el('dt', {}, 'How estimated'),
					el('dd', {}, units.safe(finding.recoverable_how))
				),
			finding.may_be_wrong &&
				el(
					'div',
					{ class: 'gf-fact' },
					el('dt', {}, 'Ignore if'),
					el('dd', {}, units.safe(finding.may_be_wrong))
				)
		),
		placeButtons(view, finding, number),
		list(
			'What to do',
			finding.recommendation.map((text) => advice(view, text))
		),
		list('In the code', (finding.code ?? []).map(codeLine)),
		finding.evidence.length
			? el(
					'details',
					{ open: number === 1 },
					el('summary', {}, 'Evidence'),
					el('dl', { class: 'gf-facts' }, ...finding.evidence.map((e) => evidenceRow(view, e, number)))
				)
			: null
	);
}

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function show(view, answer, place)
{
	const verdict = answer.verdict_text ?? '';
	const others = { ...answer, notes: answer.notes.filter((note) => note !== verdict) };

	append(
		place,
		verdict ? el('p', { class: 'gf-verdict' }, ...withCode(units.safe(verdict))) : null,
		answer.workload ? el('p', {}, ...withCode(units.safe(answer.workload.text))) : null
	);
	aboutWindow(place, others);
	append(
		place,
		el(
			'div',
			{ class: 'gf-cards' },
			...answer.findings.map((/** @type {Finding} */ finding, i) => card(view, finding, i + 1))
		)
	);
	if (!answer.findings.length)
		append(place, el('p', { class: 'gw-quiet' }, 'Nothing was found that costs time.'));
}

export const findings = tab({
	id: 'findings',
	title: 'Findings',
	hasWindow: true,
	draw(view)
	{
		void view.part(view.body, 'findings', view.ask('findings', view.windowParams()), (answer, place) =>
			show(view, answer, place)
		);
	},
});
