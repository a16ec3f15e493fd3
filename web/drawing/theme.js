/* Light or dark? And what colours does a canvas, which knows no style sheet, draw with? */

const KEY = 'gpuwhy.theme';
const NAMES = ['bg', 'fg', 'dim', 'line', 'accent', 'panel', 'row', 'select', 'hit', 'mark'];
const CLASSES = 8;

/**
 * @typedef {object} Look
 * @property {Object<string, string>} colours
 * @property {string[]} classes by class
 * @property {string[]} inks what is read on them
 * @property {string[]} paleClasses those of what was not searched for
 * @property {Uint32Array} pixels classes as little-endian RGBA
 * @property {Uint32Array} pale the same, half as strong
 */

/** @param {string} colour "#rrggbb" */
function parts(colour)
{
	const n = parseInt(colour.slice(1), 16);

	return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

/** @param {number[]} rgb */
function ink(rgb)
{
	const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
	const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;

	/* The one with the greater contrast. */
	return (light + 0.05) * (light + 0.05) > 1.05 * 0.05 ? '#000000' : '#ffffff';
}

/** @returns {Look} of the theme that is shown */
export function readLook()
{
	const style = getComputedStyle(document.documentElement);
	/** @param {string} name */
	const read = (name) => style.getPropertyValue(`--${name}`).trim() || '#808080';
	/** @type {Look} */
	const look = {
		colours: Object.fromEntries(NAMES.map((n) => [n, read(n)])), classes: [], inks: [], paleClasses: [],
		pixels: new Uint32Array(CLASSES), pale: new Uint32Array(CLASSES),
	};

	for (let i = 0; i < CLASSES; i++) {
		const colour = read(`class-${i}`), [r, g, b] = parts(colour);
		const [br, bg, bb] = parts(look.colours.row);
		/** @param {number} x @param {number} y */
		const mix = (x, y) => Math.round(x * 0.45 + y * 0.55);

		look.classes.push(colour);
		look.inks.push(ink([r, g, b]));
		look.paleClasses.push(`#${[mix(r, br), mix(g, bg), mix(b, bb)].map((v) => v.toString(16).padStart(2, '0')).join('')}`);
		look.pixels[i] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
		look.pale[i] = ((255 << 24) | (mix(b, bb) << 16) | (mix(g, bg) << 8) | mix(r, br)) >>> 0;
	}
	return look;
}

/** @returns {string} 'light', 'dark', or '' as the system has it */
export function chosenTheme()
{
	try {
		return localStorage.getItem(KEY) ?? '';
	} catch {
		return '';
	}
}

/** @param {string} theme */
function apply(theme)
{
	if (theme)
		document.documentElement.dataset.theme = theme;
	else
		delete document.documentElement.dataset.theme;
}

export function isDark()
{
	const theme = document.documentElement.dataset.theme;

	return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** The other one; the choice is kept. */
export function switchTheme()
{
	const theme = isDark() ? 'light' : 'dark';

	apply(theme);
	try {
		localStorage.setItem(KEY, theme);
	} catch {
		/* Without storage it holds for this page. */
	}
}

/** @param {() => void} onChange */
export function startTheme(onChange)
{
	apply(chosenTheme());
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onChange);
}
