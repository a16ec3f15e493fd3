/* How is a page built without markup? Every text is set as text, whatever it says. */

/**
 * @typedef {string | number | Node | null | undefined | false} Child
 */

/**
 * An element; `props` are properties (className, onclick), and attributes where the name has a
 * hyphen or is `role`, `for`, `scope`.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown> | null} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props, ...children)
{
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(props ?? {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (name.includes('-') || ['role', 'for', 'scope', 'list', 'sandbox'].includes(name))
			element.setAttribute(name, String(value));
		else
			Object.assign(element, { [name]: value });
	}
	append(element, ...children);
	return element;
}

/**
 * @param {Node} element
 * @param {...Child} children
 */
export function append(element, ...children)
{
	for (const child of children)
		if (child !== null && child !== undefined && child !== false)
			element.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
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
			return el('code', null, part.slice(1, -1));
		return part.startsWith('--') && part.length < 40 ? el('code', { className: 'gw-option' }, part) : part;
	});
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {Record<string, string | number | null | undefined>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children)
{
	const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));

	for (const [name, value] of Object.entries(attributes))
		if (value !== null && value !== undefined)
			element.setAttribute(name, String(value));
	append(element, ...children);
	return element;
}

let ids = 0;

/** @param {string} stem an id that no other element has */
export function freshId(stem)
{
	return `${stem}-${++ids}`;
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether it is on the clipboard now
 */
export async function copyText(text)
{
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return false;
	}
}
