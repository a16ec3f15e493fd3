/* Puts the page together: who answers, what is shown, which keys do what. */
import { App } from './app/app.js';
import { COMMANDS, run } from './commands/commands.js';
import { byId, button, el } from './base/dom.js';
import { startPrinting } from './drawing/figure.js';
import { Hover } from './timeline/hover.js';
import { begin, idle } from './base/idle.js';
import { belongsElsewhere, keyName, KEYS } from './commands/keys.js';
import { parsePlace } from './app/link.js';
import { Pointer } from './timeline/pointer.js';
import { quoteWord } from './base/shell.js';
import { SidePane } from './panes/side_pane.js';
import { FileSource } from './sources/file_source.js';
import { Gone, problemText, Refused, ServerSource } from './sources/source.js';
import { StatusLine } from './frame/status_line.js';
import { TabBar } from './frame/tab_bar.js';
import { tabs } from './tabs/index.js';
import { startTheme } from './drawing/theme.js';
import { Timeline } from './timeline/timeline.js';
import { Verdict } from './frame/verdict.js';

const TOKEN_KEY = 'gpuwhy.token';
const POLL_MS = 250;
const NARROW = 1000;

/** The token is in the fragment when the page is first opened, and never again. */
function takeToken()
{
	const place = parsePlace(location.hash, 0n), rest = location.hash.replace(/^#/, '').split('&')
		.filter((p) => p !== '' && !p.startsWith('token=')).join('&');

	if (place.token) {
		sessionStorage.setItem(TOKEN_KEY, place.token);
		history.replaceState(null, '', rest ? `#${rest}` : location.pathname);
	}
	return sessionStorage.getItem(TOKEN_KEY) ?? '';
}

/** @returns {import('./sources/source.js').Source} */
function findSource()
{
	const recorded = document.getElementById('recorded');

	return recorded ? new FileSource(JSON.parse(recorded.textContent ?? '')) : new ServerSource(takeToken());
}

/**
 * Says what to do, over whatever is shown.
 * @param {Error} error
 * @param {?App} app
 */
function showTrouble(error, app)
{
	const box = byId('trouble');
	const [what, then, command] = troubleText(error, app);

	box.replaceChildren(el('strong', { text: what }), el('span', { text: ` ${then}` }), ...(command ? [el('code', { text: command })] : []),
		button('Dismiss', () => {
			box.hidden = true;
		}));
	box.hidden = false;
}

/**
 * What is the matter, what to do, and the command to do it with.
 * @param {Error} error
 * @param {?App} app
 */
function troubleText(error, app)
{
	const command = app?.session.command.map(quoteWord).join(' ') ?? '';

	if (error instanceof Refused && error.status === 401)
		return ['This page needs the URL that gpuwhy web printed.', 'Open that one, with its #token=…; a new start of the program has a new one.', ''];
	if (error instanceof Gone)
		return ['gpuwhy does not answer any more.', `Start it again and open the URL that it prints${command ? ': ' : '.'}`, command];
	return ['This page is not as it should be.', problemText(error), ''];
}

/** @param {App} app @param {import('./app/app.js').Session} session */
function showLoading(app, session)
{
	const line = byId('loading'), { loading } = session, known = loading && loading.total > 0;

	line.hidden = !loading;
	line.title = loading?.what ?? '';
	line.classList.toggle('unknown', !known);
	line.style.setProperty('--done', known ? String(loading.done / loading.total) : '0.3');
	if (loading)
		app.say(`${loading.what} …`);
}

/**
 * Rows come while the program reads.
 * @param {App} app
 */
async function readTracks(app)
{
	const reply = await app.source.json('/tracks');

	app.setTracks(reply.tracks);
	if (!app.state.is.chosen && reply.tracks.length && !app.awaited?.row) {
		const first = reply.tracks.find((/** @type {any} */ t) => t.kind === 'gpu') ?? reply.tracks[0];

		app.state.set({ chosen: { track: first.number, lane: 0 } });
	}
	return reply.tracks_version;
}

/** @param {App} app @param {() => void} onDone */
async function watch(app, onDone)
{
	const end = begin();
	let version = -1;

	try {
		for (;;) {
			const { session } = app;

			showLoading(app, session);
			if (session.tracks_version !== version)
				version = await readTracks(app);
			if (!session.loading)
				break;
			await new Promise((resolve) => setTimeout(resolve, POLL_MS));
			app.setSession(await app.source.json('/session'));
		}
		app.say('');
		onDone();
	} catch (error) {
		app.trouble(error);
	} finally {
		end();
	}
}

/** @param {App} app @param {TabBar} bar */
function startKeys(app, bar)
{
	/** @type {Map<string, import('./commands/keys.js').Key>} */
	const byKey = new Map(KEYS.flatMap((k) => k.keys.map((name) => [name, k])));

	addEventListener('keydown', (e) => {
		const name = keyName(e), key = byKey.get(name);

		if (belongsElsewhere(e) && name !== 'Ctrl+k')
			return;
		if (/^[0-9]$/.test(name)) {
			bar.open(Number(name) || 10);
		} else if (key && (key.anywhere || app.state.is.tab === 'timeline') && key.command in COMMANDS) {
			e.preventDefault();
			void run(app, key.command);
		}
	});
}

/** @param {App} app */
function startLinks(app)
{
	app.state.follow((changed) => {
		if (['window', 'selection', 'chosen', 'tab', 'pattern', 'aligned'].some((name) => changed.has(name)))
			app.writeLink();
	});
	app.rows.follow(() => app.writeLink());
	addEventListener('hashchange', () => {
		/* The program was started again, and its new URL opened in this tab: all begins anew. */
		if (/(^#|&)token=/.test(location.hash)) {
			takeToken();
			location.reload();
			return;
		}
		if (location.hash.slice(1) !== app.link()) {
			app.state.leave();
			app.applyLink(location.hash);
		}
	});
	if (location.hash.length > 1)
		app.applyLink(location.hash);
}

/** @param {App} app */
function startCaptures(app)
{
	const pick = /** @type {HTMLSelectElement} */ (byId('capture'));
	const list = () => {
		pick.replaceChildren(...app.session.captures.map((c, i) => (c.is_shown === false ? null
			: el('option', { value: i, text: c.name ?? c.path.split('/').pop() }))).filter((o) => o !== null));
		pick.hidden = pick.options.length < 2;
		pick.value = String(app.capture());
	};

	list();
	pick.addEventListener('change', () => app.setCapture(Number(pick.value)));
	app.state.follow((changed) => {
		if (changed.has('clock'))
			list();
		if (changed.has('capture'))
			pick.value = String(app.capture());
	});
}

/** How two runs lie over each other is always told. @param {App} app */
function startRuns(app)
{
	const place = byId('aligned');
	const tell = () => {
		place.hidden = !app.runs.are();
		place.textContent = app.runs.are() ? app.runs.text() : '';
	};

	tell();
	place.addEventListener('click', () => void run(app, 'align'));
	app.state.follow((changed) => {
		if (changed.has('aligned') || changed.has('clock') || changed.has('limits'))
			tell();
	});
}

async function start()
{
	const end = begin(), source = findSource();
	/** @type {?App} */
	let app = null;

	source.onTrouble = (/** @type {Error} */ error) => showTrouble(error, app);
	source.onAnswer = () => {
		byId('trouble').hidden = true;
	};
	try {
		const made = (app = new App(source, await source.json('/session')));
		const timeline = (made.timeline = new Timeline(made));

		made.run = (name) => run(made, name);
		startTheme(() => timeline.setLook());
		timeline.setLook();
		new StatusLine(made);
		new Pointer(made, timeline, new Hover(made, timeline));
		startCaptures(made);
		startRuns(made);
		const bar = new TabBar(made, tabs);
		/* There is no room for it beside the rows of a telephone: what is selected opens it. */
		made.state.set({ pane: innerWidth > NARROW });
		new SidePane(made);
		made.search.start();
		startKeys(made, bar);
		startPrinting(made);
		byId('help').addEventListener('click', () => void run(made, 'help'));
		byId('palette').addEventListener('click', () => void run(made, 'palette'));
		byId('theme').addEventListener('click', () => void run(made, 'theme'));
		expose(made, timeline);
		document.body.classList.add('ready');
		startLinks(made);
		void watch(made, () => new Verdict(made));
	} catch (error) {
		showTrouble(/** @type {Error} */ (error), app);
	} finally {
		end();
	}
}

/** For tests, and for the curious. @param {App} app @param {Timeline} timeline */
function expose(app, timeline)
{
	Object.assign(window, {
		gpuwhy: {
			app, idle, record: () => timeline.record(), frames: () => timeline.frames.slice(),
			run: (/** @type {string} */ name) => run(app, name),
		},
	});
}

void start();
