/* What does each command do? They are named in keys.js. */
import { ask } from './ask.js';
import { savePng, saveSvg } from '../drawing/figure.js';
import { showHelp } from './help.js';
import { showBookmarks, showPalette } from './palette.js';
import { parseDuration } from '../base/duration.js';
import { switchTheme } from '../drawing/theme.js';
import { count, ns, time } from '../base/units.js';

const PAN = 0.08, PAN_MORE = 0.25, ZOOM = 0.7;
const GAPS = 64;

/** @typedef {import('../app/app.js').App} App */

/** @param {App} app @param {number} share of the window */
function pan(app, share)
{
	const [b, e] = app.window();

	app.state.pan((e - b) * share);
}

/** @param {App} app */
const length = (app) => app.window()[1] - app.window()[0];

/** Zooming keeps the cursor where it is, as long as it is seen. @param {App} app @param {number} factor */
function zoom(app, factor)
{
	const [b, e] = app.window(), { cursor } = app.state.is;

	app.state.zoom(factor, cursor >= b && cursor <= e ? cursor : (b + e) / 2);
}

/** @param {App} app */
function chosenRow(app)
{
	const { chosen } = app.state.is, i = chosen ? app.rows.indexOf(chosen.track, chosen.lane) : -1;

	return { i, row: app.rows.all[i] ?? null };
}

/** @param {App} app @param {number} by */
function line(app, by)
{
	const { rows } = app, { i } = chosenRow(app);
	const to = rows.all[Math.max(0, Math.min(rows.all.length - 1, i < 0 ? 0 : i + by))];

	if (to)
		app.choose(to.track.number, to.lane);
}

/** @param {App} app @param {1 | -1} way */
async function neighbour(app, way)
{
	const { row } = chosenRow(app), s = app.state.is.selection;

	if (!row) {
		line(app, 0);
		return;
	}
	const from = s?.kind === 'event' && s.event.track === row.track.number ? s.event.start : app.state.is.cursor;
	const event = await app.near(row.track.number, row.lane, from, way > 0 ? 'next' : 'previous');
	if (event)
		await app.select(event);
	else
		app.say(`no ${way > 0 ? 'later' : 'earlier'} event on this row`);
}

/** Idle are GPUs and streams: from any other row the way leads to the first GPU. @param {App} app */
function idleTrack(app)
{
	const { row } = chosenRow(app);

	if (row && (row.track.kind === 'gpu' || row.track.kind === 'stream'))
		return row.track;
	return app.rows.tracks.find((t) => t.kind === 'gpu' && (!row || t.capture === row.track.capture)) ?? null;
}

/** @param {App} app @param {1 | -1} way */
async function gap(app, way)
{
	const track = idleTrack(app), s = app.state.is.selection;

	if (!track) {
		app.say('there is no GPU that could be idle');
		return;
	}
	const [begin, end] = app.state.is.limits;
	const { gaps } = await app.source.json('/gaps', { track: track.number, begin, end, most: GAPS });
	const last = gaps.findIndex((/** @type {any} */ g) => s?.kind === 'gap' && s.track === track.number && g.start === s.start);
	const i = last < 0 ? 0 : (last + way + gaps.length) % gaps.length, to = gaps[i];

	if (!to) {
		app.say('there is no gap');
		return;
	}
	app.state.leave();
	app.choose(track.number, 0);
	app.state.set({ selection: { kind: 'gap', track: track.number, ...to }, cursor: to.start, pane: true });
	app.state.setWindow(to.start - (to.end - to.start), to.end + (to.end - to.start));
	app.say(`gap ${count(i + 1)} of the longest ${count(gaps.length)}: ${ns(to.end - to.start)} from ${time(to.start)}`);
}

/** @param {App} app */
async function enclosing(app)
{
	const s = app.state.is.selection;

	if (s?.kind !== 'event') {
		app.say('select an event first');
		return;
	}
	const { track, lane, at } = s.event, reply = await app.source.json('/around', { track, lane, at });
	if (reply.event)
		await app.select(reply.event, { jumps: true });
	else
		app.say('there is no range around it');
}

/** @param {App} app */
async function followLaunch(app)
{
	const link = app.state.is.details?.links?.[0];

	if (link)
		await app.select(link.event, { jumps: true });
	else
		app.say('select a call that launched something, or what was launched');
}

/** @param {App} app */
function measure(app)
{
	const { mark, cursor } = app.state.is, [start, end] = [Math.min(mark ?? 0, cursor), Math.max(mark ?? 0, cursor)];

	if (mark === null) {
		app.state.set({ mark: cursor });
		app.say('marked: v again at another time measures; < > move the cursor');
	} else if (start === end) {
		app.say('both marks are at one time: move the cursor between them (< >, j, [ ])');
	} else {
		app.state.set({ mark: null, selection: { kind: 'area', start, end } });
		app.say(`${ns(end - start)} between the marks`);
	}
}

/** @param {App} app */
function area(app)
{
	const [start, end] = app.state.selected() ?? app.window();

	app.state.set({ selection: { kind: 'area', start, end }, pane: true });
}

/** @param {App} app @param {(selected: [number, number]) => number} which */
function cursorTo(app, which)
{
	const selected = app.state.selected();

	if (selected)
		app.state.set({ cursor: which(selected) });
}

/** @param {App} app */
async function minimum(app)
{
	const { least } = app.state.is;
	const text = await ask('Pass over events shorter than', least ? ns(least) : '', 'such as 5 µs; empty: none');
	const duration = text === '' ? 0 : text === null ? null : parseDuration(text);

	if (duration !== null)
		app.state.set({ least: duration });
	else if (text !== null)
		app.say(`'${text}' is no duration`);
}

/** @param {App} app */
async function depth(app)
{
	const text = await ask('Levels of ranges that are shown', String(app.rows.depth), '0 to 64');

	if (text !== null && /^\d+$/.test(text)) {
		app.rows.depth = Math.min(64, Number(text));
		app.rows.list();
	}
}

/** @param {App} app */
async function goTo(app)
{
	const text = await ask('Go to a time', '', 'such as 1.234 s'), at = text ? parseDuration(text) : null;

	if (at !== null)
		app.goToTime(at);
}

/** @param {App} app */
function wholeNames(app)
{
	if (app.source.isFile) {
		app.say('this file has the short names of kernels: gpuwhy web has the whole ones');
		return;
	}
	app.source.wholeNames = !app.source.wholeNames;
	app.timeline?.forgetEvents();
	app.say(app.source.wholeNames ? 'whole names of kernels' : 'short names of kernels');
}

/** The finding that is about what is selected, as the pane names it. @param {App} app */
async function evidence(app)
{
	const { selection, details } = app.state.is;
	const finding = selection?.kind === 'gap' ? (await app.source.json('/gap', { track: selection.track, begin: selection.start, end: selection.end })).findings[0]
		: details?.finding;

	if (finding)
		await app.openFinding(finding);
	else
		app.say(selection?.kind === 'gap' ? 'no finding is about this gap' : 'no finding is about this event');
}

/** One thing at a time, the topmost first. @param {App} app */
function close(app)
{
	const { selection, mark, pattern } = app.state.is;

	if (mark !== null)
		app.state.set({ mark: null });
	else if (selection)
		app.state.set({ selection: null });
	else if (pattern)
		app.search.forget();
	else
		app.state.set({ tab: 'timeline' });
}

/** @param {App} app @param {(row: import('../timeline/rows.js').Row) => void} what */
function onRow(app, what)
{
	const { row } = chosenRow(app);

	if (row)
		what(row);
	else
		app.say('choose a row first: Up and Down');
}

/** @param {App} app */
function fold(app)
{
	onRow(app, ({ track }) => {
		const to = app.rows.foldable(track);

		if (!to)
			return;
		app.rows.fold(to);
		app.choose(to.number, 0);
	});
}

/** @type {Object<string, (app: App) => void | Promise<void>>} */
export const COMMANDS = {
	help: showHelp,
	palette: showPalette,
	'pan-left': (app) => pan(app, -PAN),
	'pan-right': (app) => pan(app, PAN),
	'pan-left-more': (app) => pan(app, -PAN_MORE),
	'pan-right-more': (app) => pan(app, PAN_MORE),
	'line-up': (app) => line(app, -1),
	'line-down': (app) => line(app, 1),
	'lines-up': (app) => line(app, -20),
	'lines-down': (app) => line(app, 20),
	'cursor-left': (app) => moveCursor(app, -1),
	'cursor-right': (app) => moveCursor(app, 1),
	'to-first': (app) => pan(app, (app.state.is.limits[0] - app.window()[0]) / length(app)),
	'to-last': (app) => pan(app, (app.state.is.limits[1] - app.window()[1]) / length(app)),
	'zoom-in': (app) => zoom(app, ZOOM),
	'zoom-out': (app) => zoom(app, 1 / ZOOM),
	fit: (app) => {
		const selected = app.state.selected();

		app.state.leave();
		if (selected)
			app.fit(selected);
	},
	'show-all': (app) => {
		app.state.leave();
		app.state.setWindow(...app.state.is.limits);
	},
	'next-event': (app) => neighbour(app, 1),
	'previous-event': (app) => neighbour(app, -1),
	'next-gap': (app) => gap(app, 1),
	'previous-gap': (app) => gap(app, -1),
	search: (app) => {
		app.search.input().focus();
		app.search.input().select();
	},
	'next-hit': (app) => app.search.step(1),
	'previous-hit': (app) => app.search.step(-1),
	details: (app) => app.state.set({ pane: !app.state.is.pane }),
	enclosing,
	evidence,
	'follow-launch': followLaunch,
	'to-start': (app) => cursorTo(app, (s) => s[0]),
	'to-end': (app) => cursorTo(app, (s) => s[1]),
	'minimum-duration': minimum,
	times: (app) => app.state.set({ relative: !app.state.is.relative }),
	'whole-names': wholeNames,
	depth,
	lanes: (app) => onRow(app, ({ track }) => {
		app.rows.toggle(app.rows.whole, track.name);
		app.rows.list();
	}),
	measure,
	align: (app) => app.runs.alignHere(),
	'align-first': (app) => app.runs.alignFirst(),
	area,
	link: (app) => app.copyLink(),
	'link-command': (app) => app.copyCommand(),
	pin: (app) => onRow(app, ({ track }) => app.rows.pin(track)),
	hide: (app) => onRow(app, ({ track }) => {
		const { i } = chosenRow(app);

		app.rows.hide(track);
		const near = app.rows.all[Math.min(i, app.rows.all.length - 1)];
		app.state.set({ chosen: near ? { track: near.track.number, lane: near.lane } : null });
	}),
	'show-rows': (app) => app.rows.showAll(),
	fold,
	bookmark: (app) => {
		app.bookmarks.add();
		app.say('bookmark set: . and , go through them, \' lists them');
	},
	bookmarks: showBookmarks,
	'next-bookmark': (app) => app.bookmarks.step(1),
	'previous-bookmark': (app) => app.bookmarks.step(-1),
	back: (app) => {
		if (!app.state.back())
			app.say('there was no jump before');
	},
	goto: goTo,
	theme: (app) => {
		switchTheme();
		app.timeline?.setLook();
	},
	'save-svg': saveSvg,
	'save-png': savePng,
	print: () => window.print(),
	close,
};

/** @param {App} app @param {1 | -1} way */
function moveCursor(app, way)
{
	const [b, e] = app.window(), by = Math.max(1, (e - b) / 200), { cursor } = app.state.is;
	const from = cursor < b || cursor > e ? (b + e) / 2 : cursor;

	app.state.set({ cursor: Math.round(from + way * by) });
}

/** @param {App} app @param {string} name */
export async function run(app, name)
{
	try {
		await COMMANDS[name](app);
	} catch (error) {
		app.trouble(error);
	}
}
