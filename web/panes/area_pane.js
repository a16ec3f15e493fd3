/* What is in a part of the time? Sums of the rows that are seen, and what the analyses say of it. */
import { run } from '../commands/commands.js';
import { button, el, withCode } from '../base/dom.js';
import { isAbort, problemText } from '../sources/source.js';
import { answerTable } from '../tables/table.js';
import { count, ns, percent, safe, shown, time } from '../base/units.js';
import { valueText } from '../base/values.js';

const MOST_TRACKS = 64;

/** @typedef {{title: string, name: string, table: string, only: string[], params: Object<string, any>}} Part */

/** @type {Part[]} */
const PARTS = [
	{ title: 'GPUs', name: 'overview', table: 'gpu_partition', only: ['device', 'compute_pct', 'exposed_comm_pct', 'exposed_copy_pct', 'idle_pct'], params: {} },
	{ title: 'Kernels', name: 'kernels', table: 'kernels', only: ['kernel', 'total_ns', 'pct', 'count'], params: { limit: 12 } },
	{ title: 'Ranges', name: 'nvtx', table: 'nvtx', only: ['range', 'gpu_ns', 'gpu_pct', 'count'], params: { limit: 12 } },
	{ title: 'Gaps', name: 'idle', table: 'gaps', only: ['device', 'start_ns', 'gap_ns', 'meanwhile'], params: { limit: 12 } },
];

/** There is little room beside the timeline. */
const TITLES = {
	device: 'GPU', compute_pct: 'Compute', exposed_comm_pct: 'Comm.', exposed_copy_pct: 'Copy', idle_pct: 'Idle',
	gpu_ns: 'GPU time', gpu_pct: 'Share', total_ns: 'Time', pct: 'Share', count: 'Count', start_ns: 'Start', gap_ns: 'Idle', meanwhile: 'Meanwhile',
};

/**
 * A bar of a row's classes, as wide as it is busy; lanes that overlap fill it.
 * @param {any} sums
 * @param {import('../timeline/rows.js').Track} track
 * @param {number} length
 */
function bar(sums, track, length)
{
	const made = el('div', { class: 'sum-bar' }), whole = Math.max(length, sums.busy);

	sums.ns.forEach((/** @type {number} */ time, /** @type {number} */ i) => {
		if (!time)
			return;
		const part = el('span', { class: `swatch class-${i}`, title: `${track.classes[i] || 'time'}: ${ns(time)}` });

		part.style.width = `${(100 * time) / whole}%`;
		made.append(part);
	});
	return made;
}

/**
 * Lanes that overlap may have more time than there is: that is no share.
 * @param {any} sums
 * @param {import('../timeline/rows.js').Track} track
 * @param {number} length
 */
function busyText(sums, track, length)
{
	const share = track.lanes === 1 ? `, ${percent((100 * sums.busy) / length)}`
		: track.nested ? ' on all levels' : ` in ${count(track.lanes)} lanes`;

	return `${ns(sums.busy)}${share}, ${count(sums.events)} event${sums.events === 1 ? '' : 's'}`;
}

/** @param {any} sums @param {import('../timeline/rows.js').Track} track */
function classLines(sums, track)
{
	/* Ranges have classes for their colours alone. */
	if (new Set(track.classes).size < 2)
		return '';
	return sums.ns.map((/** @type {number} */ time, /** @type {number} */ i) => (time && track.classes[i]
		? `${track.classes[i]} ${ns(time)}` : '')).filter(Boolean).join(', ');
}

/**
 * @param {HTMLElement} place
 * @param {import('../app/app.js').App} app
 * @param {{start: number, end: number}} area
 * @param {AbortSignal} signal
 */
async function showSums(place, app, area, signal)
{
	const all = [...new Set(app.rows.all.map((r) => r.track.number))], numbers = all.slice(0, MOST_TRACKS);
	const { tracks } = await app.source.json('/sums', { tracks: numbers, begin: area.start, end: area.end }, { signal });

	const counters = el('details', {}, el('summary', { text: 'counters and memory' }));
	/** @type {string[]} */
	const missing = [];

	for (const sums of tracks) {
		const track = app.rows.byNumber.get(sums.number);

		if (track && sums.missing)
			missing.push(shown(track.name));
		if (sums.missing || !track || (!sums.events && sums.mean === null))
			continue;
		(track.values ? counters : place).append(el('div', { class: 'sum' },
			button(shown(track.name), () => app.choose(track.number, 0), { class: 'sum-row' }),
			el('span', { class: 'sum-busy', text: track.values ? `mean ${sums.mean === null ? '-' : valueText(sums.mean, track.values.unit)}`
				: busyText(sums, track, area.end - area.start) }),
			track.values ? null : bar(sums, track, area.end - area.start),
			track.values || !classLines(sums, track) ? null : el('span', { class: 'quiet', text: classLines(sums, track) })));
	}
	if (counters.childElementCount > 1)
		place.append(counters);
	if (missing.length)
		place.append(el('details', {}, el('summary', { text: `${count(missing.length)} row${missing.length === 1 ? '' : 's'} not in this file in full` }),
			el('p', { class: 'quiet', text: `${missing.join('; ')}: gpuwhy web sums them up` })));
	if (!place.childElementCount)
		place.append(el('p', { class: 'quiet', text: 'Nothing goes on here.' }));
	if (all.length > MOST_TRACKS)
		place.append(el('p', { class: 'quiet', text: `Of the first ${MOST_TRACKS} of ${count(all.length)} rows; pin or fold rows to see others.` }));
}

/**
 * Times as the ruler has them: an analysis is on the clock of its capture.
 * @param {any} answer
 * @param {import('../app/app.js').App} app
 * @param {number} capture
 */
function onPage(answer, app, capture)
{
	const moved = (/** @type {any} */ row) => (row.start_ns === undefined ? row
		: { ...row, start_ns: app.ownToPage(row.start_ns, capture), end_ns: app.ownToPage(row.end_ns, capture) });

	return { ...answer, tables: answer.tables?.map((/** @type {any} */ t) => ({ ...t, rows: t.rows.map(moved) })) };
}

/**
 * @param {HTMLElement} place
 * @param {Part} part
 * @param {import('../app/app.js').App} app
 * @param {number} capture
 * @param {{start: number, end: number}} area
 * @param {AbortSignal} signal
 */
async function showPart(place, part, app, capture, area, signal)
{
	const answer = await app.api(part.name, { capture, window: [Math.round(area.start), Math.round(area.end)], ...part.params }, signal);

	answerTable(place, onPage(answer, app, capture), part.table, {
		only: part.only, brief: TITLES, plain: true, lines: false,
		onOpen: (row) => {
			const r = /** @type {any} */ (row);

			if (part.name === 'idle')
				void app.go({ window: [r.start_ns, r.end_ns], select: 'area' });
			else if (r.kernel ?? r.range)
				void app.search.run(`^${String(r.kernel ?? r.range).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`);
		},
	});
}

/**
 * @param {HTMLElement} inside
 * @param {string} title
 * @param {(place: HTMLElement) => Promise<void>} fill
 */
async function section(inside, title, fill)
{
	const place = el('div', { 'aria-busy': 'true' });

	inside.append(el('h3', { text: title }), place);
	try {
		await fill(place);
	} catch (error) {
		if (!isAbort(error))
			place.append(el('p', { class: 'quiet' }, ...withCode(safe(problemText(error)))));
	}
	place.removeAttribute('aria-busy');
}

/**
 * @param {HTMLElement} inside
 * @param {import('../app/app.js').App} app
 * @param {{start: number, end: number}} area
 * @param {AbortSignal} signal
 */
export function showArea(inside, app, area, signal)
{
	inside.append(el('h2', { text: `${ns(area.end - area.start)} selected` }),
		el('p', { class: 'quiet', text: `${time(area.start)} to ${time(area.end)}` }),
		el('div', { class: 'buttons' }, button('Fit', () => void run(app, 'fit'), { title: 'fit it into the window (f)' }),
			button('Copy link', () => void app.copyLink(), { title: 'a link to this place (Y)' })));
	const capture = app.capture(), { captures } = app.session;
	/* Rows are of all of them, tables of the one that is chosen. */
	const whose = captures.length > 1 ? ` of ${shown(captures[capture].name ?? captures[capture].path.split('/').pop() ?? '')}` : '';

	void section(inside, 'Rows', (place) => showSums(place, app, area, signal));
	for (const part of PARTS)
		void section(inside, `${part.title}${whose}`, (place) => showPart(place, part, app, capture, area, signal));
}
