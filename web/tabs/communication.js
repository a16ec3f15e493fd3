/* How long do ranks wait for one another? Overlap, steps by rank, stragglers and collectives. */
import { append, el } from '../base/dom.js';
import { heatMap } from '../tables/charts.js';
import { answerTable } from '../tables/table.js';
import * as units from '../base/units.js';
import { withChoices } from './choices.js';
import { aboutWindow, captureName, num, rowsOf, section } from './common.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {import("./common.js").Row} Row
 * @typedef {{capture: number, name: string, row: Row}} Cell
 */

const measures = [
	{ value: 'comm_only_ns', text: 'exposed communication', unit: 'ns' },
	{ value: 'time_ns', text: 'time of the step', unit: 'ns' },
	{ value: 'compute_only_ns', text: 'compute without communication', unit: 'ns' },
	{ value: 'both_ns', text: 'communication that compute overlaps', unit: 'ns' },
	{ value: 'idle_ns', text: 'idle', unit: 'ns' },
	{ value: 'overlap_pct', text: 'overlap, share of communication', unit: 'percent' },
];
/** names: kernels that communicate beside those the program knows, as a regular expression. */
const chosen = { measure: measures[0].value, names: '' };

/** @param {View} view @returns {import("./common.js").Params} */
function params(view)
{
	return { ...view.windowParams(), ...(chosen.names ? { comm: chosen.names } : {}) };
}

/**
 * Ranks down, steps across: those of all captures, or all ranks of one.
 * @param {View} view
 * @param {Cell[]} cells
 * @param {HTMLElement} place
 */
function map(view, cells, place)
{
	const ranks = [...new Set(cells.map((c) => c.name))];
	const steps = [...new Set(cells.map((c) => num(c.row.iteration)))].sort((a, b) => a - b);
	const found = new Map(cells.map((c) => [`${c.name}\n${c.row.iteration}`, c]));
	const at = (/** @type {number} */ r, /** @type {number} */ c) => found.get(`${ranks[r]}\n${steps[c]}`);

	/** @param {HTMLElement} field */
	function draw(field)
	{
		const { value: measure, text: what, unit } = measures.find((m) => m.value === chosen.measure) ?? measures[0];

		heatMap(field, {
			name: `${what}, by rank and step`,
			rows: ranks,
			columns: steps.map(String),
			format: (x) => units.cell(x, unit),
			values: ranks.map((_, r) =>
				steps.map((_step, c) => {
					const value = at(r, c)?.row[measure];
					return typeof value === 'number' ? value : null;
				})
			),
			text: (r, c) => `${ranks[r]}, step ${steps[c]}: ${what} ${units.cell(at(r, c)?.row[measure], unit)}`,
			onOpen: (r, c) => {
				const cell = at(r, c);
				if (cell)
					view.frame(num(cell.row.start_ns), num(cell.row.end_ns), {
						capture: cell.capture,
						track: view.track('steps', cell),
					});
			},
		});
	}
	withChoices(place, chosen, [{ label: 'Show', key: 'measure', options: measures }], draw);
}

/**
 * Steps of every capture, as cells: a capture that has none is left out.
 * @param {View} view
 * @returns {Promise<Cell[]>}
 */
async function stepsOfRanks(view)
{
	const { captures } = view.app.session;
	/** @type {Cell[]} */
	const cells = [];
	/** @type {unknown} */
	let failure = null;

	for (let i = 0; i < captures.length; i++) {
		try {
			const answer = await view.app.api('overlap', { capture: i, ...params(view), by: 'iteration' }, view.signal);
			for (const row of rowsOf(answer, 'overlap_iterations'))
				cells.push({
					capture: i,
					row,
					name:
						captures.length > 1 && rowsOf(answer, 'overlap').length === 1
							? captureName(captures[i])
							: `rank ${row.rank}`,
				});
		} catch (error) {
			failure = error;
		}
	}
	if (!cells.length && failure)
		throw failure;
	return cells;
}

/**
 * @param {View} view
 * @param {HTMLElement} body
 */
function rest(view, body)
{
	const steps = section(
		body,
		'Steps by rank',
		'The stronger the colour, the more. A click, or Enter, shows the step in the timeline.'
	);
	void view.part(steps, 'steps of each rank', stepsOfRanks(view), (cells, place) =>
		cells.length
			? map(view, cells, place)
			: append(place, el('p', { class: 'gw-quiet' }, 'No steps were found.'))
	);
	const late = section(
		body,
		'Stragglers',
		'The rank that arrives last at collectives, how long the others wait for it, and why it is late.'
	);
	const { captures, clock } = view.app.session;
	const isJob = captures.length > 1 && ['collectives', 'utc'].includes(clock);
	/* Times of all captures as one are on the clock that they share. */
	const shift = isJob ? captures[view.capture].shift : 0;
	const asked = { ...params(view), limit: 500, ...(isJob ? { capture: 'all' } : {}) };
	void view.part(late, 'stragglers', view.ask('stragglers', asked), (answer, place) => {
		answerTable(place, answer, 'stragglers', {
			name: 'Stragglers',
			plain: true,
			titles: {
				imposed_ns: "Others' wait",
				waited_ns: 'Own wait',
				worst_ns: 'Max lateness',
				late_ns: 'Lateness',
				late_host_ns: 'due to host',
				late_compute_ns: 'due to compute',
				late_earlier_wait_ns: 'due to earlier collective',
				late_idle_ns: 'idle',
				late_unknown_ns: 'unknown',
			},
		});
		append(place, el('h4', {}, 'Collectives with the longest waits'));
		answerTable(place, answer, 'worst_collectives', {
			name: 'Collectives with the longest waits',
			lines: false,
			hide: [
				'late_host_ns',
				'late_compute_ns',
				'late_earlier_wait_ns',
				'late_idle_ns',
				'late_unknown_ns',
				'kernel',
				'cause',
			],
			titles: { at_ns: 'At', last_rank: 'Last rank', wait_ns: 'Total wait' },
			onOpen: (row) => view.frame(num(row.at_ns) - num(row.skew_ns) - shift, num(row.at_ns) + num(row.skew_ns) - shift),
		});
	});
	const collectives = section(body, 'Collectives');
	void view.part(collectives, 'collectives', view.ask('nccl', params(view)), (answer, place) => {
		answerTable(place, answer, 'nccl', { name: 'Collectives' });
		if (rowsOf(answer, 'nccl_calls').length) {
			append(place, el('h4', {}, 'NCCL calls of the host'));
			answerTable(place, answer, 'nccl_calls', { name: 'NCCL calls of the host', lines: false, plain: true });
		}
	});
}

/**
 * @param {View} view
 * @param {HTMLElement} body
 */
function ask(view, body)
{
	const overlap = section(
		body,
		'Overlap',
		"At every instant a rank's GPU only computes, only communicates, does both, only copies, or is idle."
	);

	void view.part(overlap, 'overlap', view.ask('overlap', params(view)), (answer, place) => {
		const hasAny = rowsOf(answer, 'overlap').some((row) => num(row.comm_kernels) > 0);

		aboutWindow(place, answer);
		answerTable(place, answer, 'overlap', {
			name: 'Overlap by rank',
			plain: true,
			lines: false,
			titles: {
				comm_only_ns: 'Exposed communication',
				comm_only_pct: 'Exposed %',
				both_ns: 'Overlapped communication',
				copy_only_ns: 'Exposed copy',
				comm_ns: 'Total communication',
			},
		});
		if (rowsOf(answer, 'exposed_kernels').length) {
			append(place, el('h4', {}, 'Kernels with exposed communication'));
			answerTable(place, answer, 'exposed_kernels', {
				name: 'Kernels with exposed communication',
				plain: true,
				lines: false,
				titles: { exposed_pct: 'Share', exposed_max_ns: 'Longest exposed' },
			});
		}
		if (hasAny)
			rest(view, body);
	});
}

/** @param {View} view */
function draw(view)
{
	const choices = view.app.session.is_file ? []
		: [{ label: 'More kernels that communicate match', key: 'names', placeholder: 'regular expression' }];

	withChoices(view.body, chosen, choices, (place) => ask(view, place));
}

export const communication = tab({ id: 'communication', title: 'Communication', hasWindow: true, draw });
