/* How wide is a text, and what of it fits? */

export const FONT = '11px system-ui, sans-serif';
const MOST_KNOWN = 20000;
const LEAST_LETTERS = 3;

/** @type {Map<string, number>} */
const widths = new Map();
/** @type {?CanvasRenderingContext2D} */
let context = null;

/** @param {string} text */
export function textWidth(text)
{
	let width = widths.get(text);

	if (width !== undefined)
		return width;
	if (!context) {
		context = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
		context.font = FONT;
	}
	if (widths.size > MOST_KNOWN)
		widths.clear();
	width = context.measureText(text.length > 400 ? text.slice(0, 400) : text).width;
	widths.set(text, width);
	return width;
}

/**
 * @param {string} text
 * @param {number} room
 * @returns {string} '' where not even a few letters fit
 */
export function fitText(text, room)
{
	const width = textWidth(text);

	if (width <= room)
		return text;
	const letters = Math.floor((text.length * (room - 8)) / width);
	return letters < LEAST_LETTERS ? '' : `${text.slice(0, letters)}…`;
}
