/* All that is known of an event. */
import { run } from '../commands/commands.js';
import { button, copy, el, withCode } from '../base/dom.js';
import { histogram } from '../tables/histogram.js';
import { count, ns, percent, safe, shown, time } from '../base/units.js';

/** @param {string} label @param {string} text */
const fact = (label, text) => [el('dt', { text: safe(label) }), el('dd', { text: safe(text) })];

/** @param {import('../app/app.js').App} app @param {{start: number, duration: number}} d */
function shareText(app, d)
{
	const [b, e] = app.window(), part = Math.min(e, d.start + d.duration) - Math.max(b, d.start);

	return part > 0 ? percent((100 * part) / (e - b)) : 'outside it';
}

/**
 * The window has changed, all else is as it was.
 * @param {HTMLElement} inside
 * @param {import('../app/app.js').App} app
 */
export function updateShare(inside, app)
{
	const share = inside.querySelector('.share-now'), { selection } = app.state.is;

	if (share && selection?.kind === 'event')
		share.textContent = shareText(app, selection.event);
}

/**
 * @param {import('../app/app.js').App} app
 * @param {any} d
 */
function facts(app, d)
{
	const share = [el('dt', { text: 'of the window' }), el('dd', { class: 'share-now', text: shareText(app, d) })];
	/* Until the program has said more. */
	const brief = d.facts.length ? [] : [...fact('row', d.track_name), ...fact('start', time(d.start)), ...fact('duration', ns(d.duration))];

	/* The program's words know nothing of a run that this page has moved. */
	const by = app.source.clocks.ofTrack(d.track);
	const moved = by ? fact('moved', `${ns(Math.abs(by))} ${by > 0 ? 'later' : 'earlier'}, to align the steps; times below other than its start are without that`) : [];
	/** @type {{label: string, text: string}[]} */
	const told = d.facts.map((/** @type {{label: string, text: string}} */ f) => (by && f.label === 'start' ? { label: f.label, text: time(d.start) } : f));

	return el('dl', { class: 'facts' }, ...brief, ...share, ...moved, ...(d.value ? fact('value', d.value) : []),
		/* That stands below, folded. */
		...told.filter((f) => f.label !== 'whole name').flatMap((f) => fact(f.label, f.text)));
}

/** @param {import('../app/app.js').App} app @param {any} d */
function links(app, d)
{
	return d.links.map((/** @type {import('../drawing/flow.js').Link} */ link) => el('p', { class: 'link' },
		button(`${link.kind === 'launch' ? '← launched by' : '→ launched'} ${shown(link.event.name ?? '')}`, () => void app.select(link.event, { jumps: true }),
			{ title: 'go there (l)' }),
		el('span', { class: 'quiet', text: link.queue >= 0 ? ` ${ns(link.queue)} in the queue` : ' it began before the call returned' })));
}

/** @param {any} same @param {string} name */
function sameName(same, name)
{
	return [
		el('h3', { text: `${count(same.count)} of this name` }), histogram(same, `durations of ${name}`),
		el('p', { class: 'quiet', text: same.longer === 0 ? 'None of them is longer.' : `${count(same.longer)} of them ${same.longer === 1 ? 'is' : 'are'} longer.` }),
	];
}

/**
 * @param {HTMLElement} inside
 * @param {import('../app/app.js').App} app
 * @param {any} d the reply of /event
 */
export function showEvent(inside, app, d)
{
	const name = d.short_name || d.name || '(no name)', whole = d.name && d.name !== d.short_name;
	const isFinding = app.rows.byNumber.get(d.track)?.kind === 'findings';

	inside.append(el('h2', {}, ...(isFinding ? withCode(shown(name)) : [shown(name)])),
		el('div', { class: 'buttons' },
			button('Fit', () => void run(app, 'fit'), { title: 'fit it into the window (f)' }),
			button('Range around', () => void run(app, 'enclosing'), { title: 'the range around (u)' }),
			button('Find others', () => void app.search.run(`^${escapeRegExp(d.name ?? '')}$`), { title: 'search for all of this name' }),
			button('Copy name', async () => app.say(await copy(d.name ?? '') ? 'copied' : 'the browser does not allow copying'))),
		...links(app, d),
		...(d.finding ? [button(`Finding ${d.finding.number}: ${shown(d.finding.title ?? '').replaceAll('`', '')}`, () => void run(app, 'evidence'), { class: 'finding' })] : []),
		facts(app, d), ...(d.same_name ? sameName(d.same_name, name) : []),
		...(whole ? [el('details', {}, el('summary', { text: 'whole name' }), el('p', { class: 'whole', text: safe(d.name) }))] : []),
		...(d.missing ? [el('p', { class: 'quiet' }, ...withCode(safe(d.missing)))] : []));
}

/** @param {string} text */
const escapeRegExp = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
