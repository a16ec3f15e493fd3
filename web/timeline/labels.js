/* What is each row called? A tree of labels beside the canvas, for eyes, pointers and readers. */
import { el } from '../base/dom.js';
import { shown } from '../base/units.js';

/**
 * @typedef {import('./rows.js').Row} Row
 * @typedef {object} Actions
 * @property {(row: Row) => void} choose
 * @property {(row: Row) => void} fold
 * @property {(row: Row) => void} pin
 * @property {(row: Row) => void} hide
 * @property {(row: Row) => void} whole all its lanes, or no more
 */

export class Labels {
	/**
	 * @param {HTMLElement} tree
	 * @param {HTMLElement} pinned
	 * @param {HTMLElement} others
	 * @param {import('./rows.js').Rows} rows
	 * @param {Actions} actions
	 */
	constructor(tree, pinned, others, rows, actions)
	{
		this.tree = tree;
		this.pinned = pinned;
		this.others = others;
		this.rows = rows;
		this.actions = actions;
		this.setChosen(null, null);
	}

	/** Rows have changed. */
	list()
	{
		/** @type {HTMLElement[]} */
		const pinned = [];
		/** @type {HTMLElement[]} */
		const others = [];

		for (const row of this.rows.all)
			(row.pinned ? pinned : others).push(this.label(row));
		this.pinned.replaceChildren(...pinned);
		this.others.replaceChildren(...others);
		this.pinned.style.height = `${this.rows.pinnedHeight}px`;
		this.others.style.height = `${this.rows.height - this.rows.pinnedHeight}px`;
	}

	/** @param {Row} row */
	static id(row)
	{
		return `row-${row.track.number}-${row.lane}`;
	}

	/** @param {Row} row */
	label(row)
	{
		const { track, lane } = row, top = row.pinned ? row.y : row.y - this.rows.pinnedHeight;
		const label = el('div', {
			class: lane ? 'label lane' : 'label', id: Labels.id(row), role: 'treeitem',
			'aria-level': track.depth + 1, 'aria-expanded': row.parent ? String(!row.folded) : null,
			'aria-label': this.spoken(row),
			'aria-selected': 'false', title: shown(track.name), onclick: () => this.actions.choose(row),
		}, ...(lane ? [this.laneName(row)] : this.name(row)));

		label.style.top = `${top}px`;
		label.style.height = `${row.height}px`;
		label.style.paddingInlineStart = `${4 + Math.min(track.depth, 6) * 12}px`;
		return label;
	}

	/** @param {Row} row */
	spoken({ track, lane })
	{
		const hidden = track.lanes - this.rows.lanesShown(track);

		if (lane)
			return `${track.name}, ${track.nested ? 'level' : 'lane'} ${lane + 1}`;
		return hidden > 0 ? `${track.name} +${hidden}` : track.name;
	}

	/** @param {Row} row */
	laneName(row)
	{
		return el('span', { class: 'number', text: row.track.nested || row.track.kind === 'findings' ? String(row.lane + 1) : '' });
	}

	/** @param {Row} row */
	name(row)
	{
		const { track } = row, hidden = track.lanes - this.rows.lanesShown(track);
		const isWhole = this.rows.whole.has(track.name);

		return [
			row.parent ? this.act(row, row.folded ? '▸' : '▾', 'fold', `${row.folded ? 'unfold' : 'fold'} (z)`)
				: el('span', { class: 'fold' }),
			el('span', { class: 'name', text: shown(track.label) }),
			hidden > 0 || isWhole ? this.act(row, isWhole ? '−' : `+${hidden}`, 'whole',
				isWhole ? 'fewer lanes' : `${hidden} more ${track.nested ? 'levels' : 'lanes'}`) : null,
			this.act(row, row.pinned ? '◆' : '◇', 'pin', row.pinned ? 'unpin (p)' : 'keep at the top (p)'),
			this.act(row, '×', 'hide', 'hide the row (x)'),
		].filter((n) => n !== null);
	}

	/**
	 * Keys do the same: these are for the pointer, and no stops of Tab.
	 * @param {Row} row
	 * @param {string} text
	 * @param {'fold' | 'pin' | 'hide' | 'whole'} what
	 * @param {string} title
	 */
	act(row, text, what, title)
	{
		return el('button', {
			type: 'button', class: what, text, title, 'aria-label': title, tabindex: -1,
			onclick: (/** @type {Event} */ e) => {
				e.stopPropagation();
				this.actions[what](row);
			},
		});
	}

	/**
	 * @param {?{track: number, lane: number}} chosen
	 * @param {?Set<number>} found tracks with hits; the others are pale
	 */
	setChosen(chosen, found)
	{
		for (const row of this.rows.all) {
			const label = document.getElementById(Labels.id(row));
			const is = chosen !== null && row.track.number === chosen.track && row.lane === chosen.lane;

			label?.setAttribute('aria-selected', String(is));
			label?.classList.toggle('pale', found !== null && !found.has(row.track.number));
			if (is)
				this.tree.setAttribute('aria-activedescendant', Labels.id(row));
		}
	}
}
