/* A picture as lines of text, one for each call, which a test compares with those it expects. */

/** @param {number} n */
const short = (n) => String(Math.round(n * 10) / 10);

/** @typedef {import('./canvas.js').Canvas} Canvas */

/** @implements {Canvas} */
export class LineCanvas {
	constructor()
	{
		/** @type {string[]} */
		this.lines = [];
	}

	/** @param {number} width @param {number} height */
	begin(width, height)
	{
		this.lines.push(`begin ${short(width)}x${short(height)}`);
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour
	 * @param {number} [alpha] */
	rect(x, y, w, h, colour, alpha = 1)
	{
		this.lines.push(`rect ${[x, y, w, h].map(short).join(' ')} ${colour}${alpha < 1 ? ` ${alpha}` : ''}`);
	}

	/** @param {import('./canvas.js').RectList} list @param {string} colour */
	rects(list, colour)
	{
		const all = [];

		for (let i = 0; i < list.length; i += 4)
			all.push(Array.from(list.numbers.subarray(i, i + 4), short).join(' '));
		if (all.length)
			this.lines.push(`rects ${colour} ${all.join('; ')}`);
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour */
	frame(x, y, w, h, colour)
	{
		this.lines.push(`frame ${[x, y, w, h].map(short).join(' ')} ${colour}`);
	}

	/** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour */
	line(x0, y0, x1, y1, colour)
	{
		this.lines.push(`line ${[x0, y0, x1, y1].map(short).join(' ')} ${colour}`);
	}

	/** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour */
	arrow(x0, y0, x1, y1, colour)
	{
		this.lines.push(`arrow ${[x0, y0, x1, y1].map(short).join(' ')} ${colour}`);
	}

	/** @param {number} x @param {number} y @param {string} text */
	text(x, y, text)
	{
		this.lines.push(`text ${short(x)} ${short(y)} ${text}`);
	}

	/**
	 * Class, height and how many columns: "1:255x40"; with a second class "1+4/30:255x2".
	 * @param {number} x @param {number} y @param {number} h @param {import('./columns.js').Columns} columns
	 * @param {import('./theme.js').Look} look @param {import('./canvas.js').ColumnStyle} style
	 */
	columns(x, y, h, columns, look, style)
	{
		const { count, first, second, share, part } = columns;
		const runs = [];
		/** @param {number} i */
		const name = (i) => (share[i] === 0 ? '-' : `${first[i]}` +
			`${share[i] === 255 && second[i] < 8 ? `+${second[i]}/${part[i]}` : ''}:${share[i]}`);

		for (let i = 0, end; i < count; i = end) {
			const is = name(i);

			for (end = i + 1; end < count && name(end) === is; end++)
				;
			runs.push(`${is}x${end - i}`);
		}
		this.lines.push(`columns ${style} ${short(x)} ${short(y)} ${short(h)} ${runs.join(' ')}`);
	}

	/** @param {number} x @param {number} y @param {number} w @param {number} h */
	clip(x, y, w, h)
	{
		this.lines.push(`clip ${[x, y, w, h].map(short).join(' ')}`);
	}

	unclip()
	{
		this.lines.push('unclip');
	}
}
