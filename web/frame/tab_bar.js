/* Which view is shown: the timeline, or one of the tabs? */
import { byId, button, el } from '../base/dom.js';

/**
 * @typedef {{close?: () => void, refresh?: () => void}} Opened
 * @typedef {{id: string, title: string, key?: string, open(element: HTMLElement, app: any): Opened}} Tab
 */

export class TabBar {
	/**
	 * @param {import('../app/app.js').App} app
	 * @param {Tab[]} tabs
	 */
	constructor(app, tabs)
	{
		this.app = app;
		this.tabs = tabs;
		/** @type {?Opened} */
		this.opened = null;
		this.shown = '';
		this.bar = byId('tabs');
		app.tabs = [{ id: 'timeline', title: 'Timeline' }, ...tabs];
		this.bar.replaceChildren(...app.tabs.map((t, i) => button(t.title, () => app.state.set({ tab: t.id }), {
			role: 'tab', id: `tab-${t.id}`, 'aria-controls': t.id === 'timeline' ? 'timeline' : 'tab-view',
			title: i < 9 ? `${t.title} (${i + 1})` : i === 9 ? `${t.title} (0)` : t.title,
		})));
		this.bar.addEventListener('keydown', (e) => this.key(e));
		app.state.follow((changed) => {
			if (changed.has('tab'))
				this.show();
		});
		this.show();
	}

	/** @param {KeyboardEvent} e */
	key(e)
	{
		const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key], { tabs, state } = this.app;

		if (!step)
			return;
		const i = tabs.findIndex((t) => t.id === state.is.tab), to = tabs[(i + step + tabs.length) % tabs.length];
		state.set({ tab: to.id });
		byId(`tab-${to.id}`).focus();
	}

	/** @param {number} number from 1 */
	open(number)
	{
		const tab = this.app.tabs[number - 1];

		if (tab)
			this.app.state.set({ tab: tab.id });
	}

	show()
	{
		const wanted = this.app.state.is.tab, tab = this.tabs.find((t) => t.id === wanted);
		const isTimeline = !tab, view = byId('tab-view');

		if (this.shown === wanted)
			return;
		this.shown = wanted;
		this.opened?.close?.();
		this.opened = null;
		byId('timeline').hidden = !isTimeline;
		view.hidden = isTimeline;
		view.replaceChildren();
		for (const t of this.app.tabs) {
			const is = t.id === wanted || (isTimeline && t.id === 'timeline'), made = byId(`tab-${t.id}`);

			made.setAttribute('aria-selected', String(is));
			made.tabIndex = is ? 0 : -1;
		}
		if (tab) {
			const place = el('div', { class: 'tab-place', role: 'tabpanel', 'aria-labelledby': `tab-${tab.id}` });

			view.append(place);
			this.opened = tab.open(place, this.app) ?? null;
		}
		document.title = `${tab ? `${tab.title} – ` : ''}${this.app.title()}`;
	}
}
