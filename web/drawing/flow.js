/* From the call to the kernel that it launched: where do the arrows of what is selected go? */
import { rowTop, timeX } from './draw.js';
import { ns } from '../base/units.js';

const MARGIN = 10;

/**
 * @typedef {import('./draw.js').Picture} Picture
 * @typedef {{kind: 'launch' | 'launched', queue: number, event: import('../app/state.js').BriefEvent}} Link
 * @typedef {{x: number, y: number, seen: boolean}} End
 * @typedef {{from: End, to: End, queue: number, link: Link, away: ?End}} Flow away: where the link's end lies
 *   off the screen, and an edge points there
 */

/**
 * A place of the picture; what lies outside is moved to its edge.
 * @param {Picture} p
 * @param {import('../timeline/rows.js').Rows} rows
 * @param {number} track
 * @param {number} lane
 * @param {number} time
 * @returns {End}
 */
function place(p, rows, track, lane, time)
{
	const i = rows.indexOf(track, lane), row = i >= 0 ? rows.all[i] : null;
	const x = timeX(p, time), bottom = p.height - MARGIN, top = p.pinnedHeight + MARGIN;
	/* A row that is not shown is below, or above where it comes before those that are. */
	const y = row ? rowTop(p, row) + row.height / 2 : isBefore(p, rows, track) ? -1 : p.height + 1;
	const highest = row?.pinned ? 0 : top;
	const seen = row !== null && x >= 0 && x <= p.width && y >= (row.pinned ? 0 : p.pinnedHeight) && y <= p.height;

	return {
		x: Math.max(MARGIN, Math.min(p.width - MARGIN, x)),
		y: Math.max(highest, Math.min(bottom, y)), seen: seen,
		...(seen ? { x, y } : {}),
	};
}

/**
 * @param {Picture} p
 * @param {import('../timeline/rows.js').Rows} rows
 * @param {number} track
 */
function isBefore(p, rows, track)
{
	const first = p.rows.find((r) => !r.pinned);

	return first !== undefined && rows.tracks.findIndex((t) => t.number === track) < rows.tracks.indexOf(first.track);
}

/**
 * @param {Picture} p
 * @param {import('../timeline/rows.js').Rows} rows
 * @param {any} details of the selected event
 * @returns {Flow[]}
 */
export function flowsOf(p, rows, details)
{
	/** @type {Flow[]} */
	const flows = [];

	for (const link of /** @type {Link[]} */ (details?.links ?? [])) {
		const call = link.kind === 'launch' ? link.event : details, op = link.kind === 'launch' ? details : link.event;
		const from = place(p, rows, call.track, call.lane, call.start + call.duration);
		const to = place(p, rows, op.track, op.lane, op.start);
		const other = link.kind === 'launch' ? from : to;

		if (from.seen || to.seen)
			flows.push({ from, to, queue: link.queue, link, away: other.seen ? null : other });
	}
	return flows;
}

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 * @param {Flow[]} flows
 */
export function drawFlows(c, p, flows)
{
	for (const { from, to, queue } of flows) {
		const text = queue >= 0 ? `queued ${ns(queue)}` : '';
		const half = text.length * 3 + 6, y = (from.y + to.y) / 2;
		const x = Math.max(half, Math.min(p.width - half, (from.x + to.x) / 2));

		c.arrow(from.x, from.y, to.x, to.y, p.look.colours.accent);
		if (text && Math.abs(to.x - from.x) + Math.abs(to.y - from.y) > 60) {
			c.rect(x - half, y - 8, half * 2, 16, p.look.colours.panel, 0.9);
			c.text(x, y, text, p.look.colours.fg, 'center');
		}
	}
}

/**
 * What the button at the edge says of the end that is not seen.
 * @param {Picture} p
 * @param {import('../timeline/rows.js').Rows} rows
 * @param {Link} link
 */
export function awayText(p, rows, link)
{
	const [begin, end] = p.window, { event } = link, track = rows.byNumber.get(event.track);
	const ended = event.start + event.duration;
	const when = ended < begin ? `← ${ns(begin - ended)} before the window`
		: event.start > end ? `${ns(event.start - end)} after the window →`
		: `on ${track?.name ?? 'another row'}`;

	return `${event.name ?? ''}: ${when}`;
}
