/* Why did nothing run? */
import { run } from '../commands/commands.js';
import { button, el, withCode } from '../base/dom.js';
import { isAbort, problemText } from '../sources/source.js';
import { ns, safe, shown, time } from '../base/units.js';

/**
 * @param {HTMLElement} inside
 * @param {import('../app/app.js').App} app
 * @param {{track: number, start: number, end: number}} gap
 * @param {AbortSignal} signal
 */
export async function showGap(inside, app, gap, signal)
{
	const facts = el('dl', { class: 'facts' }), length = gap.end - gap.start;
	/** @param {string} label @param {string} text */
	const fact = (label, text) => facts.append(el('dt', { text: safe(label) }), el('dd', {}, ...withCode(safe(text))));

	fact('duration', ns(length));
	fact('starts', time(gap.start));
	fact('row', app.rows.byNumber.get(gap.track)?.name ?? '');
	inside.append(el('h2', { text: 'Gap' }), el('div', { class: 'buttons' },
		button('Fit', () => void run(app, 'fit'), { title: 'fit it into the window (f)' }),
		button('Next gap', () => void run(app, 'next-gap'), { title: 'the next longest (g)' }),
		button('Tables', () => void run(app, 'area'), { title: 'kernels, ranges and gaps of this time (s)' })), facts);
	try {
		const why = await app.source.json('/gap', { track: gap.track, begin: gap.start, end: gap.end }, { signal });
		for (const f of why.facts)
			fact(f.label, f.text);
		for (const f of why.findings) {
			const go = button('', () => void app.openFinding(f), { class: 'finding' });

			go.append(`Finding ${f.number}: `, ...withCode(shown(f.title ?? '')));
			inside.append(go);
		}
	} catch (error) {
		if (!isAbort(error))
			inside.append(el('p', { class: 'quiet' }, ...withCode(safe(problemText(error)))));
	}
}
