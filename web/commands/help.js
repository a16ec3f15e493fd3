/* Which keys are there? */
import { button, el } from '../base/dom.js';
import { KEYS } from './keys.js';

const OTHERS = [
	['1 … 9, 0', 'the tabs, in their order: 1 is the timeline'],
	['click', 'select what is under the pointer: an event, the longest of a cell, a gap'],
	['double click', 'fit it'],
	['drag', 'select a part of the time: what is in it is shown beside'],
	['Shift+drag, Shift+wheel', 'pan'],
	['Ctrl+wheel', 'zoom at the pointer'],
	['wheel', 'scroll the rows'],
];

/** @param {string} name */
const keyText = (name) => name.startsWith('Page') ? name : name.replace('Left', '←').replace('Right', '→').replace('Up', '↑').replace('Down', '↓');

export function showHelp()
{
	const rows = KEYS.filter((k) => k.keys.length).map((k) => el('tr', {},
		el('th', { scope: 'row' }, ...k.keys.flatMap((name) => [el('kbd', { text: keyText(name) }), ' '])),
		el('td', { text: k.help })));
	const others = OTHERS.map(([what, does]) => el('tr', {}, el('th', { scope: 'row', text: what }), el('td', { text: does })));
	const dialog = /** @type {HTMLDialogElement} */ (el('dialog', { class: 'help', 'aria-label': 'Keys' },
		el('header', {}, el('h2', { text: 'Keys' }), button('Close', () => dialog.close())),
		el('div', { class: 'help-columns' }, el('table', {}, el('tbody', {}, ...rows, ...others)))));

	dialog.addEventListener('close', () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
}
