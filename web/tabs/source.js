/* Which lines of code are behind the GPU's gaps, its launches and the host's waits? */
import { append, el } from '../base/dom.js';
import { answerTable } from '../tables/table.js';
import { withChoices } from './choices.js';
import { aboutWindow, num, rowsOf, section } from './common.js';
import { drawTree } from './ranges.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Params} Params
 */

const GAPS_MOST = 1000;
const chosen = { by: 'line', calls: 'kernels' };

/** @type {Record<string, {text: string, table: string}>} */
const byLine = {
	kernels: { text: 'launch kernels', table: 'kernels' },
	sync: { text: 'wait for the GPU', table: 'sync_calls' },
	memory: { text: 'copy', table: 'memory' },
	api: { text: 'make CUDA calls', table: 'api' },
};

/**
 * @param {View} view
 * @param {HTMLElement} place
 */
function idleByCode(view, place)
{
	void view.part(place, 'samples', view.ask('code', { ...view.windowParams(), by: chosen.by }), (answer, part) => {
		aboutWindow(part, answer);
		answerTable(part, answer, 'code', {
			name: 'GPU idle time by code',
			lines: false,
			hide: chosen.by === 'line' ? ['file', 'line'] : [],
		});
		if (rowsOf(answer, 'code_threads').length) {
			append(part, el('h4', {}, 'What was sampled'));
			answerTable(part, answer, 'code_threads', { name: 'Threads sampled', lines: false, plain: true });
		}
		append(part, el('h4', {}, 'Stacks'));
		void view.part(part, 'stacks', view.ask('code', { ...view.windowParams(), tree: true }), (tree, stacks) => {
			drawTree(view, tree, stacks);
		});
	});
}

/**
 * @param {View} view
 * @param {HTMLElement} place
 */
function callsByLine(view, place)
{
	const { table, text } = byLine[chosen.calls];

	void view.part(
		place,
		'backtraces',
		view.ask(chosen.calls, { ...view.windowParams(), by: 'line' }),
		(answer, part) => {
			answerTable(part, answer, table, {
				name: `Lines that ${text}`,
				hide: ['file', 'line', 'stddev_ns', 'raw_call'],
			});
		}
	);
}

/** @param {View} view */
function gaps(view)
{
	const made = section(
		view.body,
		'Gaps',
		'What the launching thread did while a GPU ran nothing. A click, or Enter, shows the gap in the timeline.'
	);

	void view.part(made, 'gaps', view.ask('idle', { ...view.windowParams(), limit: GAPS_MOST }), (answer, place) => {
		answerTable(place, answer, 'idle_blame', {
			name: 'Idle time by host activity',
			plain: true,
			hide: ['blame'],
			titles: { meanwhile: 'Host activity', total_ns: 'Idle' },
		});
		append(place, el('h4', {}, 'The longest gaps'));
		answerTable(place, answer, 'gaps', {
			name: 'The longest gaps',
			lines: false,
			only: ['device', 'start_ns', 'gap_ns', 'meanwhile', 'range', 'before', 'after'],
			titles: { gap_ns: 'Idle', meanwhile: 'Host activity', before: 'Previous op', after: 'Next op' },
			onOpen: (row) =>
				view.frame(num(row.start_ns), num(row.end_ns), { track: view.track('gpu', { device: row.device }) }),
		});
	});
}

/** @param {View} view */
function draw(view)
{
	const idle = section(
		view.body,
		'GPU idle time by code',
		'Where the launching thread was, by its samples, while the GPU was idle.'
	);
	withChoices(idle, chosen, [{ label: 'A row for each', key: 'by', options: ['line', 'function', 'file', 'module'].map((value) => ({ value, text: value })) }],
		(place) => idleByCode(view, place));
	const calls = section(
		view.body,
		'Calls by line',
		'Which lines of your code make the CUDA calls, by their backtraces.'
	);
	withChoices(calls, chosen, [{ label: 'Lines that', key: 'calls', options: Object.entries(byLine).map(([value, { text }]) => ({ value, text })) }],
		(place) => callsByLine(view, place));
	gaps(view);
}

export const source = tab({ id: 'source', title: 'Source', hasWindow: true, draw });
