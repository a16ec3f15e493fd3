/* Which kernels take the GPU's time, how do their launches vary, and where is the longest? */
import { stackedBars } from '../tables/charts.js';
import { answerTable, table } from '../tables/table.js';
import * as units from '../base/units.js';
import { aboutWindow, copyButton, num, picker, rowsOf, section } from './common.js';
import { append, el } from '../base/element.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {import("./common.js").Row} Row
 */

const BINS = 24;
let groupedBy = '';

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
				{ className: 'gw-quiet gc-ends' },
				el('span', null, units.ns(least)),
				el('span', null, 'duration'),
				el('span', null, units.ns(num(row.max_ns)))
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
		{ type: 'button', className: 'gt-button gt-primary', disabled: true },
		'show the longest in timeline'
	);

	append(made, el('h4', null, 'The longest launches'), el('p', null, show));
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
	append(made, el('h4', null, 'Lines that launch it'));
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
			{ className: 'gk-name', dir: 'auto' },
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
				{ className: 'gw-quiet' },
				'Its launches are not in this file: ',
				el('code', null, 'gpuwhy web'),
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
	const place = el('div');
	const options = [
		['', 'kernel'],
		['device', 'kernel and GPU'],
		['process', 'kernel and process'],
		['stream', 'kernel and stream'],
		['line', 'kernel and source line'],
	];
	const ask = () => {
		place.replaceChildren();
		void view.part(
			place,
			'kernels',
			view.ask('kernels', { ...view.windowParams(), ...(groupedBy ? { by: groupedBy } : {}) }),
			(answer, part) => show(view, answer, part)
		);
	};

	append(
		view.body,
		el(
			'div',
			{ className: 'gw-tools' },
			picker(
				'A row for each',
				options.map(([value, text]) => ({ value, text })),
				groupedBy,
				(value) => {
					groupedBy = value;
					ask();
				}
			)
		),
		place
	);
	ask();
}

export const kernels = tab({ id: 'kernels', title: 'Kernels', hasWindow: true, draw });
