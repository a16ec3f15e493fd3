/* The page that `gpuwhy viewer` writes: from file://, without any request, it shows what it holds and says what it does not. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { withBrowser } from './lib/chromium.mjs';
import { traces, viewer } from './lib/program.mjs';
import { Suite } from './lib/suite.mjs';
import { tour } from './lib/tour.mjs';

/** @typedef {import('./lib/tour.mjs').Tour} Tour */

const suite = new Suite('web/offline', process.argv.slice(2));
const STREAM = 'GPU 0, stream 7';
const TABS = ['findings', 'kernels', 'ranges', 'steps', 'communication', 'memory', 'source', 'query', 'report'];

/** @param {string} name @param {...string} words */
const page = (name, ...words) => pathToFileURL(viewer(name, ...words)).href;

/** @param {Tour} t */
async function allTabs(t)
{
	for (const id of TABS) {
		await t.tab(id);
		const text = await t.text('#tab-view');
		assert.ok(text.length > 20, `${id} shows '${text}'`);
		assert.doesNotMatch(text, /Reading .* …|undefined|NaN|\[object/, id);
	}
}

await withBrowser(async (browser) => {
	await suite.case('a whole trace: zoom to single events, select, tabs', async () => {
		await tour(browser, page('whole', traces.train), async (t) => {
			await t.idle();
			assert.match(await t.text('#verdict'), /GPU/);
			await t.press('F');
			await t.clickRow(STREAM, 0.942);
			await t.press('f');
			const { selection, window } = await t.state();
			assert.equal(selection.kind, 'event');
			assert.ok(window[1] - window[0] < 2 * selection.event.duration);
			assert.ok((await t.picture()).some((line) => line.startsWith('text') && line.includes(selection.event.name.slice(0, 6))));
			await t.press('j', 'k');
			assert.equal((await t.state()).selection.event.at, selection.event.at);
			assert.match(await t.text('#pane'), /duration/);
			/* Where nothing was searched for n asks what for. */
			await t.press('F', 'g', 'l', 'u', 's', 'n');
			await t.type('nvjet');
			await t.press('Enter');
			assert.ok((await t.said()).length > 5);
			assert.match(await t.text('#hits'), /hits in this file/);
			await t.press('Escape', 'Escape');
			await allTabs(t);
			assert.match(await t.text('#tab-view'), /./);
			await t.tab('query');
			assert.match(await t.text('#tab-view'), /gpuwhy web/);
			await t.tab('kernels');
			await t.click('#tab-view tr.gt-opens');
			await t.reload();
			assert.equal((await t.state()).tab, 'kernels');
			assert.deepEqual(t.requests, []);
		});
	});
	await suite.case('--trim: what is chosen is in it, the rest is seen from afar', async () => {
		await tour(browser, page('trim', traces.train, '--trim', '19.3', '19.36'), async (t) => {
			await t.idle();
			const { window, limits } = await t.state();
			assert.ok(window[0] >= 19.29e9 && window[1] <= 19.37e9, `window ${window}`);
			assert.ok(limits[1] - limits[0] > 1e10);
			await t.clickRow(STREAM, 0.5);
			await t.press('f');
			assert.equal((await t.state()).selection.kind, 'event');
			await t.press('F');
			assert.ok((await t.picture()).some((line) => /^columns bars .*:255/.test(line)));
			await allTabs(t);
		});
	});
	await suite.case('--iteration: the step is the window', async () => {
		await tour(browser, page('iteration', traces.train, '--iteration', '2'), async (t) => {
			await t.idle();
			const length = await t.length();
			assert.ok(length > 4e7 && length < 6e7, `window of ${length} ns`);
			await t.clickRow(STREAM, 0.5);
			assert.equal((await t.state()).selection?.kind, 'event');
		});
	});
	await suite.case('--max-size: what is left out is said in the page', async () => {
		const url = page('tiny', traces.infer, '--max-size', '1');
		assert.ok(statSync(new URL(url)).size < 1_100_000);
		await tour(browser, url, async (t) => {
			await t.idle();
			assert.match(await t.text('body'), /left out of this file: single events of \d+ of \d+ rows/);
			await t.press('+', '+', '+', 'j', 'F');
			/* What is not there may have hits: it is no row without them. */
			await t.keyboard.press('/');
			await t.type('nvjet|gemm|cuda');
			await t.press('Enter');
			assert.match(await t.text('#hits'), /hits? in the events that are in this file; \d+ rows? w\w+ not searched in full[^]*not searched in full: /);
			const kept = await t.page.evaluate(() => {
				const { app } = /** @type {any} */ (globalThis).gpuwhy;

				return app.rows.all.filter((/** @type {any} */ r) => app.source.coarse.has(r.track.number) && app.source.isSearched(r.track.number))
					.map((/** @type {any} */ r) => app.search.found.has(r.track.number));
			});
			assert.ok(kept.length && !kept.includes(false), String(kept));
			await t.press('Escape', 'Escape');
			await allTabs(t);
		});
	});
	await suite.case('rows that are not in the file look like that, and are no gaps', async () => {
		await tour(browser, page('crowded', traces.crowded, '--max-size', '1'), async (t) => {
			await t.idle();
			assert.match(await t.text('body'), /left out of this file: .*all of \d+ of \d+ rows/);
			const { missing, coarse } = await t.page.evaluate(() => {
				const { app } = /** @type {any} */ (globalThis).gpuwhy;
				/** @param {(number: number) => boolean} is */
				const first = (is) => app.rows.tracks.find((/** @type {any} */ r) => is(r.number)).name;

				return { missing: first((n) => app.source.missing.has(n)), coarse: first((n) => app.source.coarse.has(n)) };
			});
			await t.clickRow(missing, 0.5);
			assert.equal((await t.state()).selection, null);
			assert.equal(await t.said(), 'this row is not in this file: gpuwhy web shows it');
			assert.ok((await t.picture()).some((line) => /^text .* not in this file$/.test(line)));
			/* What is seen from afar has no single events to tell of. */
			await t.clickRow(coarse, 0.001);
			await t.press('j');
			assert.match(await t.said(), /single events of this row are not in this file/);
			/* A selection sums up what is there, and says what is not. */
			await t.press('F', 's');
			await t.idle();
			assert.match(await t.text('#pane'), /GPU 0\s[^]*event[^]*\d+ rows not in this file in full/);
		});
	});
	await suite.case('two runs in one file: aligned at a step', async () => {
		await tour(browser, page('runs', traces.before, '--', traces.after), async (t) => {
			await t.idle();
			assert.match(await t.text('#aligned'), /^first warm step: B 195 ms later$/);
			await t.clickRow('after, steps', 0.93);
			const { name } = (await t.state()).selection.event;
			await t.press('S');
			assert.equal(`step ${(await t.state()).aligned}`, name);
			await t.keyboard.press('/');
			await t.type('^step 3$');
			await t.press('Enter');
			const { hits, strip } = await t.page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.app.search.result);
			assert.equal(strip.reduce((/** @type {number} */ a, /** @type {number} */ n) => a + n, 0), hits);
			await t.walkHits(hits);
		});
	});
	await suite.case('two ranks in one file', async () => {
		await tour(browser, page('ranks', traces.rank0, traces.rank1), async (t) => {
			await t.idle();
			const rows = await t.rows();
			assert.ok(rows.some((r) => /rank 0/.test(r)) && rows.some((r) => /rank 1/.test(r)));
			await t.tab('kernels');
			await t.page.locator('#capture').selectOption({ index: 1 });
			await t.idle();
			await allTabs(t);
		});
	});
});
suite.finish();
