/* How does the result of a query look as a drawing? By the columns that the reader picks. */
import { append, el } from '../base/dom.js';
import { lineChart, stackedBars } from '../tables/charts.js';
import * as units from '../base/units.js';
import { withChoices } from './choices.js';
import { num } from './common.js';

/** @typedef {import("./common.js").AnswerTable} AnswerTable */

const BARS_SHOWN = 60;

/**
 * @param {AnswerTable} result
 * @param {HTMLElement} place
 */
export function chart(result, place)
{
	const numeric = result.columns.filter((c) => result.rows.some((r) => typeof r[c.key] === 'number'));
	const others = numeric.filter((c) => c.key !== result.columns[0].key);
	const chosen = {
		kind: 'bars',
		x: result.columns[0].key,
		y: (others.find((c) => !['id', 'count'].includes(c.unit ?? '')) ?? others[0] ?? numeric[0]).key,
	};
	const text = (/** @type {string} */ key, /** @type {unknown} */ value) =>
		units.cell(value, result.columns.find((c) => c.key === key)?.unit);

	/** @param {HTMLElement} field */
	function draw(field)
	{
		const { x, y, kind } = chosen;
		const rows = result.rows.filter((r) => typeof r[y] === 'number');

		if (kind === 'line') {
			const points = rows
				.map((r, i) => ({ x: typeof r[x] === 'number' ? num(r[x]) : i, y: num(r[y]) }))
				.sort((a, b) => a.x - b.x);
			lineChart(field, {
				name: `${units.title(y)} by ${units.title(x)}`,
				series: [{ name: y, className: 'gc-stroke-0' }],
				points: [points.map((p, i) => ({ from: p.x, to: points[i + 1]?.x ?? p.x, y: p.y }))],
				xFormat: (v) => text(x, v),
				yFormat: (v) => text(y, v),
			});
			return;
		}
		const shown = rows.slice(0, BARS_SHOWN);
		stackedBars(field, {
			name: `${units.title(y)} by ${units.title(x)}`,
			series: [{ name: y, className: 'gc-0' }],
			format: (v) => text(y, v),
			parts: shown.map((r) => [Math.max(0, num(r[y]))]),
			text: (i) => `${text(x, shown[i][x])}: ${text(y, shown[i][y])}`,
		});
		if (rows.length > shown.length)
			append(
				field,
				el(
					'p',
					{ class: 'gt-note' },
					`Bars of the first ${BARS_SHOWN} of ${units.count(rows.length)} rows.`
				)
			);
	}
	withChoices(place, chosen, [
		{ label: 'Chart', key: 'kind', options: [{ value: 'bars', text: 'bars' }, { value: 'line', text: 'line' }] },
		{ label: 'of', key: 'y', options: numeric.map((c) => ({ value: c.key, text: units.title(c.key) })) },
		{ label: 'by', key: 'x', options: result.columns.map((c) => ({ value: c.key, text: units.title(c.key) })) },
	], draw);
}
