/*
 * What is drawn on? All drawing goes through these few calls, so that the same picture can go to
 * the screen (here), into an SVG file (canvas_svg.js) or into lines of text that a test compares
 * (canvas_lines.js). Lengths are in CSS pixels; columns are as wide as a pixel of the device.
 */
import { FONT } from './text_fit.js';

/**
 * @typedef {import('./columns.js').Columns} Columns
 * @typedef {import('./theme.js').Look} Look
 * @typedef {'bars' | 'pale' | 'area'} ColumnStyle area: of values, with a line on top
 * @typedef {'start' | 'center' | 'end'} Align
 * @typedef {object} Canvas
 * @property {(width: number, height: number) => void} begin an empty picture
 * @property {(x: number, y: number, w: number, h: number, colour: string, alpha?: number) => void} rect
 * @property {(list: RectList, colour: string) => void} rects
 * @property {(x: number, y: number, w: number, h: number, colour: string, width: number) => void} frame
 * @property {(x0: number, y0: number, x1: number, y1: number, colour: string, width?: number,
 *   dashed?: boolean) => void} line
 * @property {(x0: number, y0: number, x1: number, y1: number, colour: string) => void} arrow
 * @property {(x: number, y: number, text: string, colour: string, align?: Align, bold?: boolean) => void} text
 * @property {(x: number, y: number, h: number, columns: Columns, look: Look, style: ColumnStyle) => void} columns
 * @property {(x: number, y: number, w: number, h: number) => void} clip
 * @property {() => void} unclip
 */

/** Rectangles of one colour: x, y, width, height of each, one after another. */
export class RectList {
	constructor()
	{
		this.numbers = new Float64Array(1024);
		this.length = 0;
	}

	clear()
	{
		this.length = 0;
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h */
	add(x, y, w, h)
	{
		if (this.length + 4 > this.numbers.length) {
			const more = new Float64Array(this.numbers.length * 2);

			more.set(this.numbers);
			this.numbers = more;
		}
		this.numbers[this.length++] = x;
		this.numbers[this.length++] = y;
		this.numbers[this.length++] = w;
		this.numbers[this.length++] = h;
	}
}

/**
 * How many pixels of a column of h are filled: at least one where anything goes on.
 * @param {number} share in 255ths
 * @param {number} h
 */
export const filled = (share, h) => (share === 0 ? 0 : Math.max(1, Math.round((share * h) / 255)));

/** @implements {Canvas} */
export class ScreenCanvas {
	/** @param {HTMLCanvasElement} element */
	constructor(element)
	{
		this.element = element;
		const context = element.getContext('2d');
		if (!context)
			throw new Error('this browser draws no canvas');
		this.context = context;
		this.scale = 1;
		/** @type {Map<number, {image: ImageData, pixels: Uint32Array}>} rows of columns by their heights, of which there are few */
		this.rows = new Map();
	}

	/** @param {number} width @param {number} height @param {number} [scale] */
	begin(width, height, scale = devicePixelRatio || 1)
	{
		const w = Math.max(1, Math.round(width * scale)), h = Math.max(1, Math.round(height * scale));

		this.scale = scale;
		if (this.element.width !== w || this.element.height !== h) {
			this.element.width = w;
			this.element.height = h;
		} else {
			this.context.setTransform(1, 0, 0, 1, 0, 0);
			this.context.clearRect(0, 0, w, h);
		}
		this.context.setTransform(scale, 0, 0, scale, 0, 0);
		this.context.textBaseline = 'middle';
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour
	 * @param {number} [alpha] */
	rect(x, y, w, h, colour, alpha = 1)
	{
		this.context.globalAlpha = alpha;
		this.context.fillStyle = colour;
		this.context.fillRect(x, y, w, h);
		this.context.globalAlpha = 1;
	}

	/** @param {RectList} list @param {string} colour */
	rects(list, colour)
	{
		const c = this.context, n = list.numbers;

		c.fillStyle = colour;
		for (let i = 0; i < list.length; i += 4)
			c.fillRect(n[i], n[i + 1], n[i + 2], n[i + 3]);
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour
	 * @param {number} width */
	frame(x, y, w, h, colour, width)
	{
		this.context.strokeStyle = colour;
		this.context.lineWidth = width;
		this.context.strokeRect(x, y, w, h);
	}

	/** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour
	 * @param {number} [width] @param {boolean} [dashed] */
	line(x0, y0, x1, y1, colour, width = 1, dashed = false)
	{
		const c = this.context;

		c.strokeStyle = colour;
		c.lineWidth = width;
		c.setLineDash(dashed ? [4, 3] : []);
		c.beginPath();
		c.moveTo(x0, y0);
		c.lineTo(x1, y1);
		c.stroke();
		c.setLineDash([]);
	}

	/** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour */
	arrow(x0, y0, x1, y1, colour)
	{
		const c = this.context, bend = arrowBend(x0, x1);

		c.strokeStyle = c.fillStyle = colour;
		c.lineWidth = 1.5;
		c.beginPath();
		c.moveTo(x0, y0);
		c.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
		c.stroke();
		c.beginPath();
		c.moveTo(x1, y1);
		c.lineTo(x1 - 7, y1 - 4);
		c.lineTo(x1 - 7, y1 + 4);
		c.fill();
	}

	/** @param {number} x @param {number} y @param {string} text @param {string} colour
	 * @param {Align} [align] @param {boolean} [bold] */
	text(x, y, text, colour, align = 'start', bold = false)
	{
		const c = this.context, font = bold ? `bold ${FONT}` : FONT;

		/* Setting a font costs even where it is the same. */
		if (c.font !== font)
			c.font = font;
		c.textAlign = align;
		c.fillStyle = colour;
		c.fillText(text, x, y);
	}

	/** @param {number} x @param {number} y @param {number} h @param {Columns} columns @param {Look} look
	 * @param {ColumnStyle} style */
	columns(x, y, h, columns, look, style)
	{
		const width = columns.count, height = Math.round((y + h) * this.scale) - Math.round(y * this.scale);

		if (width < 1 || height < 1)
			return;
		const { image, pixels } = this.row(width, height);
		pixels.fill(0);
		paint(pixels, width, height, columns, look, style);
		this.context.putImageData(image, Math.round(x * this.scale), Math.round(y * this.scale));
	}

	/**
	 * Pixels to paint on, the same for each row of a size: a frame leaves nothing to be collected.
	 * @param {number} width
	 * @param {number} height
	 */
	row(width, height)
	{
		let row = this.rows.get(height);

		if (!row || row.image.width !== width) {
			const image = this.context.createImageData(width, height);

			row = { image, pixels: new Uint32Array(image.data.buffer) };
			this.rows.set(height, row);
		}
		return row;
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h */
	clip(x, y, w, h)
	{
		this.context.save();
		this.context.beginPath();
		this.context.rect(x, y, w, h);
		this.context.clip();
	}

	unclip()
	{
		this.context.restore();
	}
}

/**
 * @param {number} x0
 * @param {number} x1
 */
export const arrowBend = (x0, x1) => Math.max(12, Math.min(60, Math.abs(x1 - x0) / 2));

/**
 * @param {Uint32Array} pixels
 * @param {number} width
 * @param {number} height
 * @param {Columns} columns
 * @param {Look} look
 * @param {ColumnStyle} style
 */
function paint(pixels, width, height, columns, look, style)
{
	const { first, second, share, part } = columns;
	const colours = style === 'bars' ? look.pixels : look.pale;

	for (let x = 0; x < width; x++) {
		if (share[x] === 0)
			continue;
		const top = height - filled(share[x], height);
		const split = share[x] === 255 && second[x] < 8 ? Math.round((part[x] * height) / 255) : 0;
		const above = split ? colours[second[x]] : 0, below = colours[first[x]];
		let at = top * width + x, row = top;

		for (; row < split; row++, at += width)
			pixels[at] = above;
		for (; row < height; row++, at += width)
			pixels[at] = below;
		if (style === 'area')
			pixels[top * width + x] = look.pixels[first[x]];
	}
}
