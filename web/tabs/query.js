/* What else does the trace hold? SQL on it, with the tables and columns at hand. */
import { append, el, freshId } from '../base/dom.js';
import { answerLines, answerTable } from '../tables/table.js';
import { picker } from './choices.js';
import { missing, num } from './common.js';
import { chart } from './query_chart.js';
import { examples, readHistory, remember } from './query_history.js';
import { schema } from './query_schema.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 */

const ROWS_MOST = 5000;

/** What stands in the box when the tab is opened again. */
let draft = examples[0][1];

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function result(view, answer, place)
{
	const found = answer.tables[0];
	const hasTimes = found?.columns.some((c) => c.key === 'start_ns');

	if (!found) {
		answerLines(place, answer);
		append(place, el('p', { class: 'gw-quiet' }, 'No rows.'));
		return;
	}
	answerTable(place, answer, found.name, {
		name: 'Result',
		exact: true,
		onOpen: hasTimes
			? (row) => {
					const start = num(row.start_ns);
					view.frame(start, num(row.end_ns) || start + (num(row.duration_ns) || 1e6), {
						track: view.streamTrack(row.device, row.stream, row.pid),
					});
				}
			: undefined,
	});
	if (hasTimes)
		append(place, el('p', { class: 'gw-quiet' }, 'Enter, or a click, shows a row in the timeline.'));
	if (
		found.rows.length > 1 &&
		found.columns.length > 1 &&
		found.rows.some((r) => found.columns.some((c) => typeof r[c.key] === 'number'))
	)
		append(
			place,
			el(
				'details',
				{
					class: 'gq-chart',
					ontoggle: (/** @type {Event} */ event) => {
						const details = /** @type {HTMLDetailsElement} */ (event.target);
						if (details.open && details.children.length === 1)
							chart(found, details.appendChild(el('div')));
					},
				},
				el('summary', {}, 'Chart')
			)
		);
}

/** @param {View} view */
function draw(view)
{
	if (view.app.session.is_file) {
		missing(view.body, {
			message: 'This file does not hold the trace, only answers about it',
			hint: '`gpuwhy web` runs SQL on the trace',
		});
		return;
	}
	const id = freshId('gq');
	const box = el('textarea', {
		id,
		class: 'gq-sql',
		rows: 6,
		spellcheck: 'false',
		value: draft,
		autocapitalize: 'off',
	});
	const past = el('div', { class: 'gq-past' });
	const place = el('div', { class: 'gq-result' });
	const stop = el('button', { type: 'button', class: 'gt-button', disabled: true }, 'stop');
	/** @type {AbortController | null} */
	let running = null;

	async function run()
	{
		const sql = box.value.trim();
		const ending = new AbortController();

		if (!sql)
			return;
		running?.abort();
		running = ending;
		view.signal.addEventListener('abort', () => ending.abort(), { once: true });
		stop.disabled = false;
		place.replaceChildren(el('p', { class: 'gw-quiet' }, 'Running …'));
		remember(sql);
		drawPast();
		try {
			const answer = await view.app.post(
				'/query',
				{ sql, capture: view.capture, limit: ROWS_MOST, timeout_s: 20 },
				ending.signal
			);
			place.replaceChildren();
			result(view, answer, place);
		} catch (error) {
			if (view.signal.aborted || running !== ending)
				return;
			place.replaceChildren();
			missing(
				place,
				ending.signal.aborted ? { message: 'Stopped.' } : /** @type {import("./common.js").Failure} */ (error)
			);
		}
		stop.disabled = true;
	}
	/** @param {string} text */
	function insert(text)
	{
		box.setRangeText(
			/^\w+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`,
			box.selectionStart,
			box.selectionEnd,
			'end'
		);
		draft = box.value;
		box.focus();
	}
	/** @param {string} sql */
	function set(sql)
	{
		box.value = draft = sql;
		box.focus();
	}
	function drawPast()
	{
		const queries = readHistory();
		past.replaceChildren(
			...[
				queries.length
					? picker(
							'Earlier',
							[
								{ value: '', text: '…' },
								...queries.map((sql, i) => ({
									value: String(i),
									text: sql.replace(/\s+/g, ' ').slice(0, 80),
								})),
							],
							'',
							(value) => value && set(queries[Number(value)])
						)
					: '',
			]
		);
	}

	box.addEventListener('input', () => {
		draft = box.value;
	});
	box.addEventListener('keydown', (event) => {
		event.stopPropagation();
		if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			void run();
		}
	});
	stop.addEventListener('click', () => running?.abort());
	drawPast();
	const side = el('div', { class: 'gq-side' });
	append(
		view.body,
		el(
			'div',
			{ class: 'gq' },
			el(
				'div',
				{ class: 'gq-main' },
				el('label', { for: id }, 'SQL, read-only; Ctrl+Enter runs it'),
				box,
				el(
					'div',
					{ class: 'gw-tools' },
					el(
						'button',
						{ type: 'button', class: 'gt-button gt-primary', onclick: () => void run() },
						'run'
					),
					stop,
					picker(
						'Examples',
						[{ value: '', text: '…' }, ...examples.map(([text], i) => ({ value: String(i), text }))],
						'',
						(value) => value && set(examples[Number(value)][1])
					),
					past
				),
				place
			),
			side
		)
	);
	schema(view, side, insert);
}

export const query = tab({ id: 'query', title: 'Query', draw });
