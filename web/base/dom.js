/* How is a piece of the page made? Text is always set as text: names of a trace are hostile. */

/**
 * @param {string} tag
 * @param {Object<string, any>} [is] class, text, title, on<event>, or any attribute; null and false: none
 * @param {...(Node | string | null)} inside
 * @returns {HTMLElement}
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
		else if (name.startsWith('on'))
			made.addEventListener(name.slice(2), value);
		else
			made.setAttribute(name, value === true ? '' : String(value));
	}
	for (const node of inside) {
		if (node !== null)
			made.append(node);
	}
	return made;
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
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return false;
	}
}
