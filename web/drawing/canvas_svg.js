/* A picture as SVG: to be saved, and to be printed sharply. */
import { arrowBend, filled } from './canvas.js';

/** @param {string} text */
const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)
	.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '�');

/** @param {number} n */
const short = (n) => String(Math.round(n * 100) / 100);

/** @typedef {import('./canvas.js').Canvas} Canvas */

/** @implements {Canvas} */
export class SvgCanvas {
	constructor()
	{
		/** @type {string[]} */
		this.parts = [];
		this.width = 0;
		this.height = 0;
		this.clips = 0;
	}

	/** @param {number} width @param {number} height */
	begin(width, height)
	{
		this.parts = [];
		this.width = width;
		this.height = height;
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour
	 * @param {number} [alpha] */
	rect(x, y, w, h, colour, alpha = 1)
	{
		const faint = alpha < 1 ? ` fill-opacity="${alpha}"` : '';

		this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" ` +
			`fill="${colour}"${faint}/>`);
	}

	/** @param {import('./canvas.js').RectList} list @param {string} colour */
	rects(list, colour)
	{
		let path = '';

		for (let i = 0; i < list.length; i += 4) {
			const [x, y, w, h] = list.numbers.subarray(i, i + 4);

			path += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}z`;
		}
		if (path)
			this.parts.push(`<path fill="${colour}" d="${path}"/>`);
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour
	 * @param {number} width */
	frame(x, y, w, h, colour, width)
	{
		this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" ` +
			`fill="none" stroke="${colour}" stroke-width="${width}"/>`);
	}

	/** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour
	 * @param {number} [width] @param {boolean} [dashed] */
	line(x0, y0, x1, y1, colour, width = 1, dashed = false)
	{
		this.parts.push(`<path d="M${short(x0)} ${short(y0)}L${short(x1)} ${short(y1)}" stroke="${colour}" ` +
			`stroke-width="${width}"${dashed ? ' stroke-dasharray="4 3"' : ''}/>`);
	}

	/** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour */
	arrow(x0, y0, x1, y1, colour)
	{
		const bend = arrowBend(x0, x1);

		this.parts.push(`<path fill="none" stroke="${colour}" stroke-width="1.5" d="M${short(x0)} ${short(y0)}` +
			`C${short(x0 + bend)} ${short(y0)} ${short(x1 - bend)} ${short(y1)} ${short(x1 - 5)} ${short(y1)}"/>` +
			`<path fill="${colour}" d="M${short(x1)} ${short(y1)}l-7 -4v8z"/>`);
	}

	/** @param {number} x @param {number} y @param {string} text @param {string} colour
	 * @param {import('./canvas.js').Align} [align] @param {boolean} [bold] */
	text(x, y, text, colour, align = 'start', bold = false)
	{
		const anchor = align === 'center' ? 'middle' : align;

		this.parts.push(`<text x="${short(x)}" y="${short(y + 4)}" fill="${colour}" text-anchor="${anchor}"` +
			`${bold ? ' font-weight="bold"' : ''}>${escape(text)}</text>`);
	}

	/**
	 * Columns of one colour and height become one rectangle, those of one colour one path.
	 * @param {number} x @param {number} y @param {number} h @param {import('./columns.js').Columns} columns
	 * @param {import('./theme.js').Look} look @param {import('./canvas.js').ColumnStyle} style
	 */
	columns(x, y, h, columns, look, style)
	{
		/** @type {string[]} */
		const paths = new Array(8).fill('');
		const { count, first, second, share, part, scale } = columns;

		for (let i = 0, end; i < count; i = end) {
			for (end = i + 1; end < count && share[end] === share[i] && first[end] === first[i] &&
			     second[end] === second[i] && part[end] === part[i]; end++)
				;
			if (share[i] === 0)
				continue;
			const tall = filled(share[i], h), left = x + i / scale, wide = (end - i) / scale;
			const split = share[i] === 255 && second[i] < 8 ? (part[i] * h) / 255 : 0;

			paths[first[i]] += box(left, y + h - tall + split, wide, tall - split);
			if (split)
				paths[second[i]] += box(left, y, wide, split);
		}
		paths.forEach((path, i) => {
			if (path)
				this.parts.push(`<path fill="${look.classes[i]}"${style === 'bars' ? '' : ' fill-opacity="0.5"'} ` +
					`d="${path}"/>`);
		});
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h */
	clip(x, y, w, h)
	{
		const id = `c${this.clips++}`;

		this.parts.push(`<clipPath id="${id}"><rect x="${short(x)}" y="${short(y)}" width="${short(w)}" ` +
			`height="${short(h)}"/></clipPath><g clip-path="url(#${id})">`);
	}

	unclip()
	{
		this.parts.push('</g>');
	}

	/** @returns {string} the file */
	toString()
	{
		return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${short(this.width)} ${short(this.height)}" ` +
			`width="${short(this.width)}" height="${short(this.height)}" font-family="system-ui, sans-serif" ` +
			`font-size="11" shape-rendering="crispEdges">${this.parts.join('\n')}</svg>\n`;
	}
}

/** @param {number} x @param {number} y @param {number} w @param {number} h */
const box = (x, y, w, h) => `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}z`;
