/* What can be chosen above a drawing or a table, which is then made anew? */
import { append, el } from '../base/dom.js';
import * as units from '../base/units.js';

/**
 * @typedef {{value: string, text: string}} Option
 * @typedef {{label: string, key: string, options: Option[]} | {label: string, key: string, placeholder: string}} Choice
 *   one of some, or a line of text; `key`: where it is kept
 */

/**
 * @param {string} label
 * @param {Option[]} options
 * @param {string} value
 * @param {(value: string) => void} onPick
 */
export function picker(label, options, value, onPick)
{
	const select = el(
		'select',
		{ class: 'gw-select' },
		...options.map((o) => el('option', { value: o.value, selected: o.value === value }, units.shown(o.text)))
	);

	select.addEventListener('change', () => onPick(select.value));
	return el('label', { class: 'gw-picker' }, `${label} `, select);
}

/**
 * A line of text that is asked with.
 * @param {string} label
 * @param {string} placeholder
 * @param {string} value
 * @param {(value: string) => void} onSet on Enter, or when it is left changed
 */
export function textField(label, placeholder, value, onSet)
{
	const input = el('input', {
		type: 'text',
		class: 'gw-text',
		value,
		placeholder,
		spellcheck: 'false',
		autocomplete: 'off',
	});

	input.addEventListener('change', () => onSet(input.value.trim()));
	return el('label', { class: 'gw-picker' }, `${label} `, input);
}

/**
 * Choices, and below them a place that is drawn anew whenever one is made.
 * @param {HTMLElement} parent
 * @param {Record<string, string>} chosen what is chosen by now, and kept
 * @param {Choice[]} choices none: there is nothing to choose from
 * @param {(place: HTMLElement) => void} draw
 * @returns {HTMLElement} the place
 */
export function withChoices(parent, chosen, choices, draw)
{
	const place = el('div');
	const redraw = () => {
		place.replaceChildren();
		draw(place);
	};
	const made = choices.map((choice) => {
		const { key, label } = choice, set = (/** @type {string} */ value) => {
			chosen[key] = value;
			redraw();
		};

		return 'options' in choice ? picker(label, choice.options, chosen[key], set) : textField(label, choice.placeholder, chosen[key], set);
	});

	append(parent, made.length > 0 && el('div', { class: 'gw-tools' }, ...made), place);
	redraw();
	return place;
}
