/*
 * Where is somebody to look? The fragment of the URL: "w=FROM,TO&sel=FROM,TO&row=GPU%200", which
 * `gpuwhy timeline --at` understands, too. Times are in ns on the clock that the captures share.
 */

/**
 * @typedef {object} Place
 * @property {?[number, number]} window
 * @property {?[number, number]} selection
 * @property {?string} row
 * @property {?string} tab
 * @property {?string} token
 * @property {?string} pattern
 * @property {?number} align of two runs: the step at which they are laid over each other
 * @property {string[]} hide names of rows
 * @property {string[]} pin
 * @property {string[]} fold those that are not as they were at first
 */

/**
 * Bytes of names that are no letters or digits, as link_add_escaped() writes them.
 * @param {string} text
 */
export function escapeName(text)
{
	let written = '';

	for (const byte of new TextEncoder().encode(text)) {
		const c = String.fromCharCode(byte);

		written += /[A-Za-z0-9_.-]/.test(c) ? c : '%' + byte.toString(16).toUpperCase().padStart(2, '0');
	}
	return written;
}

/** @param {string} text */
function unescapeName(text)
{
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * @param {string} value
 * @param {bigint} origin
 * @returns {?[number, number]}
 */
function parseSpan(value, origin)
{
	const parts = /^(-?\d+),(-?\d+)$/.exec(value);

	if (!parts)
		return null;
	const begin = Number(BigInt(parts[1]) - origin), end = Number(BigInt(parts[2]) - origin);
	return begin <= end ? [begin, end] : null;
}

/** @param {string} value names with commas between; a comma in a name is escaped */
const parseNames = (value) => value.split(',').filter((v) => v !== '').map(unescapeName);

/**
 * @param {string} fragment
 * @param {bigint} origin
 * @returns {Place}
 */
export function parsePlace(fragment, origin)
{
	/** @type {Place} */
	const place = {
		window: null, selection: null, row: null, tab: null, token: null, pattern: null, align: null,
		hide: [], pin: [], fold: [],
	};

	for (const part of fragment.replace(/^#/, '').split('&')) {
		const is = part.indexOf('=');
		const name = part.slice(0, is), value = part.slice(is + 1);

		if (name === 'w')
			place.window = parseSpan(value, origin);
		else if (name === 'sel')
			place.selection = parseSpan(value, origin);
		else if (name === 'row' || name === 'tab')
			place[name] = unescapeName(value);
		else if (name === 'token')
			/* The program's comes first: none that a place brings along is taken. */
			place.token ??= unescapeName(value);
		else if (name === 'align')
			place.align = /^\d{1,9}$/.test(value) ? Number(value) : null;
		else if (name === 'find')
			place.pattern = unescapeName(value);
		else if (name === 'hide' || name === 'pin' || name === 'fold')
			place[name] = parseNames(value);
	}
	return place;
}

/**
 * @param {Partial<Place>} place
 * @param {bigint} origin
 */
export function writePlace(place, origin)
{
	const parts = [];
	/** @param {number} ns */
	const absolute = (ns) => String(BigInt(Math.round(ns)) + origin);

	if (place.window)
		parts.push(`w=${place.window.map(absolute).join(',')}`);
	if (place.selection)
		parts.push(`sel=${place.selection.map(absolute).join(',')}`);
	if (place.row)
		parts.push(`row=${escapeName(place.row)}`);
	if (place.tab && place.tab !== 'timeline')
		parts.push(`tab=${escapeName(place.tab)}`);
	if (typeof place.align === 'number')
		parts.push(`align=${place.align}`);
	if (place.pattern)
		parts.push(`find=${escapeName(place.pattern)}`);
	for (const name of /** @type {const} */ (['hide', 'pin', 'fold'])) {
		if (place[name]?.length)
			parts.push(`${name}=${/** @type {string[]} */ (place[name]).map(escapeName).join(',')}`);
	}
	return parts.join('&');
}
