/* How much memory is in use, and what do copies cost? */
import { append, el } from '../base/dom.js';
import { lineChart } from '../tables/charts.js';
import { answerTable } from '../tables/table.js';
import * as units from '../base/units.js';
import { aboutWindow, num, rowsOf, section } from './common.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {import("./common.js").Row} Row
 */

/** --limit of this analysis is also the number of points in time. */
const POINTS = 300;
const COLOURS = 8;

/** @param {Row} row */
function placeName(row)
{
	return `${typeof row.device === 'number' ? `GPU ${row.device}, ` : ''}${units.cell(row.memory)}`;
}

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function overTime(view, answer, place)
{
	const rows = rowsOf(answer, 'memory_over_time');
	const names = [...new Set(rows.map(placeName))];

	lineChart(place, {
		name: 'Memory in use over time, the most in each interval',
		xFormat: units.time,
		yFormat: units.bytes,
		series: names.map((name, i) => ({ name, className: `gc-stroke-${i % COLOURS}` })),
		points: names.map((name) =>
			rows
				.filter((row) => placeName(row) === name)
				.map((row) => ({ from: num(row.from_ns), to: num(row.to_ns), y: num(row.max_bytes) }))
		),
		onOpen: (from, to) => view.frame(from, to),
	});
}

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function show(view, answer, place)
{
	const { body } = view;

	aboutWindow(place, answer);
	if (rowsOf(answer, 'memory_over_time').length)
		overTime(
			view,
			answer,
			section(body, 'Memory in use over time', 'A click, or Enter, shows the interval in the timeline.')
		);
	if (rowsOf(answer, 'memory_usage').length)
		answerTable(section(body, 'Allocations'), answer, 'memory_usage', {
			name: 'Allocations',
			plain: true,
			lines: false,
			titles: {
				peak_bytes: 'Peak',
				peak_at_ns: 'Peak at',
				final_bytes: 'Final',
				allocated_bytes: 'Allocated',
				freed_bytes: 'Freed',
			},
			onOpen: (row) => view.frame(num(row.peak_at_ns), num(row.peak_at_ns) + 1e6),
		});
	for (const [name, title] of [
		['copies', 'Copies by memory at both ends'],
		['copy_sizes', 'Copies by size'],
		['memory', 'Copies and memsets'],
	])
		if (rowsOf(answer, name).length)
			answerTable(section(body, title), answer, name, {
				name: title,
				lines: false,
				hide: ['up_to_bytes'],
				titles: { p50_bytes: 'p50 size', max_bytes: 'Max size', avg_bytes: 'Mean size' },
			});
	if (answer.tables.every((t) => !t.rows.length))
		append(body, el('p', { class: 'gw-quiet' }, 'There are no copies and no memsets in this window.'));
}

export const memory = tab({
	id: 'memory',
	title: 'Memory',
	hasWindow: true,
	draw(view)
	{
		void view.part(
			view.body,
			'copies and memory',
			view.ask('memory', { ...view.windowParams(), limit: POINTS }),
			(answer, place) => show(view, answer, place)
		);
	},
});
