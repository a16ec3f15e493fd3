/* How is a table of an answer read: sorted, filtered, walked by keys, copied? */
import { append, copy, el, freshId, withCode } from '../base/dom.js';
import { copies } from './table_copy.js';
import * as units from '../base/units.js';

/**
 * @typedef {{key: string, title?: string, unit?: string}} Column
 * @typedef {Record<string, unknown>} Row
 * @typedef {{name: string, columns: Column[], rows: Row[], total_rows: number}} AnswerTable
 * @typedef {{tables?: AnswerTable[], notes?: string[], warnings?: string[], window?: unknown}} Answer
 * @typedef {object} Options
 * @property {Column[]} columns
 * @property {Row[]} rows
 * @property {{key: string, down?: boolean}} [sort] by which column at first; unless said, as they come
 * @property {(row: Row) => void} [onOpen] what Enter and a click do
 * @property {string} [name] what the table is called, for people and for what is copied
 * @property {number} [total] how many rows there are where not all are at hand
 * @property {boolean} [exact] values as they are, with all their digits and letters, below the columns' own names
 * @property {boolean} [plain] without a filter and copying: a few rows within something else
 * @typedef {{element: HTMLElement, select(key: unknown): void, filter(text: string): void}} Shown
 */

/** A table with more rows has only those in the page that are in sight. */
const VIRTUAL_FROM = 500;
const ROW_HEIGHT = 28;
const SPARE_ROWS = 12;

/**
 * The order of two values; what is not known comes last, whichever way.
 * @param {unknown} a
 * @param {unknown} b
 * @param {boolean} down
 */
function compare(a, b, down)
{
	if (a === null || a === undefined || b === null || b === undefined)
		return Number(a === null || a === undefined) - Number(b === null || b === undefined);
	const order =
		typeof a === 'string' || typeof b === 'string'
			? String(a).localeCompare(String(b), 'en', { numeric: true })
			: Number(a) - Number(b);
	return down ? -order : order;
}

/** @param {Column} column */
function isShare(column)
{
	return column.unit === 'percent' && !/change|delta|trend|uncertain|margin/.test(column.key);
}

/**
 * The name that the query gave: a title is without the unit that a key has at its end.
 * @param {Column} column
 */
function exactName({ key, title = key })
{
	const unit = key.slice(title.length);

	return units.safe(/^_[a-z_]+$/.test(unit) ? title + unit : title);
}

/** @param {unknown} value */
function exactText(value)
{
	if (typeof value === 'number')
		return units.exact(value);
	return typeof value === 'string' ? units.safe(value) : units.cell(value);
}

/**
 * A value as it is; what it means to a person is told when it is pointed at.
 * @param {Row} row
 * @param {Column} column
 */
function exactCell(row, column)
{
	const value = row[column.key], isNumber = typeof value === 'number';
	const td = el('td', { class: isNumber ? 'gt-number' : 'gt-text' });
	const text = exactText(value);

	append(td, isNumber ? text : el('div', { class: 'gt-exact', dir: 'auto' }, text));
	if (isNumber && units.cell(value, column.unit) !== text)
		td.title = units.cell(value, column.unit);
	return td;
}

/**
 * @param {Row} row
 * @param {Column} column
 */
function tableCell(row, column)
{
	const value = row[column.key];
	const text = units.cell(value, column.unit);
	const isNumber = units.isNumber(column.unit) && typeof value !== 'string';
	const td = el('td', { class: isNumber ? 'gt-number' : 'gt-text' });

	if (typeof value === 'number' && isShare(column)) {
		const bar = el('span', { class: 'gt-bar', 'aria-hidden': 'true' });

		bar.style.width = `${Math.max(0, Math.min(100, value))}%`;
		append(td, el('span', { class: 'gt-share' }, bar, el('span', {}, text)));
		return td;
	}
	append(td, isNumber ? text : el('div', { class: 'gt-clamp', dir: 'auto' }, text));
	if (typeof value === 'string' && (value.length > 30 || text !== value))
		td.title = units.safe(value.slice(0, 2000));
	return td;
}

class Table {
	/** @param {Options} options */
	constructor(options)
	{
		this.options = options;
		this.columns = options.columns;
		this.all = options.rows;
		this.rows = options.rows.slice();
		/** @type {{key: string, down: boolean} | null} */
		this.sort = options.sort ? { key: options.sort.key, down: options.sort.down ?? true } : null;
		this.words = '';
		/** @type {Map<Row, string>} */
		this.texts = new Map();
		/** @type {Row | null} the one that was opened last */
		this.opened = null;
		this.active = 0;
		this.first = -1;
		this.isVirtual = options.rows.length > VIRTUAL_FROM;
		this.build();
		this.order();
	}

	build()
	{
		const { name = 'rows', plain } = this.options;
		const caption = freshId('gt-caption');

		this.head = el('tr');
		this.body = el('tbody');
		this.says = el('span', { class: 'gt-says', 'aria-live': 'polite' });
		this.scroll = el(
			'div',
			{
				class: 'gt-scroll' + (this.isVirtual ? ' gt-virtual' : ''),
				role: 'group',
				'aria-labelledby': caption,
				tabindex: 0,
			},
			el(
				'table',
				{ class: 'gt-table', 'aria-rowcount': this.all.length + 1 },
				el('caption', { class: 'gt-hidden', id: caption }, name),
				el('thead', {}, this.head),
				this.body
			)
		);
		this.element = el('div', { class: 'gt' }, plain ? null : this.tools(), this.scroll);
		this.scroll.addEventListener('scroll', () => this.isVirtual && this.draw());
		this.body.addEventListener('keydown', (event) => this.onKey(event));
		this.body.addEventListener('click', (event) => this.onClick(event));
		for (const column of this.columns)
			append(this.head, this.heading(column));
	}

	tools()
	{
		const { name = 'rows' } = this.options;
		const filter = el('input', {
			type: 'search',
			class: 'gt-filter',
			placeholder: 'filter',
			spellcheck: 'false',
			autocomplete: 'off',
			'aria-label': `Filter ${name} by text`,
		});

		filter.addEventListener('input', () => this.filter(filter.value));
		this.filterBox = filter;
		return el(
			'div',
			{ class: 'gt-tools' },
			filter,
			this.says,
			el(
				'span',
				{ class: 'gt-copies', role: 'group', 'aria-label': `Copy ${name}` },
				'copy as ',
				...Object.keys(copies).map((kind) =>
					el('button', { type: 'button', class: 'gt-button', onclick: () => void this.copy(kind) }, kind)
				)
			)
		);
	}

	/** @param {Column} column */
	heading(column)
	{
		const isNumber = units.isNumber(column.unit);
		const button = el(
			'button',
			{ type: 'button', class: 'gt-sort', onclick: () => this.sortBy(column, isNumber) },
			this.options.exact ? exactName(column) : column.title ?? units.title(column.key)
		);
		return el('th', { scope: 'col', class: isNumber ? 'gt-number' : 'gt-text' }, button);
	}

	/**
	 * @param {Column} column
	 * @param {boolean} isNumber
	 */
	sortBy(column, isNumber)
	{
		const down = this.sort?.key === column.key ? !this.sort.down : isNumber;

		this.sort = { key: column.key, down };
		this.order();
	}

	/** @param {string} words */
	filter(words)
	{
		this.words = words.trim().toLowerCase();
		if (this.filterBox && this.filterBox.value.trim().toLowerCase() !== this.words)
			this.filterBox.value = words;
		this.order();
	}

	/** @param {Row} row what the filter looks in */
	textOf(row)
	{
		let text = this.texts.get(row);

		if (text === undefined) {
			text = this.columns
				.map((c) => (typeof row[c.key] === 'string' ? row[c.key] : units.cell(row[c.key], c.unit)) +
					(this.options.exact && typeof row[c.key] === 'number' ? ` ${row[c.key]} ${exactText(row[c.key])}` : ''))
				.join('\n')
				.toLowerCase();
			this.texts.set(row, text);
		}
		return text;
	}

	/** Sorts, filters, and shows it from its beginning. */
	order()
	{
		const sort = this.sort;

		this.rows = this.words ? this.all.filter((row) => this.textOf(row).includes(this.words)) : this.all.slice();
		if (sort)
			this.rows.sort((a, b) => compare(a[sort.key], b[sort.key], sort.down));
		this.columns.forEach((column, i) =>
			this.head?.children[i].setAttribute(
				'aria-sort',
				sort?.key !== column.key ? 'none' : sort.down ? 'descending' : 'ascending'
			)
		);
		this.active = 0;
		this.first = -1;
		if (this.scroll)
			this.scroll.scrollTop = 0;
		this.draw();
		this.sayRows();
	}

	sayRows()
	{
		const total = Math.max(this.options.total ?? 0, this.all.length);
		const shown = units.count(this.rows.length);

		if (this.says)
			this.says.textContent =
				this.rows.length === total
					? `${shown} ${total === 1 ? 'row' : 'rows'}`
					: `${shown} of ${units.count(total)} rows`;
	}

	draw()
	{
		if (!this.body || !this.scroll)
			return;
		const sight = Math.ceil((this.scroll.clientHeight || 600) / ROW_HEIGHT);
		const first = this.isVirtual
			? Math.max(
					0,
					Math.min(Math.floor(this.scroll.scrollTop / ROW_HEIGHT), this.rows.length - sight) - SPARE_ROWS
				)
			: 0;
		const end = this.isVirtual ? Math.min(this.rows.length, first + sight + 2 * SPARE_ROWS) : this.rows.length;

		if (this.isVirtual && this.first >= 0 && Math.abs(first - this.first) < SPARE_ROWS / 2)
			return;
		const hadFocus = this.body.contains(document.activeElement);
		this.first = first;
		this.body.replaceChildren();
		append(
			this.body,
			this.space(first),
			...this.rows.slice(first, end).map((row, i) => this.row(row, first + i)),
			this.space(this.rows.length - end)
		);
		if (!this.rows.length)
			append(
				this.body,
				el(
					'tr',
					{},
					el(
						'td',
						{ class: 'gt-none', colspan: this.columns.length },
						this.all.length ? 'No row has this text.' : 'No rows.'
					)
				)
			);
		if (hadFocus)
			this.rowAt(this.active)?.focus({ preventScroll: true });
	}

	/** @param {number} rows that are not in the page */
	space(rows)
	{
		if (rows <= 0)
			return null;
		const td = el('td', { colspan: this.columns.length, class: 'gt-space' });
		td.style.height = `${rows * ROW_HEIGHT}px`;
		return el('tr', { 'aria-hidden': 'true' }, td);
	}

	/**
	 * @param {Row} row
	 * @param {number} at
	 */
	row(row, at)
	{
		const tr = el('tr', {
			class: this.options.onOpen ? 'gt-row gt-opens' : 'gt-row',
			'data-at': at,
			'aria-rowindex': at + 2,
			tabindex: at === this.active ? 0 : -1,
			'aria-current': row === this.opened && 'true',
		});

		for (const column of this.columns)
			append(tr, this.options.exact ? exactCell(row, column) : tableCell(row, column));
		return tr;
	}

	/**
	 * @param {number} at
	 * @returns {HTMLElement | null}
	 */
	rowAt(at)
	{
		return this.body?.querySelector(`tr[data-at="${at}"]`) ?? null;
	}

	/** @param {number} at the row that gets the focus */
	move(at)
	{
		const next = Math.max(0, Math.min(this.rows.length - 1, at));

		this.rowAt(this.active)?.setAttribute('tabindex', '-1');
		this.active = next;
		if (this.isVirtual && this.scroll && !this.rowAt(next)) {
			this.scroll.scrollTop = next * ROW_HEIGHT;
			this.draw();
		}
		const row = this.rowAt(next);
		row?.setAttribute('tabindex', '0');
		row?.focus({ preventScroll: true });
		row?.scrollIntoView({ block: 'nearest' });
	}

	/** @param {KeyboardEvent} event */
	onKey(event)
	{
		const page = 10;
		/** @type {Record<string, number>} */
		const to = {
			ArrowDown: this.active + 1,
			ArrowUp: this.active - 1,
			PageDown: this.active + page,
			PageUp: this.active - page,
			Home: 0,
			End: this.rows.length - 1,
		};

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (Object.hasOwn(to, event.key))
			this.move(to[event.key]);
		else if (event.key === 'Enter' && this.options.onOpen)
			this.open(this.active);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	/** @param {MouseEvent} event */
	onClick(event)
	{
		const tr = event.target instanceof Element ? event.target.closest('tr[data-at]') : null;

		if (!tr || String(getSelection() ?? ''))
			return;
		this.move(Number(tr.getAttribute('data-at')));
		this.open(this.active);
	}

	/** @param {number} at */
	open(at)
	{
		if (!this.options.onOpen || !this.rows[at])
			return;
		this.body?.querySelector('[aria-current]')?.removeAttribute('aria-current');
		this.rowAt(at)?.setAttribute('aria-current', 'true');
		this.opened = this.rows[at];
		this.options.onOpen(this.opened);
	}

	/** @param {unknown} key of the row that is to have the focus */
	select(key)
	{
		const at = this.rows.findIndex((row) => row.key === key);
		if (at >= 0)
			this.move(at);
	}

	/** @param {string} kind */
	async copy(kind)
	{
		const done = await copy(copies[kind](this.columns, this.rows));

		if (this.says)
			this.says.textContent = done
				? `${units.count(this.rows.length)} ${this.rows.length === 1 ? 'row' : 'rows'} copied as ${kind}`
				: 'The browser does not allow copying.';
	}
}

/**
 * Shows rows as a table at the end of `element`.
 * @param {HTMLElement} element
 * @param {Options} options
 * @returns {Shown}
 */
export function table(element, options)
{
	const made = new Table(options);
	const shown = /** @type {HTMLElement} */ (made.element);

	append(element, shown);
	return { element: shown, select: (key) => made.select(key), filter: (text) => made.filter(text) };
}

/**
 * The lines that go with an answer: what to keep in mind about it.
 * @param {HTMLElement} element
 * @param {Answer} answer
 */
export function answerLines(element, answer)
{
	for (const text of answer.warnings ?? [])
		append(
			element,
			el('p', { class: 'gt-warning' }, el('strong', {}, 'Warning: '), ...withCode(units.safe(text)))
		);
	for (const text of answer.notes ?? [])
		append(element, el('p', { class: 'gt-note' }, ...withCode(units.safe(text))));
}

/**
 * One table of an answer, with the answer's notes and warnings.
 * @param {HTMLElement} element
 * @param {Answer} answer
 * @param {string | null} tableName the first unless said
 * @param {Partial<Options> & {only?: string[], hide?: string[], titles?: Record<string, string>,
 *   brief?: Record<string, string>, lines?: boolean}} [options]
 *   `only`, `hide`: columns by key; `brief`: titles where there is little room; `lines`: false where the notes stand elsewhere
 * @returns {Shown | null} null where the answer has no such table
 */
export function answerTable(element, answer, tableName, options = {})
{
	const found = (answer.tables ?? []).find((t) => !tableName || t.name === tableName);
	const { only, hide, titles = {}, brief = {}, lines = true, ...rest } = options;

	if (found) {
		/* A column in which no row has a value says nothing. */
		const columns = found.columns
			.filter((c) => (only ? only.includes(c.key) : !hide?.includes(c.key)))
			.filter((c) => !found.rows.length || found.rows.some((r) => r[c.key] !== null && r[c.key] !== undefined))
			.map((c) => ({ ...c, title: brief[c.key] ?? c.title ?? titles[c.key] }));
		const shown = table(element, {
			name: units.title(found.name),
			rows: found.rows,
			total: found.total_rows,
			...rest,
			columns,
		});
		if (lines)
			answerLines(element, answer);
		return shown;
	}
	if (lines)
		answerLines(element, answer);
	return null;
}
