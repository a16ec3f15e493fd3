/* What do the colours of rows stand for? */
import { el } from '../base/dom.js';

/** Kinds of rows that have classes of the same meaning. @type {[string[], string][]} */
export const GROUPS = [
	[['gpu', 'stream'], 'GPUs and streams'],
	[['calls'], 'CUDA calls'],
	[['os'], 'OS calls'],
	[['findings'], 'Findings'],
];

/** @param {string[]} names by class */
const classList = (names) => el('ul', { class: 'legend' }, ...names.map((name, i) => (
	name ? el('li', {}, el('span', { class: `swatch class-${i}` }), name) : null)));

/** Rows whose classes have no names of their own. @type {[string, string][]} */
const LINES = [
	['samples', 'Samples have colours by their line of code.'],
];

/**
 * @param {import('../timeline/rows.js').Track[]} tracks
 * @returns {HTMLElement[]}
 */
export function legend(tracks)
{
	const made = [];

	for (const [kinds, title] of GROUPS) {
		const track = tracks.find((t) => t.kind === kinds[kinds.length - 1]) ?? tracks.find((t) => kinds.includes(t.kind));

		if (!track)
			continue;
		made.push(el('h3', { text: title }), classList(track.classes));
	}
	for (const [kind, text] of LINES) {
		if (tracks.some((t) => t.kind === kind))
			made.push(el('p', { class: 'quiet', text }));
	}
	if (made.length)
		made.push(el('p', { class: 'quiet', text: 'A cell is as high as the share of its time that is busy; where it is busy throughout, ' +
			'the upper part has the colour of the second class. Ranges have colours by their names.' }));
	return made;
}
