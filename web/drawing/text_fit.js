/* How wide is a text, and what of it fits? By the widths of its letters, which are measured once. */

export const FONT = '11px system-ui, sans-serif';
const LEAST_LETTERS = 3;

/** @type {Map<number, number>} by code unit */
const widths = new Map();
/** @type {?CanvasRenderingContext2D} */
let context = null;

/** @param {number} code */
function letterWidth(code)
{
	let width = widths.get(code);

	if (width !== undefined)
		return width;
	if (!context) {
		context = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
		context.font = FONT;
	}
	width = context.measureText(String.fromCharCode(code)).width;
	widths.set(code, width);
	return width;
}

/** @param {string} text */
export function textWidth(text)
{
	let width = 0;

	for (let i = 0; i < text.length; i++)
		width += letterWidth(text.charCodeAt(i));
	return width;
}

/**
 * @param {string} text
 * @param {number} room
 * @returns {string} '' where not even a few letters fit
 */
export function fitText(text, room)
{
	const dots = letterWidth(0x2026);
	let width = 0, fits = 0;

	for (let i = 0; i < text.length; i++) {
		width += letterWidth(text.charCodeAt(i));
		if (width + dots <= room)
			fits = i + 1;
		if (width > room)
			return fits < LEAST_LETTERS ? '' : `${text.slice(0, fits)}…`;
	}
	return text;
}
