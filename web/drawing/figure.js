/* The window as a figure: with the names of its rows, to be saved or printed. */
import { ScreenCanvas } from './canvas.js';
import { SvgCanvas } from './canvas_svg.js';
import { byId, download } from '../base/dom.js';
import { drawRows, rowTop, seenClasses } from './draw.js';
import { GROUPS } from './legend.js';
import { readLook } from './theme.js';
import { drawGrid, drawRuler, RULER_HEIGHT } from './ruler.js';
import { fitText, textWidth } from './text_fit.js';
import { ns, shown, time } from '../base/units.js';

const LABELS = 170, TITLE = 26, LEAST_WIDTH = 700;

const LEGEND_LINE = 17, SWATCH = 10;

/** @typedef {import('./canvas.js').Canvas} Canvas */
/** @typedef {{title: string, classes: [number, string][]}} LegendLine classes that are seen, by number */

/**
 * Draws a part of the picture elsewhere.
 * @param {Canvas} c
 * @param {number} dx
 * @param {number} dy
 * @returns {Canvas}
 */
function moved(c, dx, dy)
{
	return {
		begin: () => {},
		rect: (x, y, w, h, colour, alpha) => c.rect(x + dx, y + dy, w, h, colour, alpha),
		rects: (list, colour) => {
			for (let i = 0; i < list.length; i += 4) {
				list.numbers[i] += dx;
				list.numbers[i + 1] += dy;
			}
			c.rects(list, colour);
		},
		frame: (x, y, w, h, colour, width) => c.frame(x + dx, y + dy, w, h, colour, width),
		line: (x0, y0, x1, y1, colour, width, dashed) => c.line(x0 + dx, y0 + dy, x1 + dx, y1 + dy, colour, width, dashed),
		arrow: (x0, y0, x1, y1, colour) => c.arrow(x0 + dx, y0 + dy, x1 + dx, y1 + dy, colour),
		text: (x, y, text, colour, align, bold) => c.text(x + dx, y + dy, text, colour, align, bold),
		columns: (x, y, h, columns, look, style) => c.columns(x + dx, y + dy, h, columns, look, style),
		clip: (x, y, w, h) => c.clip(x + dx, y + dy, w, h),
		unclip: () => c.unclip(),
	};
}

/**
 * @param {import('../app/app.js').App} app
 * @returns {import('./draw.js').Picture} as it is seen, with nothing chosen or searched for
 */
function plainPicture(app)
{
	const seen = /** @type {import('../timeline/timeline.js').Timeline} */ (app.timeline).picture();

	return { ...seen, width: Math.max(LEAST_WIDTH, seen.width), height: Math.min(seen.height, app.rows.height - seen.scrolled), look: readLook(), found: null, chosen: null };
}

/**
 * What the colours that are seen stand for: a line for each kind of row, as they have colours of their own.
 * @param {import('./draw.js').Picture} p
 * @returns {LegendLine[]}
 */
function legendLines(p)
{
	/** @type {LegendLine[]} */
	const lines = [];

	for (const [kinds, title] of GROUPS) {
		/** @type {Map<number, string>} */
		const classes = new Map();

		for (const row of p.rows.filter((r) => kinds.includes(r.track.kind))) {
			for (const kind of seenClasses(p, row)) {
				if (row.track.classes[kind])
					classes.set(kind, row.track.classes[kind]);
			}
		}
		if (classes.size)
			lines.push({ title, classes: [...classes].sort(([x], [y]) => x - y) });
	}
	return lines;
}

/**
 * @param {Canvas} c
 * @param {LegendLine[]} lines
 * @param {import('./theme.js').Look} look
 * @param {number} top
 */
function drawLegend(c, lines, look, top)
{
	lines.forEach(({ title, classes }, i) => {
		const y = top + LEGEND_LINE * (i + 0.5) + 3;
		let x = LABELS;

		c.text(4, y, title, look.colours.dim);
		for (const [kind, name] of classes) {
			const text = shown(name);

			c.rect(x, y - SWATCH / 2, SWATCH, SWATCH, look.classes[kind]);
			c.text(x + SWATCH + 5, y, text, look.colours.fg);
			x += SWATCH + 5 + textWidth(text) + 14;
		}
	});
}

/** @param {import('./draw.js').Picture} p @param {LegendLine[]} legend */
const figureHeight = (p, legend) => TITLE + RULER_HEIGHT + p.height + (legend.length ? LEGEND_LINE * legend.length + 6 : 0);

/**
 * A pinned row stands by itself: with its whole name, and apart from those below, which are no part of it.
 * @param {Canvas} c
 * @param {import('./draw.js').Picture} p
 * @param {number} top
 */
function drawLabels(c, p, top)
{
	const { colours } = p.look;

	for (const row of p.rows.filter((r) => r.lane === 0)) {
		const y = rowTop(p, row) + row.height / 2, indent = row.pinned ? 0 : row.track.depth * 10;
		const text = shown(row.pinned ? `◆ ${row.track.name}` : row.track.label);

		if (row.pinned || y > p.pinnedHeight)
			c.text(4 + indent, top + y, fitText(text, LABELS - 10 - indent), colours.fg);
	}
	if (p.pinnedHeight)
		c.rect(0, top + p.pinnedHeight - 1, LABELS, 1, colours.dim);
}

/**
 * @param {Canvas} c
 * @param {import('../app/app.js').App} app
 * @param {import('./draw.js').Picture} p
 * @param {LegendLine[]} legend
 */
function drawFigure(c, app, p, legend)
{
	const { colours } = p.look, top = TITLE + RULER_HEIGHT, [b, e] = p.window;
	const names = app.session.captures.map((t) => t.name ?? t.path.split('/').pop()).join(', ');

	c.rect(0, 0, LABELS + p.width, figureHeight(p, legend), colours.bg);
	drawRuler(moved(c, LABELS, TITLE), p, app.state.is.relative);
	drawRows(moved(c, LABELS, top), p);
	drawGrid(moved(c, LABELS, top), p, app.state.is.relative);
	c.rect(0, 0, LABELS, top + p.height, colours.bg);
	drawLabels(c, p, top);
	c.text(4, TITLE / 2, fitText(`${shown(names)}: ${ns(e - b)} from ${time(b)}`, LABELS + p.width - 8), colours.fg, 'start', true);
	/* A row may reach below the last that is seen as a whole. */
	c.rect(0, top + p.height, LABELS + p.width, figureHeight(p, legend) - top - p.height, colours.bg);
	drawLegend(c, legend, p.look, top + p.height);
}

/** @param {import('../app/app.js').App} app */
function svgText(app)
{
	const p = plainPicture(app), legend = legendLines(p), c = new SvgCanvas();

	c.begin(LABELS + p.width, figureHeight(p, legend));
	drawFigure(c, app, p, legend);
	return c.toString();
}

/** @param {import('../app/app.js').App} app */
export function saveSvg(app)
{
	download(new Blob([svgText(app)], { type: 'image/svg+xml' }), 'gpuwhy-window.svg');
}

/** @param {import('../app/app.js').App} app */
export async function savePng(app)
{
	const p = plainPicture(app), legend = legendLines(p), element = document.createElement('canvas'), c = new ScreenCanvas(element);

	c.begin(LABELS + p.width, figureHeight(p, legend), p.scale);
	drawFigure(c, app, p, legend);
	/** @type {?Blob} */
	const blob = await new Promise((resolve) => element.toBlob(resolve));
	if (blob)
		download(blob, 'gpuwhy-window.png');
}

/**
 * What is printed is the figure, in light colours, in place of the page.
 * @param {import('../app/app.js').App} app
 */
export function startPrinting(app)
{
	const root = document.documentElement;
	/** @type {string | undefined} */
	let theme;

	addEventListener('beforeprint', () => {
		if (app.state.is.tab !== 'timeline')
			return;
		theme = root.dataset.theme;
		root.dataset.theme = 'light';
		const drawing = new DOMParser().parseFromString(svgText(app), 'image/svg+xml').documentElement;
		byId('figure').replaceChildren(document.importNode(drawing, true));
		root.dataset.prints = 'timeline';
	});
	addEventListener('afterprint', () => {
		if (root.dataset.prints !== 'timeline')
			return;
		delete root.dataset.prints;
		byId('figure').replaceChildren();
		if (theme)
			root.dataset.theme = theme;
		else
			delete root.dataset.theme;
	});
}
