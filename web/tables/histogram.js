/* How are durations spread? Bars between edges; the one that is meant stands out. */
import { el } from '../base/dom.js';
import { count, ns } from '../base/units.js';

/**
 * @param {{edges: number[], bins: number[], bin?: number, min: number, median: number, max: number}} of
 * @param {string} label
 */
export function histogram(of, label)
{
	const most = Math.max(1, ...of.bins);
	const bars = of.bins.map((n, i) => {
		const bar = el('span', {
			class: i === of.bin ? 'bar here' : 'bar',
			title: `${count(n)} of ${ns(of.edges[i])} to ${ns(of.edges[i + 1])}`,
		});

		/* One is seen beside thousands. */
		bar.style.height = n ? `${Math.max(4, (n / most) * 100)}%` : '0';
		return bar;
	});

	return el('figure', { class: 'histogram' },
		el('div', { class: 'bars', role: 'img', 'aria-label': `${label}: ${ns(of.min)} to ${ns(of.max)}, median ${ns(of.median)}` },
			...bars),
		el('figcaption', { class: 'spread' }, el('span', { text: ns(of.min) }),
			el('span', { text: `median ${ns(of.median)}` }), el('span', { text: ns(of.max) })));
}
