/* The tabs, several captures, traces that lack something, and a program that is gone. */
import assert from 'node:assert/strict';
import { withBrowser } from './lib/chromium.mjs';
import { endAll, serve, shared, traces } from './lib/program.mjs';
import { Suite } from './lib/suite.mjs';
import { tour } from './lib/tour.mjs';

/** @typedef {import('./lib/tour.mjs').Tour} Tour */

const suite = new Suite('web/tabs', process.argv.slice(2));
const TABS = ['findings', 'kernels', 'ranges', 'steps', 'communication', 'memory', 'source', 'query', 'report'];

/** @param {Tour} t @param {string} id */
async function shows(t, id)
{
	await t.press(String((TABS.indexOf(id) + 2) % 10));
	const { tab, text } = await t.page.evaluate(() => ({
		tab: /** @type {any} */ (globalThis).gpuwhy.app.state.is.tab, text: /** @type {HTMLElement} */ (document.getElementById('tab-view')).innerText.trim(),
	}));

	assert.equal(tab, id);
	assert.ok(text.length > 20, `${id} shows '${text}'`);
	assert.doesNotMatch(text, /Reading .* …|undefined|NaN|\[object/, id);
	return text;
}

/** Traces that lack something, and where that is seen. @type {Record<string, string[]>} */
const BARE = { nothing: TABS, no_ranges: TABS, no_kernels: TABS, one_shot: TABS, samples: ['source'], nccl: ['communication'] };

/** @type {Record<string, (t: Tour) => Promise<void>>} */
const OPENED = {
	async 'every tab shows something, by key and by click'(t) {
		for (const id of TABS)
			await shows(t, id);
		for (const id of ['timeline', ...TABS]) {
			await t.page.locator(`#tab-${id}`).click();
			assert.equal((await t.state()).tab, id);
		}
		await t.idle();
	},

	async 'a kernel opens: how its launches vary, and one of them in the timeline'(t) {
		await t.tab('kernels');
		await t.click('#tab-view tr.gt-opens');
		assert.match(await t.text('#tab-view'), /launches/i);
		assert.ok(await t.page.locator('#tab-view svg').count() > 0);
		await t.page.locator('#tab-view tr.gt-opens').last().click();
		await t.idle();
	},

	async 'a table is sorted, filtered, walked by keys and copied'(t) {
		await t.tab('kernels');
		const first = () => t.text('#tab-view tbody tr');
		const before = await first();
		await t.click('#tab-view th button');
		assert.match(await t.page.locator('#tab-view th').first().getAttribute('aria-sort') ?? '', /ascending|descending/);
		assert.notEqual(await first(), before);
		await t.page.locator('#tab-view .gt-filter').first().fill('nvjet');
		assert.match(await t.text('#tab-view .gt-says'), /of \d+ rows/);
		assert.match(await first(), /nvjet/);
		for (const kind of await t.page.locator('#tab-view .gt-copies').first().locator('button').allInnerTexts()) {
			await t.page.locator('#tab-view .gt-copies').first().getByText(kind, { exact: true }).click();
			await t.idle();
			const copied = await t.page.evaluate(() => navigator.clipboard.readText());
			assert.match(copied, /nvjet/, kind);
			assert.ok(copied.split('\n').length > 3, kind);
		}
		await t.page.locator('#tab-view tbody tr').first().focus();
		await t.press('ArrowDown', 'ArrowDown', 'Enter');
		assert.equal(await t.page.locator('#tab-view tr[aria-current]').getAttribute('data-at'), '2');
	},

	async 'ranges: the icicle zooms by click and keys, and a row opens'(t) {
		await t.tab('ranges');
		const boxes = t.page.locator('.gi-box'), path = () => t.text('.gi-path');
		const whole = await path();
		assert.ok(await boxes.count() > 3);
		await boxes.first().click();
		await t.idle();
		const zoomed = await path();
		assert.notEqual(zoomed, whole);
		await t.page.locator('.gi-field').focus();
		await t.press('Backspace');
		assert.notEqual(await path(), zoomed);
		await t.press('ArrowDown', 'ArrowRight', 'Enter');
		await t.click('.gi-foot button');
		assert.equal((await t.state()).tab, 'timeline');
		await t.tab('ranges');
		await t.click('#tab-view tr.gt-opens');
	},

	async 'steps: one opens in the timeline'(t) {
		await t.tab('steps');
		await t.click('#tab-view tr.gt-opens');
		const { tab, window, limits } = await t.state();
		assert.equal(tab, 'timeline');
		assert.ok(window[1] - window[0] < (limits[1] - limits[0]) / 2);
	},

	async 'query: an answer, a row in the timeline, a chart, what is wrong, what came before'(t) {
		await t.tab('query');
		const box = t.page.locator('.gq-sql');
		await box.fill('SELECT name, start_ns, duration_ns FROM kernels ORDER BY duration_ns DESC LIMIT 5');
		await t.press('Control+Enter');
		assert.equal(await t.page.locator('.gq-result tbody tr').count(), 5);
		assert.deepEqual(await t.page.locator('.gq-result th').allInnerTexts(), ['name', 'start_ns', 'duration_ns']);
		assert.match(await t.text('.gq-result tbody td:nth-child(2)'), /^[\d,]{11,}$/);
		await t.click('.gq-chart summary');
		assert.ok(await t.page.locator('.gq-chart svg').count() > 0);
		await t.click('.gq-result tbody tr');
		assert.equal((await t.state()).tab, 'timeline');
		await t.tab('query');
		await box.fill('SELECT name FROM nowhere');
		await t.click('text="run"');
		assert.match(await t.text('.gq-result'), /syntax error|nowhere/);
		await box.fill('DELETE FROM kernels');
		await t.press('Control+Enter');
		assert.ok((await t.text('.gq-result')).length > 10);
		assert.ok(await t.page.locator('.gq-past option').count() >= 3);
	},

	async 'the window of the tabs: all of it, or what the timeline shows'(t) {
		await t.tab('kernels');
		const about = () => t.text('#tab-view .gw-body'), chosen = await about();
		await t.page.locator('label', { hasText: 'Window' }).locator('select').selectOption('all');
		await t.idle();
		assert.notEqual(await about(), chosen);
		await t.page.locator('label', { hasText: 'Window' }).locator('select').selectOption('');
		await t.idle();
		assert.equal(await about(), chosen);
	},
};

/** @param {Tour} t */
async function opened(t)
{
	const server = await shared(traces.train);

	for (const [name, go] of suite.some(OPENED, 0.5)) {
		await suite.case(name, async () => {
			await t.afresh(server.at('w=19254062825,19495581983'));
			await go(t);
			t.check();
		});
	}
}

/** @param {Tour} t */
async function captures(t)
{
	await suite.case('two ranks: rows of each, tabs of either', async () => {
		const server = await shared(traces.rank0, traces.rank1);
		await t.restart(server.url);
		const rows = await t.rows();
		assert.ok(rows.some((r) => /rank 0/.test(r)) && rows.some((r) => /rank 1/.test(r)), rows.join());
		/* One name has one colour, whichever came first in its capture. */
		const colours = await t.page.evaluate(() => {
			const { app } = /** @type {any} */ (globalThis).gpuwhy, { cache } = app.timeline;
			/** @type {Record<string, number[][]>} */
			const of = {};

			for (const track of app.rows.tracks.filter((/** @type {any} */ r) => r.nested)) {
				for (const tile of cache.events.tracks.get(track.number)?.values() ?? []) {
					for (const lane of tile?.lanes ?? [])
						lane.names.forEach((/** @type {string} */ name, /** @type {number} */ i) => ((of[name] ??= [[], []])[track.capture].push(lane.class[i])));
				}
			}
			return Object.entries(of);
		});
		assert.ok(colours.filter(([, [a, b]]) => a.length && b.length).length > 2, JSON.stringify(colours));
		assert.deepEqual(colours.filter(([, [a, b]]) => new Set([...a, ...b]).size > 1), []);
		/* Tables of a part of the time say whose they are, and have the times of the ruler. */
		const area = await t.page.evaluate(async () => {
			const { app } = /** @type {any} */ (globalThis).gpuwhy, [b, e] = app.state.is.limits;

			app.choose(app.rows.tracks.find((/** @type {any} */ r) => r.kind === 'gpu' && r.capture === 1).number, 0);
			/* Far apart, so that a time of the wrong clock is seen. */
			app.session.captures[1].shift += 1e12;
			app.state.set({ selection: { kind: 'area', start: b + (e - b) * 0.2, end: b + (e - b) * 0.8 } });
			return app.ownToPage(0, 1) / 1e9;
		});
		await t.idle();
		assert.match(await t.text('#pane'), /Kernels of rank 1[^]*Gaps of rank 1/);
		const start = Number(/Gaps of rank 1[^]*?Idle[^]*?([\d.]+) s/.exec((await t.text('#pane')).replaceAll(',', ''))?.[1]);
		assert.ok(start > area && start < area + 100, `${start}, ${area}`);
		await t.restart(server.url);
		/* The strip of the whole has a line for all rows, however many there are, and as many of each capture. */
		for (const [captures, gpus, lines] of [[1, 8, 8], [2, 8, 8], [3, 16, 12], [16, 2, 11], [5, 9, 10]]) {
			const made = await t.page.evaluate(async ([n, each]) => {
				const { overviewLines } = await import(/** @type {any} */ ('/web/drawing/overview.js'));

				return overviewLines(Array.from({ length: n * each }, (_, i) => ({ number: i, capture: Math.floor(i / each) })));
			}, [captures, gpus]);
			assert.equal(made.length, lines, `${captures} · ${gpus}`);
			assert.deepEqual(made.flat().map((/** @type {any} */ r) => r.number), Array.from({ length: captures * gpus }, (_, i) => i));
		}
		await t.tab('kernels');
		await t.page.locator('#capture').selectOption({ index: 1 });
		await t.idle();
		assert.equal((await t.state()).capture, 1);
		assert.match(await t.text('#verdict'), /^rank 1:/);
		for (const id of TABS)
			assert.match(await shows(t, id), /times are on rank 1's own clock: [\d.]+ µs more on the timeline/, id);
		await t.page.locator('#capture').selectOption({ index: 0 });
		await t.idle();
		assert.doesNotMatch(await t.text('#tab-view'), /own clock/);
		await t.press('1', 'F', 'g', 'f');
		t.check();
	});
}

/** @param {Tour} t */
async function runs(t)
{
	const server = await shared(traces.before, '--', traces.after);
	/** When a step begins, as it is drawn. @param {import('./lib/tour.mjs').Tour} t @param {number} capture @param {number} step */
	const begins = (t, capture, step) => t.page.evaluate(([number, at]) => {
		const { app } = /** @type {any} */ (globalThis).gpuwhy, { cache } = app.timeline, by = app.source.clocks.ofCapture(number);
		const track = app.rows.tracks.find((/** @type {any} */ r) => r.kind === 'steps' && r.capture === number).number;

		for (const tile of cache.events.tracks.get(track).values()) {
			const i = tile?.lanes[0]?.at.indexOf(at) ?? -1;

			if (i >= 0)
				return tile.lanes[0].start[i] + by;
		}
		return null;
	}, [capture, step]);

	await suite.case('two runs: their steps begin together, and they are panned together', async () => {
		await t.restart(server.url);
		const { session, gpus } = await t.page.evaluate(() => {
			const { app } = /** @type {any} */ (globalThis).gpuwhy;

			return { session: app.session, gpus: app.rows.tracks.filter((/** @type {any} */ r) => r.kind === 'gpu') };
		});
		assert.equal(session.captures.length, 2);
		assert.equal(session.clock, 'steps');
		assert.deepEqual(gpus.map((/** @type {any} */ g) => g.capture), [0, 1]);
		/* One time is at one place in both, wherever the window is. */
		await t.press('+', '+', 'ArrowRight');
		for (const { name, number } of gpus) {
			await t.clickRow(name, 0.5);
			const { cursor, window, chosen } = await t.state();
			assert.equal(chosen.track, number);
			assert.ok(Math.abs(cursor - (window[0] + window[1]) / 2) < (window[1] - window[0]) / 100 || (await t.state()).selection?.kind === 'event');
		}
		await t.tab('findings');
		await t.page.locator('#capture').selectOption({ index: 1 });
		await t.idle();
		assert.ok((await t.text('#tab-view')).length > 20);
		assert.match(await t.text('#verdict'), /^B: after:/);
		t.check();
	});
	await suite.case('two runs: aligned at another step, which the address keeps', async () => {
		await t.restart(server.url);
		assert.match(await t.text('#aligned'), /^first warm step: B 195 ms later$/);
		assert.ok((await t.page.locator('#labels .name').allInnerTexts()).includes('B: after'));
		await t.clickRow('before, steps', 0.93);
		const { event } = (await t.state()).selection;
		assert.match(event.name, /^step \d+$/);
		/* A range of the host may begin before the step that it is of. */
		const of = await t.page.evaluate(async (step) => {
			const { app } = /** @type {any} */ (globalThis).gpuwhy, { selection, cursor } = app.state.is, start = step.start - step.duration / 10;

			app.state.set({ selection: { kind: 'event', event: { ...step, start } }, cursor: start });
			const { name } = await app.runs.stepHere('A');
			app.state.set({ selection, cursor });
			return name;
		}, event);
		assert.equal(of, event.name);
		await t.idle();
		await t.press('S');
		const { aligned, limits } = await t.state();
		assert.equal(`step ${aligned}`, event.name);
		assert.equal(await begins(t, 0, aligned), event.start);
		assert.equal(await begins(t, 1, aligned), event.start);
		assert.match(await t.text('#aligned'), new RegExp(`^step ${aligned}: B [\\d.]+ ms later$`));
		assert.match(await t.said(), new RegExp(`^aligned at step ${aligned}: B [\\d.]+ ms later$`));
		/* What is drawn, pointed at, selected, summed and found of B is where it is drawn. */
		await t.clickRow('after, steps', 0.93);
		const other = (await t.state()).selection.event, [b, e] = await t.window();
		const place = (other.start - b) / (e - b);
		assert.ok(place <= 0.93 && place + other.duration / (e - b) >= 0.93, JSON.stringify([other, b, e]));
		assert.match(await t.text('#pane'), new RegExp(`start\\s+${(other.start / 1e9).toFixed(6)} s`));
		await t.press('k', 'j');
		assert.deepEqual((await t.state()).selection.event.at, other.at);
		await t.press('f');
		const near = await t.window();
		assert.ok(near[0] < other.start && near[1] > other.start + other.duration);
		await t.press('s');
		assert.match(await t.text('#pane'), /after, GPU 0/);
		await t.keyboard.press('/');
		await t.type('^step 3$');
		await t.press('Enter');
		const { hits, strip } = await t.page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.app.search.result);
		assert.ok(hits > 1);
		assert.equal(strip.reduce((/** @type {number} */ a, /** @type {number} */ n) => a + n, 0), hits);
		await t.walkHits(hits);
		await t.press('/', 'Escape', ...new Array(1 + 2 * hits).fill('Backspace'));
		assert.deepEqual(await t.window(), near);
		/* The address leads to the same, in a page that knows nothing of it yet. */
		await t.wrote();
		assert.match(t.page.url(), new RegExp(`align=${aligned}`));
		const drawn = await t.picture();
		await t.reload();
		assert.equal((await t.state()).aligned, aligned);
		assert.deepEqual((await t.state()).limits, limits);
		assert.deepEqual(await t.window(), near);
		assert.deepEqual((await t.picture()).filter((line) => line.startsWith('columns')), drawn.filter((line) => line.startsWith('columns')));
		await t.command('align both at their first');
		assert.equal((await t.state()).aligned, null);
		assert.match(await t.text('#aligned'), /^first warm step: B 195 ms later$/);
		t.check();
	});
	await suite.case('two runs: a step that one of them has not', async () => {
		await t.page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.app.applyLink('align=999'));
		await t.idle();
		assert.match(await t.said(), /A has no step 999/);
		await t.page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.app.applyLink(''));
		await t.idle();
		assert.equal(await t.said(), '');
		assert.equal((await t.state()).aligned, null);
		t.check();
	});
}

/** Sides that are no two runs with steps. @param {Tour} t */
async function sides(t)
{
	await suite.case('two runs, one without steps: what is aligned is said as it is', async () => {
		const server = await shared(traces.before, '--', traces.one_shot);

		await t.restart(server.url);
		assert.match(await t.text('#aligned'), /^first warm step of A, first GPU work of B: B .* later$/);
		await t.press('S');
		assert.equal(await t.said(), 'B has no steps');
		t.check();
		await server.end();
	});
	await suite.case('two jobs: the captures of each keep their clock', async () => {
		const alone = await shared(traces.rank0, traces.rank1), server = await shared(traces.before, '--', traces.rank0, traces.rank1);

		await t.restart(alone.url);
		/** @returns {Promise<any>} */
		const session = () => t.page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.app.session);
		const [first, second] = (await session()).captures;

		await t.restart(server.url);
		const { captures } = await session();
		assert.deepEqual(captures.map((/** @type {any} */ c) => c.side), ['A', 'B', 'B']);
		assert.notEqual(first.shift, second.shift);
		assert.equal(captures[2].shift - captures[1].shift, second.shift - first.shift);
		/* They are moved together, too. */
		await t.clickRow('before, steps', 0.5);
		await t.press('S');
		const moved = (await session()).captures;
		assert.notEqual(moved[1].shift, captures[1].shift);
		assert.equal(moved[2].shift - moved[1].shift, second.shift - first.shift);
		t.check();
		await alone.end();
		await server.end();
	});
}

/** What a stranger's trace lacks. @param {Tour} t */
async function bare(t)
{
	for (const [name, tabs] of suite.some(BARE, 0.5)) {
		await suite.case(`${name}: timeline and tabs`, async () => {
			const server = await shared(traces[name]);
			await t.restart(server.url);
			await t.press('g', '+', 'j', 'l', 'u', 's', 'F');
			for (const id of tabs)
				await shows(t, id);
			t.check();
			await server.end();
		});
	}
}

/** @param {import('playwright-core').Browser} browser */
async function gone(browser)
{
	await suite.case('the program is gone: the page says so and does not ask without pause', async () => {
		const server = await serve(traces.one_shot);
		await tour(browser, server.url, async (t) => {
			await t.idle();
			await server.end();
			const before = t.requests.length;
			await t.press('+', '+', '+');
			assert.ok(await t.seen('#trouble'));
			assert.match(await t.text('#trouble'), /does not answer any more[\s\S]*gpuwhy web/);
			await t.tab('kernels');
			assert.ok((await t.text('#tab-view')).length > 10);
			assert.ok(t.requests.length - before < 40, `it asked ${t.requests.length - before} times`);
			const now = t.requests.length;
			/* What a page does by itself takes time to be seen: here nothing is waited for. */
			await t.page.waitForTimeout(1000);
			assert.ok(t.requests.length - now <= 1, `it asked ${t.requests.length - now} times by itself`);
			await t.click('#trouble button');
			assert.equal(await t.seen('#trouble'), false);
		}, { mayLog: /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/ });
	});
	await suite.case('a wrong token: what to do is said, and nothing of the trace is shown', async () => {
		const server = await shared(traces.train);
		await tour(browser, `${server.origin}/#token=wrong`, async (t) => {
			await t.page.locator('#trouble').waitFor();
			assert.match(await t.text('#trouble'), /needs the URL/);
			assert.doesNotMatch(await t.text('body'), /nvjet|train\.sqlite/);
		}, { mayLog: /status of 401/ });
	});
}

await withBrowser(async (browser) => {
	/* One page for all: what it keeps is forgotten where another trace is opened in it. */
	await tour(browser, (await shared(traces.train)).url, async (t) => {
		await t.idle();
		t.check();
		await opened(t);
		await captures(t);
		await runs(t);
		await sides(t);
		await bare(t);
	});
	await gone(browser);
});
endAll();
suite.finish();
