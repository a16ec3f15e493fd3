/* Which part of the program uses the GPU? Its ranges, or stacks, inside one another, and as a table. */
import { append, el } from '../base/dom.js';
import { answerTable } from '../tables/table.js';
import * as units from '../base/units.js';
import { withChoices } from './choices.js';
import { aboutWindow, num, rowsOf, section } from './common.js';
import { icicle } from './icicle.js';
import { tab } from './view.js';

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./common.js").Answer} Answer
 * @typedef {import("./icicle.js").Node} Node
 * @typedef {{key: string, unit: string}} Column
 */

/** More nodes than a screen could show; the program keeps those with the most time. */
const NODES_MOST = 20000;

const chosen = { merging: '', widths: '', ops: 'yes' };

/** @type {Record<string, string>} */
const widthNames = { gpu_ns: 'GPU time', idle_ns: 'GPU idle time', wall_ns: 'host time', host_ns: 'host time' };

/**
 * @param {Node} node
 * @param {Column[]} columns
 */
export function nodeText(node, columns)
{
	const facts = columns
		.filter((c) => !['name', 'path', 'depth', 'kind', 'file', 'line'].includes(c.key))
		.filter((c) => node[c.key] !== null && node[c.key] !== undefined)
		.map((c) => `${units.title(c.key)} ${units.cell(node[c.key], c.unit)}`);
	const line = node.file ? ` (${units.shown(String(node.file))}${node.line ? `:${node.line}` : ''})` : '';
	return `${units.shown(node.name)}${line}: ${facts.join(', ')}`;
}

/**
 * The row of the timeline that shows it, where there is no doubt.
 * @param {View} view
 * @param {Node} node
 * @param {Record<string, unknown>} found
 */
function trackOf(view, node, found)
{
	if (node.kind === 'op')
		return view.streamTrack(found.device, found.stream, found.pid);
	const rows = view.app
		.tracks()
		.filter((t) => t.kind === 'ranges' && t.capture === view.capture && t.pid === found.pid);
	return rows.length === 1 ? rows[0].number : undefined;
}

/**
 * To the timeline: the range, or op, that begins where the node's first one does.
 * @param {View} view
 * @param {Node} node
 */
async function toTimeline(view, node)
{
	const start = num(node.start_ns);
	const length = num(node.wall_ns ?? node.gpu_ns) / Math.max(1, num(node.count));
	const sql =
		node.kind === 'range'
			? `SELECT end_ns, pid FROM ranges WHERE start_ns = ${start} ORDER BY end_ns DESC LIMIT 1`
			: `SELECT end_ns, pid, device, stream FROM gpu_ops WHERE start_ns = ${start} ORDER BY end_ns DESC LIMIT 1`;
	/** @type {Record<string, unknown>} */
	let found = {};

	if (node.start_ns === null || node.start_ns === undefined)
		return view.app.say('It is not known when that began.');
	if (node.kind === 'range' || node.kind === 'op') {
		try {
			found = rowsOf(await view.query(sql, 1), 'query')[0] ?? {};
		} catch {
			/* The mean length frames it as well. */
		}
	}
	if (!view.signal.aborted)
		view.frame(start, num(found.end_ns) || start + length, { track: trackOf(view, node, found) });
}

/**
 * @param {View} view
 * @param {Answer} answer
 * @param {HTMLElement} place
 * @returns {(name: string) => boolean} zooms into what is called so, where there is such a thing
 */
export function drawTree(view, answer, place)
{
	const tree = answer.trees?.[0];
	/** @type {Column[]} */
	const columns = tree?.columns ?? [];
	const widths = Object.keys(widthNames).filter((key) => columns.some((c) => c.key === key));
	/** @type {?ReturnType<typeof icicle>} */
	let shown = null;

	/** @param {HTMLElement} field */
	function draw(field)
	{
		shown = icicle(field, {
			name: 'Ranges inside one another',
			roots: tree.nodes,
			key: chosen.widths,
			label: (node) => (node.kind === 'op' ? units.kernel(node.name) : units.shown(node.name)),
			text: (node) => nodeText(node, columns),
			onShow: columns.some((c) => c.key === 'start_ns') ? (node) => void toTimeline(view, node) : undefined,
		});
	}
	if (!tree?.nodes.length) {
		append(place, el('p', { class: 'gw-quiet' }, 'There is no range, and no GPU work, in this window.'));
		return () => false;
	}
	if (!widths.includes(chosen.widths))
		[chosen.widths] = widths;
	withChoices(place, chosen, [{ label: 'Width', key: 'widths', options: widths.map((value) => ({ value, text: widthNames[value] })) }], draw);
	return (name) => shown?.zoomTo(name) ?? false;
}

/**
 * @param {View} view
 * @param {HTMLElement} place
 */
function askTree(view, place)
{
	let zoom = (/** @type {string} */ _name) => false;

	/** @type {import("./common.js").Params} */
	const params = { ...view.windowParams(), limit: NODES_MOST };

	if (chosen.merging)
		params[chosen.merging] = true;
	if (chosen.merging === 'instances')
		params.sort = 'start';
	if (chosen.ops === 'no')
		params['no-kernels'] = true;
	void view.part(place, 'ranges', view.ask('tree', params), (answer, part) => {
		aboutWindow(part, answer);
		zoom = drawTree(view, answer, part);
	});
	return (/** @type {string} */ name) => zoom(name);
}

/** @param {View} view */
function draw(view)
{
	let zoom = (/** @type {string} */ _name) => false;
	const place = withChoices(view.body, chosen, [
		{
			label: 'Ranges', key: 'merging', options: [
				{ value: '', text: 'merged if there are many' },
				{ value: 'merge', text: 'merged by path' },
				{ value: 'instances', text: 'each by itself, in order of time' },
			],
		},
		{ label: 'GPU ops', key: 'ops', options: [{ value: 'yes', text: 'shown as leaves' }, { value: 'no', text: 'not shown' }] },
	], (field) => {
		zoom = askTree(view, field);
	});
	const below = section(
		view.body,
		'GPU time by range',
		'GPU time covers all ops launched inside a range, whenever they ran; GPU self excludes those of nested ranges.'
	);
	void view.part(below, 'GPU time by range', view.ask('nvtx', view.windowParams()), (answer, part) => {
		answerTable(part, answer, 'nvtx', {
			name: 'GPU time by range',
			onOpen: (row) =>
				zoom(String(row.range))
					? place.scrollIntoView({ block: 'nearest' })
					: view.app.say('The drawing above has no range of this name.'),
		});
		if (rowsOf(answer, 'unattributed').length) {
			append(part, el('h4', {}, 'Outside any range'));
			answerTable(part, answer, 'unattributed', {
				name: 'GPU time outside any range',
				lines: false,
				plain: true,
			});
		}
	});
}

export const ranges = tab({ id: 'ranges', title: 'Ranges', hasWindow: true, draw });
