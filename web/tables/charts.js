/* How does an answer look as a drawing? Shapes are SVG, coloured by the page's style alone. */
import { append, el, svg } from '../base/dom.js';

/**
 * @typedef {{name: string, className: string}} Series
 * @typedef {object} Pointed what the reader points at, by pointer or by keys
 * @property {number} count
 * @property {(x: number, y: number) => number} at which one lies there; -1: none
 * @property {(i: number) => string} text
 * @property {(i: number) => [number, number, number, number]} box
 * @property {(i: number, key: string) => number} [step] where a key leads
 * @property {(i: number) => void} [onOpen]
 */

const WIDTH_MIN = 240;
const BAR_MIN = 3;
const BAR_MOST = 48;
const BARS_MOST = 4000;
const AXIS = 62;
const LEVELS = 10;

/**
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 */
function box(x, y, w, h)
{
	return `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}z`;
}

/**
 * A frame around a drawing: draws again when its width changes, and reads out what is pointed at.
 * @param {HTMLElement} element
 * @param {string} name
 * @param {Series[]} legend
 * @param {(width: number, drawing: SVGElement) => Pointed} draw
 */
function frame(element, name, legend, draw)
{
	const readout = el('p', { class: 'gc-readout', 'aria-live': 'polite' });
	const drawing = svg('svg', { class: 'gc-svg', role: 'img', 'aria-label': name });
	const scroll = el('div', {
		class: 'gc-scroll',
		tabindex: 0,
		role: 'application',
		'aria-label': `${name}. Arrow keys move, Enter opens.`,
	});
	const keys = el(
		'div',
		{ class: 'gc-legend' },
		...legend.map((s) =>
			el(
				'span',
				{ class: 'gc-key' },
				el('span', { class: `gc-swatch ${s.className}`, 'aria-hidden': 'true' }),
				s.name
			)
		)
	);
	/** @type {Pointed | null} */
	let pointed = null;
	let current = -1;
	let width = 0;

	/** @param {number} i */
	function point(i)
	{
		drawing.querySelector('.gc-pointed')?.remove();
		current = i;
		if (!pointed || i < 0) {
			readout.textContent = '';
			return;
		}
		const [x, y, w, h] = pointed.box(i);
		append(drawing, svg('rect', { class: 'gc-pointed', x, y, width: w, height: h }));
		readout.textContent = pointed.text(i);
	}

	/** @param {MouseEvent} event */
	function under(event)
	{
		const place = drawing.getBoundingClientRect();
		return pointed ? pointed.at(event.clientX - place.left, event.clientY - place.top) : -1;
	}

	/** @param {KeyboardEvent} event */
	function onKey(event)
	{
		if (!pointed || event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === 'Enter' && current >= 0)
			pointed.onOpen?.(current);
		else if (['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(event.key)) {
			const next = pointed.step
				? pointed.step(current, event.key)
				: event.key === 'Home'
					? 0
					: event.key === 'End'
						? pointed.count - 1
						: current + (event.key === 'ArrowLeft' || event.key === 'ArrowUp' ? -1 : 1);
			point(Math.max(0, Math.min(pointed.count - 1, next)));
			const [x, , w] = pointed.box(current);
			if (x < scroll.scrollLeft || x + w > scroll.scrollLeft + scroll.clientWidth)
				scroll.scrollLeft = x - scroll.clientWidth / 2;
		} else
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	function redraw()
	{
		const now = Math.max(WIDTH_MIN, scroll.clientWidth);
		if (now === width)
			return;
		width = now;
		drawing.replaceChildren(svg('title', {}, name));
		pointed = draw(width, drawing);
		drawing.classList.toggle('gc-opens', Boolean(pointed.onOpen));
		current = Math.min(current, pointed.count - 1);
		point(current);
	}

	drawing.addEventListener('pointermove', (event) => point(under(event)));
	drawing.addEventListener('pointerleave', () => point(-1));
	drawing.addEventListener('click', (event) => {
		const i = under(event);
		if (i >= 0)
			pointed?.onOpen?.(i);
	});
	scroll.addEventListener('keydown', onKey);
	append(scroll, drawing);
	append(element, el('figure', { class: 'gc' }, legend.length > 1 && keys, scroll, readout));
	new ResizeObserver(redraw).observe(scroll);
	redraw();
}

/**
 * Lines across, with what they stand for.
 * @param {SVGElement} drawing
 * @param {number} width
 * @param {number} height of what lies above the lowest line
 * @param {number} top
 * @param {number} most
 * @param {(x: number) => string} format
 */
function grid(drawing, width, height, top, most, format)
{
	for (const share of most > 0 ? [0, 0.5, 1] : [0]) {
		const y = top + height * (1 - share);
		append(
			drawing,
			svg('line', { class: 'gc-grid', x1: AXIS, x2: width, y1: y, y2: y }),
			svg('text', { class: 'gc-label', x: AXIS - 6, y: y + 4, 'text-anchor': 'end' }, format(most * share))
		);
	}
}

/**
 * Bars of parts on top of one another; those that do not fit under `cap` end in a notch.
 * @param {HTMLElement} element
 * @param {{name: string, series: Series[], parts: number[][], marked?: boolean[], cap?: number, isWide?: boolean, format: (x: number) => string,
 *          text: (i: number) => string, onOpen?: (i: number) => void}} options `parts`: of each bar a number for each series;
 *   `isWide`: few bars fill the width
 */
export function stackedBars(element, options)
{
	const { name, series, marked = [], format, text, onOpen } = options;
	const parts = options.parts.slice(0, BARS_MOST);
	const heights = parts.map((values) => values.reduce((sum, x) => sum + x, 0));
	const tallest = heights.reduce((a, b) => Math.max(a, b), 0);
	const most = options.cap && tallest > options.cap ? options.cap : tallest;
	const top = 14,
		height = 150;

	frame(element, name, series, (width, drawing) => {
		const pitch = Math.max(
			BAR_MIN,
			Math.min(options.isWide ? Infinity : BAR_MOST, (width - AXIS) / Math.max(1, parts.length))
		);
		const bar = pitch > 6 ? pitch - 2 : pitch - 0.5;
		const full = Math.max(width, AXIS + pitch * parts.length);
		const paths = series.map(() => '');
		let notches = '',
			marks = '';

		drawing.setAttribute('width', String(full));
		drawing.setAttribute('height', String(top + height + 6));
		grid(drawing, full, height, top, most, format);
		parts.forEach((values, i) => {
			const x = AXIS + i * pitch;
			let below = 0;

			values.forEach((value, s) => {
				const high = Math.min(below + value, most),
					low = Math.min(below, most);
				below += value;
				if (high > low)
					paths[s] += box(x, top + height * (1 - high / most), bar, (height * (high - low)) / most);
			});
			if (below > most)
				notches += box(x, top + 4, bar, 2);
			if (marked[i])
				marks += `M${x + bar / 2} ${top - 3}l-4 -7h8z`;
		});
		series.forEach((s, i) => append(drawing, svg('path', { class: s.className, d: paths[i] })));
		append(drawing, svg('path', { class: 'gc-notch', d: notches }), svg('path', { class: 'gc-mark', d: marks }));
		return {
			count: parts.length,
			text,
			onOpen,
			at: (x) => (x >= AXIS && x < AXIS + pitch * parts.length ? Math.floor((x - AXIS) / pitch) : -1),
			box: (i) => [AXIS + i * pitch - 1, top, bar + 2, height],
		};
	});
	if (options.parts.length > parts.length)
		append(
			element,
			el(
				'p',
				{ class: 'gt-note' },
				`The first ${BARS_MOST} of ${options.parts.length} are drawn; the table has all.`
			)
		);
}

/**
 * Values over time, level from one point's beginning to its end.
 * @param {HTMLElement} element
 * @param {{name: string, series: Series[], points: {from: number, to: number, y: number}[][], xFormat: (x: number) => string,
 *          yFormat: (y: number) => string, onOpen?: (from: number, to: number) => void}} options
 */
export function lineChart(element, options)
{
	const { name, series, points, xFormat, yFormat, onOpen } = options;
	const all = points.flat();
	const first = all.reduce((a, p) => Math.min(a, p.from), Infinity);
	const last = all.reduce((a, p) => Math.max(a, p.to), -Infinity);
	const most = all.reduce((a, p) => Math.max(a, p.y), 0);
	const long = points.reduce((a, b) => (b.length > a.length ? b : a), points[0] ?? []);
	const top = 8,
		height = 160;

	frame(element, name, series, (width, drawing) => {
		const x = (/** @type {number} */ t) => AXIS + ((width - AXIS - 2) * (t - first)) / Math.max(1e-9, last - first);
		const y = (/** @type {number} */ v) => top + height * (1 - (most ? v / most : 0));

		drawing.setAttribute('width', String(width));
		drawing.setAttribute('height', String(top + height + 22));
		grid(drawing, width, height, top, most, yFormat);
		append(
			drawing,
			svg('text', { class: 'gc-label', x: AXIS, y: top + height + 17 }, xFormat(first)),
			svg('text', { class: 'gc-label', x: width - 2, y: top + height + 17, 'text-anchor': 'end' }, xFormat(last))
		);
		points.forEach((line, s) =>
			append(
				drawing,
				svg('path', {
					class: `gc-line ${series[s].className}`,
					d: line
						.map(
							(p, i) =>
								`${i ? 'L' : 'M'}${x(p.from).toFixed(1)} ${y(p.y).toFixed(1)}L${x(p.to).toFixed(1)} ${y(p.y).toFixed(1)}`
						)
						.join(''),
				})
			)
		);
		return {
			count: long.length,
			at: (px) => long.findIndex((p) => px >= x(p.from) && px <= x(p.to)),
			text: (i) =>
				`${xFormat(long[i].from)} to ${xFormat(long[i].to)}: ` +
				series
					.map((s, k) => {
						const p = points[k].find((q) => q.from <= long[i].from && q.to > long[i].from);
						return p ? `${s.name} ${yFormat(p.y)}` : '';
					})
					.filter(Boolean)
					.join(', '),
			box: (i) => [x(long[i].from), top, Math.max(1, x(long[i].to) - x(long[i].from)), height],
			onOpen: onOpen && ((i) => onOpen(long[i].from, long[i].to)),
		};
	});
}

/**
 * @param {string} label
 * @param {number} width it may take, in pixels
 */
function fitted(label, width)
{
	const most = Math.floor((width - 14) / 7);
	return label.length > most ? '…' + label.slice(1 - most) : label;
}

/**
 * A grid of cells, darker where there is more.
 * @param {HTMLElement} element
 * @param {{name: string, rows: string[], columns: string[], values: (number | null)[][], format: (x: number) => string,
 *          text: (row: number, column: number) => string, onOpen?: (row: number, column: number) => void}} options
 */
export function heatMap(element, options)
{
	const { name, rows, columns, values, format, text, onOpen } = options;
	const known = values.flat().filter((v) => v !== null);
	const most = known.reduce((a, b) => Math.max(a, b), 0);
	const high = 22,
		top = 4;
	const cells = rows.length * columns.length;
	const left = Math.max(AXIS, Math.min(200, 14 + 7 * rows.reduce((most, label) => Math.max(most, label.length), 0)));

	frame(element, name, [], (width, drawing) => {
		const pitch = Math.max(4, Math.min(BAR_MOST, (width - left) / Math.max(1, columns.length)));
		const paths = Array.from({ length: LEVELS }, () => '');

		drawing.setAttribute('width', String(Math.max(width, left + pitch * columns.length)));
		drawing.setAttribute('height', String(top + high * rows.length + 20));
		rows.forEach((label, r) => {
			append(
				drawing,
				svg(
					'text',
					{ class: 'gc-label', x: left - 6, y: top + high * r + 15, 'text-anchor': 'end' },
					fitted(label, left)
				)
			);
			values[r].forEach((value, c) => {
				if (value !== null)
					paths[Math.min(LEVELS - 1, Math.floor((LEVELS * value) / (most || 1)))] += box(
						left + c * pitch,
						top + high * r,
						pitch - 1,
						high - 1
					);
			});
		});
		paths.forEach((d, level) => append(drawing, svg('path', { class: `gc-heat gc-heat-${level}`, d })));
		const every = Math.ceil(40 / pitch);
		columns.forEach(
			(label, c) =>
				c % every === 0 &&
				append(
					drawing,
					svg('text', { class: 'gc-label', x: left + c * pitch, y: top + high * rows.length + 14 }, label)
				)
		);
		return {
			count: cells,
			text: (i) => text(Math.floor(i / columns.length), i % columns.length),
			at: (x, y) => {
				const c = Math.floor((x - left) / pitch),
					r = Math.floor((y - top) / high);
				return c >= 0 && c < columns.length && r >= 0 && r < rows.length ? r * columns.length + c : -1;
			},
			box: (i) => [
				left + (i % columns.length) * pitch,
				top + Math.floor(i / columns.length) * high,
				pitch - 1,
				high - 1,
			],
			step: (i, key) => {
				const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns.length, ArrowDown: columns.length }[key];
				if (by === undefined)
					return key === 'Home' ? 0 : cells - 1;
				return i < 0 ? 0 : i + by >= 0 && i + by < cells ? i + by : i;
			},
			onOpen: onOpen && ((i) => onOpen(Math.floor(i / columns.length), i % columns.length)),
		};
	});
	if (known.length)
		append(
			element,
			el(
				'p',
				{ class: 'gc-scale' },
				format(0),
				' ',
				...Array.from({ length: LEVELS }, (_, i) =>
					el('span', { class: `gc-swatch gc-heat gc-heat-${i}`, 'aria-hidden': 'true' })
				),
				' ',
				format(most)
			)
		);
}
