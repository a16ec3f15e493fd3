/* Is each pass of the loop as long as the others, and what is in it? A bar for each step. */
import { append, el } from '../base/dom.js';
import { stackedBars } from '../tables/charts.js';
import { answerTable, table } from '../tables/table.js';
import * as units from '../base/units.js';
import { withChoices } from './choices.js';
import { aboutWindow, num, rowsOf, section } from './common.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {import("./common.js").Row} Row
 */

/** In a drawing that is as tall as a first step with all its loading, the others have no height. */
const TALLEST_OF_MEDIANS = 4;

/** marker: which ranges or marks are steps, as a regular expression; "": the program finds them. */
const chosen = { marker: '' };

const parts = [
	{ key: 'compute_ns', name: 'compute', className: 'gc-compute' },
	{ key: 'exposed_comm_ns', name: 'exposed communication', className: 'gc-comm' },
	{ key: 'exposed_copy_ns', name: 'exposed copy', className: 'gc-copy' },
	{ key: 'idle_ns', name: 'idle', className: 'gc-idle' },
];

/**
 * @param {View} view
 * @param {Row} step
 */
function toTimeline(view, step)
{
	view.frame(num(step.from_ns ?? step.start_ns), num(step.to_ns ?? step.end_ns), { track: view.track('steps') });
}

/**
 * @param {Row} step
 * @param {Row | undefined} outlier
 */
function stepText(step, outlier)
{
	return (
		`step ${step.iteration}: ${units.cell(step.time_ns, 'ns')}; ` +
		parts
			.filter((p) => num(step[p.key]))
			.map((p) => `${p.name} ${units.cell(step[p.key], 'ns')}`)
			.join(', ') +
		(outlier
			? `; outlier, ${units.cell(outlier.excess_ns, 'ns')} above the median: ${units.cell(outlier.cause)}`
			: '')
	);
}

/**
 * The bars of one process.
 * @param {View} view
 * @param {Answer} answer
 * @param {Row} summary
 * @param {HTMLElement} place
 */
function bars(view, answer, summary, place)
{
	const steps = rowsOf(answer, 'iterations').filter((step) => step.pid === summary.pid);
	const outliers = rowsOf(answer, 'iteration_outliers').filter((row) => row.pid === summary.pid);
	const outlierOf = (/** @type {Row} */ step) => outliers.find((row) => row.iteration === step.iteration);

	stackedBars(place, {
		name: `Steps of process ${summary.pid}`,
		series: parts.map(({ name, className }) => ({ name, className })),
		parts: steps.map((step) => parts.map((p) => num(step[p.key]))),
		marked: steps.map((step) => Boolean(outlierOf(step))),
		cap: TALLEST_OF_MEDIANS * num(summary.p50_ns),
		format: units.ns,
		text: (i) => stepText(steps[i], outlierOf(steps[i])),
		onOpen: (i) => toTimeline(view, steps[i]),
	});
}

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function show(view, answer, place)
{
	const summaries = rowsOf(answer, 'iteration_summary');
	const outliers = rowsOf(answer, 'iteration_outliers');

	aboutWindow(place, answer);
	for (const summary of summaries) {
		if (summaries.length > 1)
			append(
				place,
				el(
					'h3',
					{},
					`Process ${summary.pid}${typeof summary.device === 'number' ? `, GPU ${summary.device}` : ''}`
				)
			);
		append(
			place,
			el(
				'p',
				{ class: 'gw-figures' },
				`${units.cell(summary.iterations, 'count')} steps, median ${units.cell(summary.p50_ns, 'ns')}, ` +
					`p90 ${units.cell(summary.p90_ns, 'ns')}, longest ${units.cell(summary.max_ns, 'ns')}; ` +
					(num(summary.outliers)
						? `${units.cell(summary.outliers, 'count')} above ${units.cell(summary.outlier_ns, 'ns')} marked as outliers`
						: 'no outliers')
			)
		);
		bars(view, answer, summary, place);
	}
	append(
		place,
		el(
			'p',
			{ class: 'gw-quiet' },
			'A bar that ends in a line is taller than the drawing. A click, or Enter, shows the step in the timeline.'
		)
	);
	if (outliers.length) {
		const made = section(place, 'Outliers');
		table(made, {
			name: 'Outliers',
			plain: true,
			rows: outliers,
			onOpen: (row) => {
				const step = rowsOf(answer, 'iterations').find(
					(s) => s.pid === row.pid && s.iteration === row.iteration
				);
				if (step)
					toTimeline(view, step);
			},
			columns: [
				{ key: 'iteration', title: 'Step', unit: 'id' },
				{ key: 'pid', title: 'PID', unit: 'id' },
				{ key: 'from_ns', title: 'Start', unit: 'time_ns' },
				{ key: 'time_ns', unit: 'ns' },
				{ key: 'excess_ns', title: 'Above median', unit: 'ns' },
				{ key: 'cause', title: 'Main cause' },
			],
		});
	}
	const all = section(place, 'All steps');
	answerTable(all, answer, 'iterations', {
		name: 'Steps',
		lines: false,
		hide: ['start_ns', 'end_ns', 'gpu_start_ns', 'gpu_end_ns', 'to_ns'],
		titles: { from_ns: 'Start', host_ns: 'Host' },
		onOpen: (row) => toTimeline(view, row),
	});
}

/** @param {View} view */
function draw(view)
{
	const choices = view.app.session.is_file ? []
		: [{ label: 'A step is a range or mark that matches', key: 'marker', placeholder: 'found by the program' }];

	withChoices(view.body, chosen, choices, (place) => {
		const { marker } = chosen;

		void view.part(place, 'steps', view.ask('iters', marker ? { marker } : {}), (answer, part) => show(view, answer, part));
	});
}

export const steps = tab({ id: 'steps', title: 'Steps', draw });
