/* What lies over the rows: the pointer's event, what is selected, marks, arrows. */
import { rowTop, timeX } from './draw.js';
import { drawFlows } from './flow.js';
import { ns } from '../base/units.js';
import { textWidth } from './text_fit.js';

/**
 * @typedef {import('./draw.js').Picture} Picture
 * @typedef {object} Over
 * @property {?import('../app/state.js').Selection} selection
 * @property {?import('../app/state.js').BriefEvent} hover
 * @property {?number} pointer a time
 * @property {number} cursor
 * @property {?number} mark
 * @property {import('./flow.js').Flow[]} flows
 * @property {number[]} bookmarks
 */

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 * @param {import('../app/state.js').BriefEvent} event
 * @param {string} colour
 * @param {number} width
 */
function frameEvent(c, p, event, colour, width)
{
	const row = p.rows.find((r) => r.track.number === event.track && r.lane === event.lane);

	if (!row)
		return;
	const x0 = Math.max(-4, timeX(p, event.start));
	const x1 = Math.min(p.width + 4, timeX(p, event.start + event.duration));

	if (x1 < 0 || x0 > p.width)
		return;
	c.frame(x0 - 0.5, rowTop(p, row) + 0.5, Math.max(2, x1 - x0) + 1, row.height - 2, colour, width);
}

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 * @param {number} start
 * @param {number} end
 */
function drawArea(c, p, start, end)
{
	const x0 = Math.max(-2, timeX(p, start)), x1 = Math.min(p.width + 2, timeX(p, end));
	const text = ns(end - start), wide = textWidth(text);

	if (x1 < 0 || x0 > p.width)
		return;
	c.rect(x0, 0, Math.max(1, x1 - x0), p.height, p.look.colours.select, 0.16);
	c.rect(x0, 0, 1, p.height, p.look.colours.select);
	c.rect(x1, 0, 1, p.height, p.look.colours.select);
	if (x1 - x0 > wide + 12) {
		c.rect((x0 + x1 - wide) / 2 - 5, 3, wide + 10, 16, p.look.colours.panel, 0.92);
		c.text((x0 + x1) / 2, 11, text, p.look.colours.fg, 'center', true);
	}
}

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 * @param {{track: number, start: number, end: number}} gap
 */
function drawGap(c, p, gap)
{
	const row = p.rows.find((r) => r.track.number === gap.track && r.lane === 0);
	const x0 = Math.max(-2, timeX(p, gap.start)), x1 = Math.min(p.width + 2, timeX(p, gap.end));

	c.rect(x0, 0, Math.max(1, x1 - x0), p.height, p.look.colours.select, 0.08);
	if (row)
		c.frame(x0, rowTop(p, row) + 0.5, Math.max(2, x1 - x0), row.height - 2, p.look.colours.select, 2);
}

/**
 * Lines alone: a tint would change the colours that mean something.
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 * @param {import('../timeline/rows.js').Row} row
 */
function drawChosen(c, p, row)
{
	const top = rowTop(p, row);

	c.rect(0, top - 1, p.width, 1, p.look.colours.select, 0.5);
	c.rect(0, top + row.height - 1, p.width, 1, p.look.colours.select, 0.5);
}

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {Picture} p
 * @param {Over} o
 */
export function drawOverlay(c, p, o)
{
	const { colours } = p.look, chosen = p.chosen;
	const s = o.selection;

	c.begin(p.width, p.height);
	for (const row of p.rows) {
		if (chosen && row.track.number === chosen.track && row.lane === chosen.lane)
			drawChosen(c, p, row);
	}
	if (o.pointer !== null)
		c.rect(Math.round(timeX(p, o.pointer)), 0, 1, p.height, colours.dim, 0.5);
	for (const at of o.bookmarks)
		c.rect(Math.round(timeX(p, at)), 0, 2, p.height, colours.mark, 0.5);
	if (o.mark !== null)
		c.line(timeX(p, o.mark), 0, timeX(p, o.mark), p.height, colours.mark, 1.5, true);
	if (s?.kind === 'area')
		drawArea(c, p, s.start, s.end);
	if (s?.kind === 'gap')
		drawGap(c, p, s);
	if (o.hover)
		frameEvent(c, p, o.hover, colours.fg, 1);
	if (s?.kind === 'event')
		frameEvent(c, p, s.event, colours.select, 2);
	c.line(timeX(p, o.cursor), 0, timeX(p, o.cursor), p.height, colours.select, 1, true);
	drawFlows(c, p, o.flows);
}
