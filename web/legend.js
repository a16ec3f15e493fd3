/* What do the colours of rows stand for? */
import { el } from './dom.js';

/** @type {[string[], string][]} */
const GROUPS = [
	[['gpu', 'stream'], 'GPUs and streams'],
	[['calls'], 'CUDA calls'],
	[['os'], 'OS calls'],
];

/**
 * @param {import('./rows.js').Track[]} tracks
 * @returns {HTMLElement[]}
 */
export function legend(tracks)
{
	const made = [];

	for (const [kinds, title] of GROUPS) {
		const track = tracks.find((t) => t.kind === kinds[kinds.length - 1]) ?? tracks.find((t) => kinds.includes(t.kind));

		if (!track)
			continue;
		made.push(el('h3', { text: title }), el('ul', { class: 'legend' }, ...track.classes.map((name, i) => (
			name ? el('li', {}, el('span', { class: `swatch class-${i}` }), name) : null))));
	}
	if (made.length)
		made.push(el('p', { class: 'quiet', text: 'A cell is as high as the share of its time that is busy; where it is busy throughout, ' +
			'the upper part has the colour of the second class. Ranges have colours by their names.' }));
	return made;
}
