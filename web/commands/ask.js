/* A question with a line for the answer. */
import { button, el } from '../base/dom.js';

/**
 * @param {string} question
 * @param {string} value at first
 * @param {string} hint
 * @returns {Promise<?string>} null: nothing was answered
 */
export function ask(question, value, hint)
{
	return new Promise((resolve) => {
		const input = /** @type {HTMLInputElement} */ (el('input', { id: 'answer', autocomplete: 'off', placeholder: hint }));
		const dialog = /** @type {HTMLDialogElement} */ (el('dialog', { class: 'ask' },
			el('form', { method: 'dialog' }, el('label', { for: 'answer', text: question }), input,
				el('p', { class: 'quiet', text: hint }),
				el('div', { class: 'buttons' }, el('button', { value: 'yes', text: 'OK' }),
					button('Cancel', () => dialog.close(''))))));

		input.value = value;
		dialog.addEventListener('close', () => {
			dialog.remove();
			resolve(dialog.returnValue === 'yes' ? input.value.trim() : null);
		});
		document.body.append(dialog);
		dialog.showModal();
		input.select();
	});
}
