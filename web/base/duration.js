/* What duration did somebody type? "5 µs", "1.234s", "300": of ns where there is no unit. */

/** @type {Object<string, number>} */
const UNITS = { ns: 1, us: 1e3, 'µs': 1e3, 'μs': 1e3, ms: 1e6, s: 1e9, '': 1 };

/**
 * @param {string} text
 * @returns {?number} in ns; null: it is none
 */
export function parseDuration(text)
{
	const parts = /^\s*([\d,]*\.?\d+|\d+\.)\s*(ns|us|µs|μs|ms|s|)\s*$/.exec(text);

	return parts ? Math.round(Number(parts[1].replaceAll(',', '')) * UNITS[parts[2]]) : null;
}
