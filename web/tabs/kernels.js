/* Which kernels take the GPU's time, how do their launches vary, and where is the longest? */
import { append, el } from '../base/dom.js';
import { stackedBars } from '../tables/charts.js';
import { answerTable, table } from '../tables/table.js';
import * as units from '../base/units.js';
import { withChoices } from './choices.js';
import { aboutWindow, copyButton, num, rowsOf, section } from './common.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {import("./common.js").Row} Row
 */

const BINS = 24;
const chosen = { by: '' };

/** @param {unknown} text as SQL has it */
function quoted(text)
{
	return `'${String(text).replaceAll("'", "''")}'`;
}

/**
 * Which launches a row of the table is about, as SQL has it.
 * @param {Row} row
 * @param {Answer} answer
 */
function launchesOf(row, answer)
{
	const { window } = answer;
	const terms = [`name = ${quoted(row.kernel)}`];

	for (const key of ['device', 'stream', 'pid'])
		if (typeof row[key] === 'number')
			terms.push(`${key} = ${row[key]}`);
	if (window)
		terms.push(`start_ns < ${window.end_ns}`, `end_ns > ${window.start_ns}`);
	return `FROM kernels WHERE ${terms.join(' AND ')}`;
}

/**
 * @param {View} view
 * @param {Row} launch
 */
function toTimeline(view, launch)
{
	view.frame(num(launch.start_ns), num(launch.end_ns), {
		track: view.streamTrack(launch.device, launch.stream, launch.pid),
	});
}

/**
 * @param {View} view
 * @param {Row} row
 * @param {string} launches
 * @param {HTMLElement} place
 */
function histogram(view, row, launches, place)
{
	const least = num(row.min_ns);
	const width = Math.max(1, Math.ceil((num(row.max_ns) - least + 1) / BINS));
	const sql =
		`SELECT (duration_ns - ${least}) / ${width} AS bin, count(*) AS count, min(duration_ns) AS min_ns, ` +
		`max(duration_ns) AS max_ns ${launches} GROUP BY bin ORDER BY bin`;

	void view.part(place, 'durations', view.query(sql), (answer, part) => {
		const bins = rowsOf(answer, 'query');
		const counts = Array.from({ length: BINS }, (_, i) => bins.find((b) => b.bin === i));

		stackedBars(part, {
			name: 'Launches by duration',
			series: [{ name: 'launches', className: 'gc-0' }],
			isWide: true,
			format: units.count,
			parts: counts.map((bin) => [num(bin?.count)]),
			text: (i) =>
				`${units.ns(least + i * width)} to ${units.ns(least + (i + 1) * width)}: ${units.count(num(counts[i]?.count))} launches`,
		});
		append(
			part,
			el(
				'p',
				{ class: 'gw-quiet gc-ends' },
				el('span', {}, units.ns(least)),
				el('span', {}, 'duration'),
				el('span', {}, units.ns(num(row.max_ns)))
			)
		);
	});
}

/**
 * @param {View} view
 * @param {string} launches
 * @param {HTMLElement} made
 */
function longestLaunches(view, launches, made)
{
	const show = el(
		'button',
		{ type: 'button', class: 'gt-button gt-primary', disabled: true },
		'show the longest in timeline'
	);

	append(made, el('h4', {}, 'The longest launches'), el('p', {}, show));
	void view.part(
		made,
		'launches',
		view.query(
			'SELECT start_ns, end_ns, duration_ns, device, stream, pid, range, queue_ns, ' +
				`grid_x, grid_y, grid_z, block_x, block_y, block_z ${launches} ORDER BY duration_ns DESC LIMIT 50`
		),
		(found, part) => {
			const [longest] = rowsOf(found, 'query');

			if (longest) {
				show.disabled = false;
				show.onclick = () => toTimeline(view, longest);
			}
			answerTable(part, found, 'query', {
				name: 'The longest launches',
				hide: ['end_ns'],
				onOpen: (launch) => toTimeline(view, launch),
			});
		}
	);
}

/**
 * @param {View} view
 * @param {Row} row
 * @param {HTMLElement} made
 */
function launchingLines(view, row, made)
{
	append(made, el('h4', {}, 'Lines that launch it'));
	void view.part(
		made,
		'source lines',
		view.ask('kernels', { ...view.windowParams(), by: 'line' }),
		(byLine, part) => {
			table(part, {
				name: 'Lines that launch it',
				rows: rowsOf(byLine, 'kernels').filter((line) => line.kernel === row.kernel),
				plain: true,
				columns: [
					{ key: 'place', title: 'Line' },
					{ key: 'function' },
					{ key: 'count', title: 'Launches', unit: 'count' },
					{ key: 'total_ns', unit: 'ns' },
				],
			});
		}
	);
}

/**
 * @param {View} view
 * @param {Row} row
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function details(view, row, answer, place)
{
	const launches = launchesOf(row, answer);
	const name = String(row.kernel);
	const made = section(place, units.kernel(name));

	append(
		made,
		el(
			'p',
			{ class: 'gk-name', dir: 'auto' },
			units.safe(name.slice(0, 4000)),
			' ',
			copyButton(view.app, name, "the kernel's name")
		)
	);
	if (view.app.session.is_file) {
		append(
			made,
			el(
				'p',
				{ class: 'gw-quiet' },
				'Its launches are not in this file: ',
				el('code', {}, 'gpuwhy web'),
				' shows them.'
			)
		);
	} else {
		histogram(view, row, launches, made);
		longestLaunches(view, launches, made);
	}
	launchingLines(view, row, made);
	made.scrollIntoView({ block: 'nearest' });
}

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 */
function show(view, answer, place)
{
	const below = el('div', { 'aria-live': 'polite' });

	aboutWindow(place, answer);
	answerTable(place, answer, 'kernels', {
		name: 'Kernels',
		lines: false,
		titles: { count: 'Launches' },
		onOpen: (row) => {
			below.replaceChildren();
			details(view, row, answer, below);
		},
	});
	append(place, below);
}

/** @param {View} view */
function draw(view)
{
	const options = [
		{ value: '', text: 'kernel' },
		{ value: 'device', text: 'kernel and GPU' },
		{ value: 'process', text: 'kernel and process' },
		{ value: 'stream', text: 'kernel and stream' },
		{ value: 'line', text: 'kernel and source line' },
	];

	withChoices(view.body, chosen, [{ label: 'A row for each', key: 'by', options }], (place) => {
		const params = { ...view.windowParams(), ...(chosen.by ? { by: chosen.by } : {}) };

		void view.part(place, 'kernels', view.ask('kernels', params), (answer, part) => show(view, answer, part));
	});
}

export const kernels = tab({ id: 'kernels', title: 'Kernels', hasWindow: true, draw });
