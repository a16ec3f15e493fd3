/* Which tables and columns can a query name? */
import { append, el } from '../base/dom.js';
import { problemText } from '../sources/source.js';
import * as units from '../base/units.js';
import { rowsOf } from './common.js';

/** @typedef {import("./view.js").View} View */

const readyMade = ['kernels', 'copies', 'api', 'ranges', 'gpu_ops'];

/**
 * @param {string} name
 * @param {string} about
 * @param {{name: string, about: string}[]} columns
 * @param {(text: string) => void} insert
 */
function schemaTable(name, about, columns, insert)
{
	return el(
		'details',
		{ class: 'gq-table' },
		el(
			'summary',
			{},
			el('code', {}, units.shown(name)),
			' ',
			el('span', { class: 'gw-quiet' }, units.shown(about))
		),
		el(
			'ul',
			{},
			...columns.map((c) =>
				el(
					'li',
					{},
					el(
						'button',
						{ type: 'button', class: 'gq-column', onclick: () => insert(c.name) },
						units.shown(c.name)
					),
					el('span', { class: 'gw-quiet' }, ` ${units.shown(c.about)}`)
				)
			)
		)
	);
}

/**
 * @param {View} view
 * @param {HTMLElement} place
 * @param {(text: string) => void} insert
 */
export function schema(view, place, insert)
{
	append(place, el('h3', {}, 'Ready-made tables'));
	for (const name of readyMade) {
		const holder = el('div');
		append(place, holder);
		view.query(`PRAGMA table_info(${name})`).then(
			(answer) =>
				holder.replaceChildren(
					schemaTable(
						name,
						'',
						rowsOf(answer, 'query').map((r) => ({ name: String(r.name), about: String(r.type ?? '') })),
						insert
					)
				),
			(error) =>
				view.signal.aborted ||
				holder.replaceChildren(
					el(
						'p',
						{ class: 'gw-quiet' },
						el('code', {}, name),
						': ',
						units.shown(problemText(error))
					)
				)
		);
	}
	append(place, el('h3', {}, 'Tables of the export'));
	void view.part(place, 'tables', view.ask('schema'), (answer, part) => {
		const columns = rowsOf(answer, 'columns');
		for (const t of rowsOf(answer, 'tables'))
			append(
				part,
				schemaTable(
					String(t.table),
					`${units.cell(t.rows, 'count')} ${t.rows === 1 ? 'row' : 'rows'}`,
					columns
						.filter((c) => c.table === t.table)
						.map((c) => ({
							name: String(c.column),
							about: `${c.type ?? ''}${c.references ? ` → ${c.references}` : ''}${c.comment ? `; ${c.comment}` : ''}`,
						})),
					insert
				)
			);
	});
}
