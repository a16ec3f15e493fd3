/* Where does time go inside ranges, or calls, that lie in one another? A drawing that zooms. */
import { append, el, freshId } from '../base/dom.js';

/**
 * @typedef {Record<string, unknown> & {name: string, kind: string, children: Node[]}} Node
 * @typedef {object} Options
 * @property {string} name
 * @property {Node[]} roots
 * @property {string} key what the width stands for
 * @property {(node: Node) => string} label
 * @property {(node: Node) => string} text in full, for the line below
 * @property {(node: Node) => void} [onShow] to the timeline
 */

const LEVEL_HEIGHT = 24;
const LEVELS_MOST = 24;
/** Of the width: what is narrower is left out. */
const LEAST = 0.0015;

/**
 * @param {Node} node
 * @param {string} key
 */
function valueOf(node, key)
{
	const value = node[key];
	return typeof value === 'number' && value > 0 ? value : 0;
}

class Icicle {
	/** @param {Options} options */
	constructor(options)
	{
		this.options = options;
		/** @type {Node} */
		this.all = { name: 'all', kind: 'all', children: options.roots };
		/** @type {Map<Node, Node>} */
		this.parents = new Map();
		this.adopt(this.all);
		this.top = options.roots.length === 1 ? options.roots[0] : this.all;
		/** @type {Map<Node, HTMLElement>} */
		this.boxes = new Map();
		this.active = this.top;
		this.path = el('nav', { class: 'gi-path', 'aria-label': 'Zoomed into' });
		this.field = el('div', {
			class: 'gi-field',
			role: 'tree',
			tabindex: 0,
			'aria-label': `${options.name}. Arrow keys move, Enter zooms in, Backspace zooms out.`,
		});
		this.readout = el('p', { class: 'gc-readout', 'aria-live': 'polite' });
		this.show = el(
			'button',
			{ type: 'button', class: 'gt-button', onclick: () => options.onShow?.(this.active) },
			'show in timeline'
		);
		this.element = el(
			'div',
			{ class: 'gi' },
			this.path,
			this.field,
			el('div', { class: 'gi-foot' }, this.readout, options.onShow ? this.show : null)
		);
		this.field.addEventListener('keydown', (event) => this.onKey(event));
		this.draw();
	}

	/** @param {Node} node */
	adopt(node)
	{
		/* No recursion: a tree from a trace may be as deep as it likes. */
		const open = [node];
		for (let at = open.pop(); at; at = open.pop())
			for (const child of at.children) {
				this.parents.set(child, at);
				open.push(child);
			}
	}

	draw()
	{
		this.boxes.clear();
		this.field.replaceChildren();
		this.deepest = 0;
		this.drawPath();
		if (this.top !== this.all)
			this.place(this.top, 0, 1, 0);
		else
			this.placeChildren(this.all, 0, 1, -1);
		this.field.style.height = `${(this.deepest + 1) * LEVEL_HEIGHT}px`;
		this.activate(this.boxes.has(this.active) ? this.active : (this.boxes.keys().next().value ?? this.top));
	}

	drawPath()
	{
		/** @type {Node[]} */
		const above = [];
		for (let node = this.parents.get(this.top); node; node = this.parents.get(node))
			above.unshift(node);
		this.path.replaceChildren();
		for (const node of above.filter((n) => n !== this.all || this.options.roots.length > 1))
			append(
				this.path,
				el(
					'button',
					{ type: 'button', class: 'gi-crumb', onclick: () => this.zoom(node) },
					this.labelOf(node)
				),
				el('span', { 'aria-hidden': 'true' }, ' › ')
			);
		append(this.path, el('strong', {}, this.labelOf(this.top)));
	}

	/** @param {Node} node */
	labelOf(node)
	{
		return node === this.all ? 'all' : this.options.label(node);
	}

	/**
	 * @param {Node} node
	 * @param {number} left of the width
	 * @param {number} width
	 * @param {number} level
	 */
	place(node, left, width, level)
	{
		const box = el(
			'div',
			{
				class: `gi-box gi-${node.kind}`,
				role: 'treeitem',
				id: freshId('gi'),
				dir: 'auto',
				'aria-level': level + 1,
				title: this.options.text(node),
			},
			this.options.label(node)
		);

		box.style.left = `${left * 100}%`;
		box.style.width = `${width * 100}%`;
		box.style.top = `${level * LEVEL_HEIGHT}px`;
		box.addEventListener('click', () => {
			this.activate(node);
			this.zoom(node.children.length ? node : this.top);
		});
		box.addEventListener('pointerenter', () => this.read(node));
		box.addEventListener('pointerleave', () => this.read(this.active));
		this.boxes.set(node, box);
		this.deepest = Math.max(this.deepest ?? 0, level);
		append(this.field, box);
		this.placeChildren(node, left, width, level);
	}

	/**
	 * @param {Node} node
	 * @param {number} left
	 * @param {number} width
	 * @param {number} level
	 */
	placeChildren(node, left, width, level)
	{
		const { key } = this.options;
		const inside = node.children.reduce((sum, child) => sum + valueOf(child, key), 0);
		const whole = Math.max(valueOf(node, key), inside);

		if (level + 1 >= LEVELS_MOST || !whole)
			return;
		for (const child of node.children) {
			const share = (width * valueOf(child, key)) / whole;
			if (share >= LEAST)
				this.place(child, left, share, level + 1);
			left += share;
		}
	}

	/** @param {Node} node */
	zoom(node)
	{
		if (node === this.top)
			return;
		this.top = node;
		this.active = node;
		this.draw();
	}

	/** @param {string} name the first node that is called so */
	zoomTo(name)
	{
		for (const node of this.parents.keys())
			if (node.name === name) {
				this.zoom(node);
				return true;
			}
		return false;
	}

	/** @param {Node} node */
	activate(node)
	{
		this.boxes.get(this.active)?.classList.remove('gi-active');
		this.active = node;
		const box = this.boxes.get(node);
		box?.classList.add('gi-active');
		if (box)
			this.field.setAttribute('aria-activedescendant', box.id);
		this.read(node);
	}

	/** @param {Node} node */
	read(node)
	{
		this.readout.textContent = node === this.all ? '' : this.options.text(node);
	}

	/** @param {KeyboardEvent} event */
	onKey(event)
	{
		const parent = this.parents.get(this.active);
		const shown = parent?.children.filter((n) => this.boxes.has(n)) ?? [];
		const at = shown.indexOf(this.active);
		/** @type {Record<string, () => Node | undefined>} */
		const moves = {
			ArrowLeft: () => shown[at - 1],
			ArrowRight: () => shown[at + 1],
			ArrowUp: () => (this.active === this.top ? undefined : parent),
			ArrowDown: () => this.active.children.find((n) => this.boxes.has(n)),
		};

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (Object.hasOwn(moves, event.key)) {
			const next = moves[event.key]();
			if (next && this.boxes.has(next))
				this.activate(next);
		} else if (event.key === 'Enter')
			this.zoom(this.active.children.length ? this.active : this.top);
		else if (event.key === 'Backspace' || event.key === 'Escape') {
			const up = this.parents.get(this.top);
			if (!up || (up === this.all && this.options.roots.length === 1))
				return;
			this.zoom(up);
		} else
			return;
		event.preventDefault();
		event.stopPropagation();
	}
}

/**
 * @param {HTMLElement} element
 * @param {Options} options
 */
export function icicle(element, options)
{
	const made = new Icicle(options);

	append(element, made.element);
	return made;
}
