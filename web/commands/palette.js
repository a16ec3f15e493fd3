/* Whatever can be done or gone to, by a few letters of its name. */
import { button, el } from '../base/dom.js';
import { parseDuration } from '../base/duration.js';
import { KEYS } from './keys.js';
import { shown, time } from '../base/units.js';

const MOST_SHOWN = 60;

/** @typedef {{text: string, hint: string, go: () => void, remove?: () => void}} Item */

/** @param {import('../app/app.js').App} app @returns {Item[]} */
function everything(app)
{
	return [
		...app.tabs.map((t) => ({ text: t.title, hint: 'tab', go: () => app.state.set({ tab: t.id }) })),
		...KEYS.filter((k) => k.command !== 'palette').map((k) => ({
			text: k.help, hint: k.keys.join(' '), go: () => void app.run(k.command),
		})),
		...app.rows.tracks.map((t) => ({
			text: t.name, hint: 'row',
			go: () => {
				app.state.set({ tab: 'timeline' });
				app.choose(t.number, 0);
			},
		})),
		...bookmarkItems(app),
	];
}

/** @param {import('../app/app.js').App} app @returns {Item[]} */
function bookmarkItems(app)
{
	return app.bookmarks.all.map((b) => ({
		text: `${time(app.bookmarks.onPage(b.at))} ${[b.name, b.row].filter(Boolean).join(', ')}`, hint: 'bookmark',
		go: () => app.bookmarks.go(b), remove: () => app.bookmarks.remove(b),
	}));
}

/** Words in any order. @param {string} text @param {string[]} words */
const matches = (text, words) => words.every((w) => text.includes(w));

class Chooser {
	/**
	 * @param {string} label
	 * @param {() => Item[]} items
	 * @param {(text: string) => Item[]} typed what the text itself means
	 */
	constructor(label, items, typed)
	{
		this.items = items;
		this.typed = typed;
		/** @type {Item[]} */
		this.found = [];
		this.at = 0;
		this.list = el('ul', { role: 'listbox', id: 'choices', 'aria-label': label });
		this.input = /** @type {HTMLInputElement} */ (el('input', {
			type: 'text', placeholder: label, 'aria-label': label, autocomplete: 'off', spellcheck: 'false', role: 'combobox',
			'aria-expanded': 'true', 'aria-controls': 'choices', oninput: () => this.filter(),
			onkeydown: (/** @type {KeyboardEvent} */ e) => this.key(e),
		}));
		this.dialog = /** @type {HTMLDialogElement} */ (el('dialog', { class: 'palette', 'aria-label': label }, this.input, this.list));
		this.dialog.addEventListener('close', () => this.dialog.remove());
		this.dialog.addEventListener('click', (e) => {
			if (e.target === this.dialog)
				this.dialog.close();
		});
		document.body.append(this.dialog);
		this.dialog.showModal();
		this.filter();
	}

	filter()
	{
		const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);

		this.found = [...this.typed(this.input.value), ...this.items().filter((i) => matches(`${i.text} ${i.hint}`.toLowerCase(), words))]
			.slice(0, MOST_SHOWN);
		this.at = 0;
		this.list.replaceChildren(...this.found.map((item, i) => el('li', {
			role: 'option', id: `choice-${i}`, onclick: () => this.take(i),
		}, el('span', { class: 'choice', text: shown(item.text) }), el('span', { class: 'quiet', text: item.hint }),
		item.remove ? button('×', (e) => this.remove(e, item), { 'aria-label': 'remove it' }) : null)));
		if (!this.found.length)
			this.list.append(el('li', { class: 'quiet', text: 'nothing of that name' }));
		this.mark();
	}

	/** @param {Event} e @param {Item} item */
	remove(e, item)
	{
		e.stopPropagation();
		item.remove?.();
		this.filter();
	}

	mark()
	{
		[...this.list.children].forEach((li, i) => {
			li.setAttribute('aria-selected', String(i === this.at));
			if (i === this.at)
				li.scrollIntoView({ block: 'nearest' });
		});
		this.input.setAttribute('aria-activedescendant', `choice-${this.at}`);
	}

	/** @param {KeyboardEvent} e */
	key(e)
	{
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[e.key];

		if (step) {
			this.at = Math.max(0, Math.min(this.found.length - 1, this.at + step));
			this.mark();
			e.preventDefault();
		} else if (e.key === 'Enter') {
			e.preventDefault();
			this.take(this.at);
		}
	}

	/** @param {number} i */
	take(i)
	{
		const item = this.found[i];

		this.dialog.close();
		item?.go();
	}
}

/** @param {import('../app/app.js').App} app */
export function showPalette(app)
{
	new Chooser('a command, a tab, a row, a time such as 1.2 s, a name to search for', () => everything(app), (text) => {
		const at = /[a-zµμ]\s*$/.test(text) ? parseDuration(text) : null;

		/** @type {Item[]} */
		const items = at === null ? [] : [{ text: `go to ${time(at)}`, hint: 'time', go: () => app.goToTime(at) }];
		if (text.trim() && at === null)
			items.push({ text: `search events for ${text.trim()}`, hint: '/', go: () => void app.search.run(text.trim()) });
		return items.length && at === null && everythingMatches(app, text) ? [] : items;
	});
}

/** A search is offered where nothing else is meant. @param {import('../app/app.js').App} app @param {string} text */
function everythingMatches(app, text)
{
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);

	return everything(app).some((i) => matches(`${i.text} ${i.hint}`.toLowerCase(), words));
}

/** @param {import('../app/app.js').App} app */
export function showBookmarks(app)
{
	if (app.bookmarks.all.length)
		new Chooser('bookmarks', () => bookmarkItems(app), () => []);
	else
		app.say('there is no bookmark: B sets one');
}
