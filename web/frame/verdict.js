/* What is the matter, in one line? It stays, whatever is shown below. */
import { button, byId, el, withCode } from '../base/dom.js';
import { isAbort, problemText } from '../sources/source.js';
import { captureName } from '../tabs/common.js';
import { ns, percent, safe, shown } from '../base/units.js';

const SHOWN = 2;

export class Verdict {
	/** @param {import('../app/app.js').App} app */
	constructor(app)
	{
		this.app = app;
		this.element = byId('verdict');
		/** @type {AbortController} */
		this.asking = new AbortController();
		app.state.follow((changed) => {
			if (changed.has('capture'))
				void this.fill();
		});
		void this.fill();
	}

	async fill()
	{
		this.asking.abort();
		const asking = (this.asking = new AbortController());
		try {
			const answer = await this.app.source.json('/api/findings', { capture: this.app.capture() }, { signal: asking.signal });
			this.show(answer);
		} catch (error) {
			if (!isAbort(error))
				this.element.replaceChildren(el('span', { class: 'quiet' }, ...withCode(safe(problemText(error)))));
		}
	}

	/** @param {any} answer */
	show(answer)
	{
		/* The worst that something can be gained by. */
		const worst = answer.findings.filter((/** @type {any} */ f) => f.recoverable_pct > 0).slice(0, SHOWN);

		const { captures } = this.app.session, capture = captures[this.app.capture()];

		this.element.replaceChildren(
			...(captures.length > 1 ? [el('span', { class: 'quiet', text: `${shown(captureName(capture))}:` })] : []),
			el('strong', {}, ...withCode(safe(answer.verdict_text ?? ''))),
			...(answer.window ? [this.windowButton(answer.window, this.app.capture())] : []),
			...(answer.workload?.text ? [el('span', { text: safe(answer.workload.text) })] : []),
			...worst.map((/** @type {any} */ f) => button(`${percent(f.recoverable_pct)}: ${safe(f.title).replaceAll('`', '')}`,
				() => this.app.state.set({ tab: 'findings' }), { class: `severity-${f.severity}`, title: 'what could be gained: see Findings' })));
	}

	/**
	 * What the verdict is about, and the way there.
	 * @param {import('../tabs/common.js').AnswerWindow} window
	 * @param {number} number of its capture
	 */
	windowButton({ start_ns: start, end_ns: end, text }, number)
	{
		const { app } = this, { captures } = app.session, { start: first, end: last } = captures[number];
		const share = last > first ? (100 * (end - start)) / (last - first) : 100;

		return button(`in ${shown(text ?? ns(end - start)).replace(/^whole/, 'the whole')}${share < 99.95 ? `, ${percent(share)} of the capture` : ''}`,
			() => void app.go({ window: [app.ownToPage(start, number), app.ownToPage(end, number)], capture: number }),
			{ class: 'about', title: 'what the verdict is about: show it in the timeline' });
	}
}
