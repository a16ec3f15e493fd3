/* What would I hand to somebody else? The report as a page, and any other analysis as tables. */
import { append, el, freshId, withCode } from '../base/dom.js';
import { answerTable } from '../tables/table.js';
import * as units from '../base/units.js';
import { picker } from './choices.js';
import { aboutWindow, captureName, section } from './common.js';
import { drawTree } from './ranges.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Params} Params
 * @typedef {import("./common.js").Answer} Answer
 */

/** Rows that are asked for unless the reader says how many. */
const ROWS_MOST = 1000;

const chosen = { analysis: 'summary', params: '' };

/**
 * The report without what this page's rules forbid inside it: scripts, and styles as text. Those
 * styles come back as objects in `dress`.
 * @param {string} html
 */
function undress(html)
{
	/** @type {string[]} */
	const styles = [];
	const bare = html
		.replace(/<style[^>]*>([^]*?)<\/style>/gi, (_, text) => {
			styles.push(text);
			return '';
		})
		.replace(/(<[a-z][^<>]*?) style="/gi, '$1 data-style="');
	const inert = new DOMParser().parseFromString(bare, 'text/html');

	inert
		.querySelectorAll('script, style, link, base, iframe, object, embed, meta[http-equiv]')
		.forEach((e) => e.remove());
	return { text: '<!doctype html>' + inert.documentElement.outerHTML, styles };
}

/**
 * @param {HTMLIFrameElement} frame in which no script runs
 * @param {string[]} styles
 */
function dress(frame, styles)
{
	const inner = frame.contentDocument;
	const Sheet = /** @type {(Window & typeof globalThis) | null} */ (frame.contentWindow)?.CSSStyleSheet;

	if (!inner || !Sheet)
		return;
	inner.adoptedStyleSheets = styles.map((text) => {
		const sheet = new Sheet();
		sheet.replaceSync(text);
		return sheet;
	});
	inner.querySelectorAll('[data-style]').forEach((e) => {
		/** @type {HTMLElement} */ (e).style.cssText = e.getAttribute('data-style') ?? '';
	});
	inner.addEventListener('click', (event) => {
		const link = /** @type {Element | null} */ (event.target)?.closest('a[href]');
		const href = link?.getAttribute('href') ?? '';

		if (!link)
			return;
		event.preventDefault();
		if (href.startsWith('#'))
			inner.getElementById(decodeURIComponent(href.slice(1)))?.scrollIntoView();
	});
}

/**
 * @param {string} html
 * @param {string} name
 */
function save(html, name)
{
	const url = URL.createObjectURL(new Blob([html], { type: 'text/html' }));

	el('a', { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * @param {View} view
 * @param {string} html
 * @param {HTMLElement} place
 */
function page(view, html, place)
{
	const { text, styles } = undress(html);
	const stem = captureName(view.app.session.captures[view.capture])
		.replace(/\.[a-z]+$/, '')
		.replace(/[^\w.-]+/g, '_');
	const frame = el('iframe', { class: 'gr-frame', title: 'Report', sandbox: 'allow-same-origin' });

	frame.addEventListener('load', () => dress(frame, styles));
	frame.srcdoc = text;
	append(
		place,
		el(
			'p',
			{},
			el(
				'button',
				{ type: 'button', class: 'gt-button gt-primary', onclick: () => save(html, `${stem}_report.html`) },
				'save'
			)
		),
		frame
	);
}

/**
 * Words as on a command line: --by stream --limit 10, or by=stream limit=10.
 * @param {string} text
 * @returns {Params}
 */
export function paramsOf(text)
{
	const words = (text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((w) => w.replace(/^(["'])(.*)\1$/, '$2'));
	/** @type {Params} */
	const params = {};
	let name = '';

	for (const word of words) {
		const found = /^(--)?([a-z][a-z0-9-]*)=(.*)$/.exec(word);
		if (found) {
			params[found[2]] = found[3];
			name = '';
		} else if (/^--?[a-z]/.test(word)) {
			name = word.replace(/^-+/, '');
			name = name === 'n' ? 'limit' : name;
			params[name] = true;
		} else if (name)
			params[name] = params[name] === true ? word : `${params[name]},${word}`;
		else
			throw {
				message: `'${word}' is not a parameter`,
				hint: 'write them as on the command line: --by stream --limit 10',
			};
	}
	return params;
}

/**
 * An analysis with so many rows at most, where it has that option.
 * @param {View} view
 * @param {string} name
 * @param {Params} params
 */
async function askSome(view, name, params)
{
	if (Object.hasOwn(params, 'limit'))
		return view.ask(name, params);
	try {
		return await view.ask(name, { ...params, limit: ROWS_MOST });
	} catch (failure) {
		if (/limit/.test(/** @type {{message?: string}} */ (failure)?.message ?? ''))
			return view.ask(name, params);
		throw failure;
	}
}

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function everything(view, answer, place)
{
	aboutWindow(place, answer);
	for (const t of answer.tables) {
		append(place, el('h4', {}, units.title(t.name)));
		answerTable(place, answer, t.name, { lines: false });
	}
	if (answer.trees?.length)
		drawTree(view, answer, place);
	for (const finding of answer.findings)
		append(
			place,
			el('p', {}, el('strong', {}, `${finding.severity}: `), ...withCode(units.safe(finding.title)))
		);
	if (!answer.tables.length && !answer.findings.length && !answer.trees?.length)
		append(place, el('p', { class: 'gw-quiet' }, 'The answer has no tables.'));
}

/**
 * @param {View} view
 * @param {HTMLElement} element
 */
function anyAnalysis(view, element)
{
	const { analyses } = view.app.session;
	const id = freshId('gr');
	const place = el('div');
	const about = el('p', { class: 'gw-quiet' });
	const params = el('input', {
		id,
		type: 'text',
		class: 'gr-params',
		value: chosen.params,
		spellcheck: 'false',
		autocomplete: 'off',
		placeholder: '--by stream --limit 10',
	});

	function explain()
	{
		about.textContent = analyses.find((a) => a.name === chosen.analysis)?.summary ?? '';
	}
	function run()
	{
		chosen.params = params.value;
		place.replaceChildren();
		void view.part(
			place,
			chosen.analysis,
			(async () => askSome(view, chosen.analysis, paramsOf(params.value)))(),
			(answer, part) => everything(view, answer, part)
		);
	}
	explain();
	append(
		element,
		el(
			'form',
			{
				class: 'gw-tools',
				onsubmit: (/** @type {Event} */ event) => {
					event.preventDefault();
					run();
				},
			},
			picker('Analysis', analyses.map((a) => ({ value: a.name, text: a.name })), chosen.analysis, (value) => {
				chosen.analysis = value;
				explain();
				run();
			}),
			el('label', { class: 'gw-picker gr-wide', for: id }, 'Parameters ', params),
			el('button', { type: 'submit', class: 'gt-button gt-primary' }, 'ask')
		),
		about,
		place
	);
}

export const report = tab({
	id: 'report',
	title: 'Report',
	draw(view)
	{
		const made = section(view.body, 'Report page');

		void view.part(
			made,
			'the report',
			view.app.text(`/report?capture=${view.capture}`, view.signal),
			(html, place) => page(view, html, place)
		);
		if (view.app.session.analyses?.length)
			anyAnalysis(view, section(view.body, 'Any analysis', 'What the program answers to each of its questions.'));
	},
});
