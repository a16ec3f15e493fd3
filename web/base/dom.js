/* How is a piece of the page made? Without markup, and text is always set as text: names of a trace are hostile. */

import { begin } from './idle.js';

/** @typedef {string | number | Node | null | undefined | false} Child */

/**
 * @param {Node} element
 * @param {...Child} inside
 */
export function append(element, ...inside)
{
	for (const child of inside) {
		if (child !== null && child !== undefined && child !== false)
			element.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
	}
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Object<string, any>} [is] class, text, value, on<event>, or any attribute; null and false: none
 * @param {...Child} inside
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, is = {}, ...inside)
{
	const made = document.createElement(tag);

	for (const [name, value] of Object.entries(is)) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name === 'class')
			made.className = value;
		else if (name === 'text')
			made.textContent = value;
		else if (name === 'value')
			Object.assign(made, { value });
		else if (name.startsWith('on'))
			made.addEventListener(name.slice(2), value);
		else
			made.setAttribute(name, value === true ? '' : String(value));
	}
	append(made, ...inside);
	return made;
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {Record<string, string | number | null | undefined>} [attributes]
 * @param {...Child} inside
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...inside)
{
	const made = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));

	for (const [name, value] of Object.entries(attributes)) {
		if (value !== null && value !== undefined)
			made.setAttribute(name, String(value));
	}
	append(made, ...inside);
	return made;
}

/**
 * Text whose `backquoted` words and --options are code.
 * @param {string} text
 * @returns {(string | HTMLElement)[]}
 */
export function withCode(text)
{
	return text.split(/(`[^`]+`|(?<![\w-])--[a-z][^\s,;)]*)/).map((part) => {
		if (part.startsWith('`') && part.length > 2)
			return el('code', {}, part.slice(1, -1));
		return part.startsWith('--') && part.length < 40 ? el('code', { class: 'gw-option' }, part) : part;
	});
}

let ids = 0;

/** @param {string} stem an id that no other element has */
export function freshId(stem)
{
	return `${stem}-${++ids}`;
}

/**
 * @param {string} id
 * @returns {HTMLElement} which index.html has
 */
export function byId(id)
{
	const found = document.getElementById(id);

	if (!found)
		throw new Error(`the page has no '${id}'`);
	return found;
}

/**
 * @param {string} text
 * @param {(event: Event) => void} onclick
 * @param {Object<string, any>} [is]
 */
export function button(text, onclick, is = {})
{
	return el('button', { type: 'button', text, onclick, ...is });
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name)
{
	const url = URL.createObjectURL(blob);

	el('a', { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether the clipboard has it
 */
export async function copy(text)
{
	const end = begin();

	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return false;
	} finally {
		end();
	}
}
