/* The timeline as a person uses it: every key that goes somewhere, the pointer, links, the palette. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { withBrowser } from './lib/chromium.mjs';
import { endAll, gpuwhy, scratch, shared, traces } from './lib/program.mjs';
import { Suite } from './lib/suite.mjs';
import { tour } from './lib/tour.mjs';

const suite = new Suite('web/tours', process.argv.slice(2));
const GPU = 'GPU 0', STREAM = 'GPU 0, stream 7', CALLS = 'python3 527, CUDA calls';

/** A window of one step of train: there are kernels, calls and ranges in it. */
const STEP = 'w=19262000000,19300000000&row=GPU%200';

/** @param {import('playwright-core').Browser} browser */
async function timeline(browser)
{
	const server = await shared(traces.train);

	await tour(browser, server.url, async (t) => {
		await t.idle();
		await suite.case('it opens: verdict, rows, the warm steps, no token in the address', async () => {
			assert.match(await t.text('#verdict'), /GPU/);
			assert.ok((await t.rows()).includes(STREAM));
			const { window, limits } = await t.state();
			assert.ok(window[0] >= limits[0] && window[1] <= limits[1] && window[0] < 19.3e9 && window[1] > 19.45e9, `window ${window}`);
			assert.doesNotMatch(t.page.url(), /token/);
			assert.match(await t.page.title(), /train\.sqlite – gpuwhy/);
			t.check();
		});
		for (const [name, go] of suite.some(TOURS, 0.5)) {
			await suite.case(name, async () => {
				await t.afresh(server.at(STEP));
				await go(t);
				t.check();
			});
		}
		for (const [name, go] of suite.some(LASTING, 0.5)) {
			await suite.case(name, async () => {
				await t.restart(server.at(STEP));
				await go(t);
				t.check();
			});
		}
	});
}

/** What is done in a page that shows one step. @type {Record<string, (t: import('./lib/tour.mjs').Tour) => Promise<void>>} */
const TOURS = {
	async 'search: hits, n and N, which go back to the same one'(t) {
		await t.keyboard.press('/');
		await t.type('nvjet.*NNT');
		await t.press('Enter');
		assert.match(await t.text('#hits'), /hits/);
		const first = (await t.state()).selection.event;
		assert.match(first.name, /nvjet.*NNT/);
		await t.press('n');
		const second = (await t.state()).selection.event;
		assert.ok(second.start >= first.start && second.at !== first.at);
		await t.press('N');
		assert.deepEqual((await t.state()).selection.event, first);
		assert.ok(await t.seen('#hits'));
		await t.wrote();
		assert.match(t.page.url(), /find=nvjet/);
		await t.press('/', 'Escape');
		await t.wrote();
		assert.equal((await t.state()).pattern, '');
		assert.equal(await t.seen('#hits'), false);
		assert.doesNotMatch(t.page.url(), /find=/);
		assert.equal(await t.page.locator('#labels .pale').count(), 0);
	},

	async 'search: after the last hit comes the first, and says so'(t) {
		await t.keyboard.press('/');
		await t.type('^iteration 0$');
		await t.press('Enter');
		const { hits } = await t.page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.app.search.result);
		const first = (await t.state()).selection.event;
		const said = [];
		for (let i = 0; i < hits; i++) {
			await t.press('n');
			said.push(await t.said());
		}
		assert.deepEqual((await t.state()).selection.event, first);
		assert.equal(said.filter((text) => /^no later hit: the first/.test(text)).length, 1, said.join('; '));
	},

	async 'search: the program alone says what is marked, in whatever way a browser would read the pattern'(t) {
		/* For a browser the first is a Q, and the second an h; the last is about what is not drawn of a name. */
		for (const pattern of ['\\Qnvjet\\E', '_tst_\\H+$', 'elementwise_kernel<.*']) {
			await t.keyboard.press('/');
			await t.page.locator('#pattern').fill(pattern);
			await t.press('Enter', 'f');
			const { name, start } = (await t.state()).selection.event, drawn = await t.picture(), [b, e] = await t.window();
			const hits = (drawn.find((line) => line.startsWith('rects #c2185b')) ?? '').split(' ').slice(2).map(Number), width = await t.page.locator('#over').evaluate((c) => c.clientWidth);
			assert.ok(hits.some((x, i) => i % 4 === 0 && Math.abs(x - (start - b) / (e - b) * width) < 1), `${pattern}: ${name} is not marked`);
			await t.press('/', 'Escape');
			assert.ok(!(await t.picture()).some((line) => line.startsWith('rects #c2185b')), 'what is forgotten is marked no more');
		}
	},

	async 'search: what was found lies beside the strip of hits and the title of the details'(t) {
		await t.keyboard.press('/');
		await t.type('nvjet');
		await t.press('Enter');
		const boxes = await t.page.evaluate(() => ['hits', 'overview', 'verdict'].map((id) => document.getElementById(id)?.getBoundingClientRect().toJSON())
			.concat([document.querySelector('#pane h2')?.getBoundingClientRect().toJSON()]));
		for (const other of boxes.slice(1))
			assert.ok(boxes[0].top >= other.bottom, JSON.stringify(boxes));
	},

	async 'search: what is no expression is said, what is not there has no hit'(t) {
		await t.keyboard.press('/');
		await t.type('(gemm');
		await t.press('Enter');
		assert.match(await t.said(), /\(gemm|parenthes/);
		await t.page.locator('#pattern').fill('no such name');
		await t.press('Enter');
		assert.match(await t.said(), /^no hit of no such name$/);
		assert.doesNotMatch(await t.text('#hits'), /n ▸/);
	},

	async 'zoom by keys keeps the cursor, show-all and back'(t) {
		const before = await t.length();
		await t.press('+');
		assert.ok(Math.abs(await t.length() / before - 0.7) < 0.01);
		await t.press('-');
		assert.ok(Math.abs(await t.length() / before - 1) < 0.01);
		await t.press('F');
		const { window, limits } = await t.state();
		assert.deepEqual(window, limits);
		await t.press('Backspace');
		assert.ok(Math.abs(await t.length() / before - 1) < 0.01);
	},

	async 'Ctrl and the wheel zoom at the pointer'(t) {
		const { x, y } = await t.place(GPU, 0.25), [b, e] = await t.window();
		await t.mouse.move(x, y);
		await t.keyboard.down('Control');
		await t.mouse.wheel(0, -300);
		await t.keyboard.up('Control');
		await t.idle();
		const [b1, e1] = await t.window();
		assert.ok(e1 - b1 < (e - b) * 0.7);
		assert.ok(Math.abs(b1 + (e1 - b1) * 0.25 - (b + (e - b) * 0.25)) < (e - b) * 0.01);
	},

	async 'pan by keys, by the wheel with Shift, by dragging with Shift'(t) {
		const [b] = await t.window();
		await t.press('ArrowRight');
		const [b1] = await t.window();
		assert.ok(b1 > b);
		await t.press('Shift+ArrowLeft');
		const [b2] = await t.window();
		assert.ok(b2 < b1);
		const { x, y } = await t.place(GPU, 0.5);
		await t.mouse.move(x, y);
		await t.keyboard.down('Shift');
		await t.mouse.wheel(0, 200);
		await t.idle();
		const [b3] = await t.window();
		assert.ok(b3 > b2);
		await t.dragRow(GPU, 0.4, 0.6);
		await t.keyboard.up('Shift');
		assert.ok((await t.window())[0] < b3);
		assert.equal((await t.state()).selection, null);
	},

	async 'a click selects, and the pane beside tells what it is'(t) {
		await t.press('F');
		await t.clickRow(STREAM, 0.942);
		const { selection } = await t.state();
		assert.equal(selection.kind, 'event');
		assert.match(await t.text('#pane'), /duration/i);
		assert.match(await t.text('#pane'), /of this name/);
		await t.press('f');
		assert.ok(await t.length() < 1e9);
		await t.press('j');
		assert.notDeepEqual((await t.state()).selection.event, selection.event);
		await t.press('k');
		assert.deepEqual((await t.state()).selection.event.at, selection.event.at);
		await t.press('i');
		assert.equal(await t.seen('#pane'), false);
		await t.press('Enter');
		assert.equal(await t.seen('#pane'), true);
		await t.press('Escape');
		assert.equal((await t.state()).selection, null);
	},

	async 'a drag selects a part of the time, with tables of it'(t) {
		await t.dragRow(STREAM, 0.2, 0.8);
		const { selection, window } = await t.state();
		assert.equal(selection.kind, 'area');
		assert.ok(Math.abs((selection.end - selection.start) / (window[1] - window[0]) - 0.6) < 0.02);
		for (const title of ['Rows', 'GPUs', 'Kernels', 'Ranges', 'Gaps'])
			assert.ok((await t.text('#pane')).includes(title), title);
		assert.match(await t.text('#pane'), /GPU 0, ranges\s+[\d.]+ ms on all levels/);
		assert.ok((await t.page.locator('#pane .gt-scroll').evaluateAll((all) => all.every((e) => e.scrollWidth <= e.clientWidth))), 'the tables fit');
		await t.click('#pane .gt-opens');
	},

	async 'l follows a launch to its call, and back'(t) {
		await t.press('F');
		await t.clickRow(STREAM, 0.942);
		const op = (await t.state()).selection.event;
		await t.press('l');
		const call = (await t.state()).selection.event;
		assert.notEqual(call.track, op.track);
		assert.match(call.name, /cu.*Launch/);
		assert.ok(call.start <= op.start);
		await t.press('l');
		assert.deepEqual((await t.state()).selection.event.at, op.at);
		await t.press('Backspace');
		assert.deepEqual((await t.state()).selection.event.at, call.at);
	},

	async 'u goes to the range around'(t) {
		await t.press('F');
		await t.clickRow(STREAM, 0.942);
		const op = (await t.state()).selection.event;
		await t.press('u');
		const around = (await t.state()).selection.event;
		assert.ok(around.start <= op.start && around.start + around.duration >= op.start + op.duration, JSON.stringify([op, around]));
	},

	async 'g goes through the gaps, longest first, and says why'(t) {
		await t.press('g');
		const first = (await t.state()).selection;
		assert.equal(first.kind, 'gap');
		assert.match(await t.text('#pane'), /Gap[\s\S]*before/);
		await t.press('g');
		const second = (await t.state()).selection;
		assert.ok(second.end - second.start <= first.end - first.start);
		await t.press('G');
		assert.deepEqual((await t.state()).selection, first);
		/* e opens what the pane names. */
		const named = /Finding (\d+): /.exec(await t.text('#pane'));
		await t.press('e');
		assert.equal((await t.state()).tab, named ? 'findings' : 'timeline');
		assert.ok(named || await t.said() === 'no finding is about this gap');
	},

	async 'a finding leads to its place, and Backspace back to it'(t) {
		await t.tab('findings');
		await t.click('#tab-view .gf-places button');
		assert.equal((await t.state()).tab, 'timeline');
		assert.ok((await t.state()).selection);
		await t.press('Backspace');
		assert.equal((await t.state()).tab, 'findings');
	},

	async 'e goes from a place of a finding to its card, and from nothing else'(t) {
		const { start, duration, name } = await t.page.evaluate(() => {
			const { app } = /** @type {any} */ (globalThis).gpuwhy;

			return app.near(app.rows.tracks.find((/** @type {any} */ r) => r.kind === 'findings').number, 0, app.state.is.limits[0] - 1, 'next');
		});
		await t.go(`w=${Math.round(start - duration / 2)},${Math.round(start + duration * 1.5)}`);
		await t.clickRow('findings', 0.5);
		assert.equal((await t.state()).selection.event.name, name);
		await t.press('e');
		assert.equal((await t.state()).tab, 'findings');
		const [card, view] = await t.page.evaluate((title) => {
			const cards = Array.from(document.querySelectorAll('#tab-view .gf-card'));

			return [cards.find((c) => c.textContent?.includes(title)), document.getElementById('tab-view')].map((e) => e?.getBoundingClientRect().toJSON());
		}, name.replaceAll('`', ''));
		assert.ok(card && card.top >= view.top - 1 && card.top < view.bottom, JSON.stringify([card, view]));
		await t.press('Backspace');
		await t.clickRow(CALLS, 0.5);
		const { selection } = await t.state();
		assert.ok(selection === null || !(await t.page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.app.state.is.details))?.finding);
		await t.press('e');
		assert.equal((await t.state()).tab, 'timeline');
		assert.match(await t.said(), /^no finding is about this event$/);
	},

	async 'evidence leads to its place'(t) {
		await t.tab('findings');
		const shows = t.page.locator('#tab-view .gf-fact button:visible');
		assert.ok(await shows.count() > 0);
		await shows.first().click();
		await t.idle();
		assert.equal((await t.state()).tab, 'timeline');
	},

	async 'rows are pinned, hidden, shown again, folded; the address keeps that'(t) {
		const rows = await t.rows();
		await t.clickRow(CALLS, 0.99);
		await t.press('p');
		assert.ok(await t.seen(`#pinned-labels [aria-label="${CALLS}"]`));
		await t.clickRow(STREAM, 0.01);
		await t.press('x');
		assert.ok(!(await t.rows()).includes(STREAM));
		await t.reload();
		assert.ok(!(await t.rows()).includes(STREAM));
		assert.ok(await t.seen(`#pinned-labels [aria-label="${CALLS}"]`));
		await t.press('X');
		assert.deepEqual((await t.rows()).sort(), [...rows].sort());
		await t.clickRow(GPU, 0.01);
		await t.press('z');
		assert.ok((await t.rows()).length < rows.length);
		await t.press('z');
		assert.equal((await t.rows()).length, rows.length);
		await t.page.locator(`#labels [aria-label="${STREAM}"]`).hover();
		await t.click(`#labels [aria-label="${STREAM}"] .hide`);
		assert.ok(!(await t.rows()).includes(STREAM));
	},

	async 'v twice measures'(t) {
		await t.press('v', '>', '>', '>', 'v');
		assert.match(await t.said(), /between the marks/);
		assert.equal((await t.state()).selection.kind, 'area');
	},

	async 'the palette finds commands, rows, tabs, times and names'(t) {
		await t.command('kernels');
		assert.equal((await t.state()).tab, 'kernels');
		await t.command(STREAM);
		assert.equal((await t.state()).tab, 'timeline');
		assert.equal(await t.page.locator('#labels [aria-selected=true]').getAttribute('aria-label'), STREAM);
		await t.command('19.28 s');
		const [b, e] = await t.window();
		assert.ok(Math.abs((b + e) / 2 - 19.28e9) < 1e4);
		await t.command('the whole capture');
		assert.deepEqual((await t.state()).window, (await t.state()).limits);
		await t.command('sgemm_no_such');
		assert.match(await t.said(), /^no hit/);
		await t.click('#palette');
		assert.ok(await t.seen('dialog.palette'));
		await t.press('Escape');
		assert.equal(await t.page.locator('dialog').count(), 0);
	},

	async 'help lists the keys, Escape closes it'(t) {
		await t.press('?');
		assert.match(await t.text('dialog'), /the longest gap/);
		assert.match(await t.text('dialog'), /1 … 9, 0/);
		await t.press('Escape');
		assert.equal(await t.page.locator('dialog').count(), 0);
		await t.click('#help');
		await t.click('dialog button');
		assert.equal(await t.page.locator('dialog').count(), 0);
	},

	async 'a reload shows the same: window, selection, row, tab'(t) {
		await t.press('F');
		await t.clickRow(STREAM, 0.942);
		await t.press('f');
		const before = await t.state();
		await t.reload();
		const after = await t.state();
		assert.deepEqual(after.window, before.window);
		assert.deepEqual(after.selection.event?.at, before.selection.event.at);
		assert.deepEqual(after.chosen, before.chosen);
		/* What is selected need not be seen, nor be in the row that is chosen. */
		await t.page.evaluate(() => {
			const { app } = /** @type {any} */ (globalThis).gpuwhy, [b, e] = app.window();

			app.choose(app.rows.tracks.find((/** @type {any} */ r) => r.kind === 'steps').number, 0);
			app.state.setWindow(b - 3 * (e - b), b - 2 * (e - b));
		});
		await t.wrote();
		const away = await t.window();
		await t.reload();
		assert.deepEqual(await t.window(), away);
		assert.deepEqual((await t.state()).selection.event?.at, before.selection.event.at);
		await t.tab('kernels');
		await t.reload();
		assert.equal((await t.state()).tab, 'kernels');
		assert.doesNotMatch(t.page.url(), /token/);
		assert.doesNotMatch(await t.page.evaluate(() => JSON.stringify(history.state)), /token/);
	},

	async 'Y copies a link that leads there, without the token'(t) {
		await t.clickRow(STREAM, 0.5);
		await t.press('Y');
		const link = await t.page.evaluate(() => navigator.clipboard.readText()), { window, chosen } = await t.state();
		assert.match(link, /#w=/);
		assert.doesNotMatch(link, /token/);
		await t.press('F');
		await t.page.evaluate((url) => {
			location.href = url;
		}, link);
		await t.page.waitForFunction((w) => /** @type {any} */ (globalThis).gpuwhy.app.window()[0] === w, window[0]);
		await t.idle();
		assert.deepEqual((await t.state()).window, window);
		assert.deepEqual((await t.state()).chosen, chosen);
	},

	async 'Back and Forward of the browser go where one was'(t) {
		const at = await t.window();
		await t.go('w=19000000000,19100000000');
		await t.page.goBack();
		await t.page.waitForFunction((w) => /** @type {any} */ (globalThis).gpuwhy.app.window()[0] === w, at[0]);
		await t.idle();
		assert.deepEqual(await t.window(), at);
		await t.page.goForward();
		await t.page.waitForFunction(() => /** @type {any} */ (globalThis).gpuwhy.app.window()[0] === 19000000000);
	},

	async 'another address in an open page: window, selection, row and tab, and Back'(t) {
		await t.tab('kernels');
		await t.wrote();
		await t.page.evaluate((hash) => {
			location.hash = hash;
		}, `w=19000000000,19100000000&sel=19020000000,19030000000&row=${encodeURIComponent(CALLS)}`);
		await t.page.waitForFunction(() => /** @type {any} */ (globalThis).gpuwhy.app.window()[0] === 19000000000);
		await t.idle();
		const { tab, selection, window } = await t.state();
		assert.equal(tab, 'timeline');
		assert.deepEqual(window, [19000000000, 19100000000]);
		assert.deepEqual([selection.start, selection.end], [19020000000, 19030000000]);
		assert.equal(await t.page.locator('#labels [aria-selected=true]').getAttribute('aria-label'), CALLS);
		await t.page.goBack();
		await t.page.waitForFunction(() => /** @type {any} */ (globalThis).gpuwhy.app.state.is.tab === 'kernels');
		await t.idle();
		assert.equal((await t.state()).selection, null);
	},

	async 'what is said of a selection goes with it'(t) {
		await t.dragRow(STREAM, 0.2, 0.4);
		assert.match(await t.said(), /selected/);
		await t.press('Escape');
		assert.equal(await t.page.locator('#say').textContent(), '');
	},

	async 'the verdict tells what it is about, and leads there'(t) {
		assert.match(await t.text('#verdict .about'), /warm steps 2 to 6 of 6.*1\.2% of the capture/);
		await t.click('#verdict .about');
		const [b, e] = await t.window();
		assert.ok(Math.abs(b - 19254062825) < 2 && Math.abs(e - 19495581983) < 2, `${b} ${e}`);
	},

	async 'the strip of the whole capture: of a window that is everything a drag chooses a part'(t) {
		await t.press('F');
		const strip = await t.page.locator('#overview').boundingBox(), { limits } = await t.state();
		assert.ok(strip);
		await t.mouse.move(strip.x + strip.width * 0.25, strip.y + 20);
		await t.mouse.down();
		await t.mouse.move(strip.x + strip.width * 0.75, strip.y + 20, { steps: 4 });
		await t.mouse.up();
		await t.idle();
		assert.ok(Math.abs(await t.length() / (limits[1] - limits[0]) - 0.5) < 0.02);
	},

	async 'the strip of the whole capture moves the window'(t) {
		const strip = await t.page.locator('#overview').boundingBox(), length = await t.length();
		assert.ok(strip);
		await t.mouse.click(strip.x + strip.width * 0.5, strip.y + 20);
		await t.idle();
		const [b, e] = await t.window(), { limits } = await t.state();
		assert.ok(Math.abs((b + e) / 2 - (limits[0] + limits[1]) / 2) < (limits[1] - limits[0]) * 0.02);
		assert.ok(Math.abs(e - b - length) < length * 0.01);
	},

	async 'what is under the pointer is told'(t) {
		const { x, y } = await t.place(GPU, 0.5);
		await t.mouse.move(x, y);
		await t.idle();
		assert.ok(await t.seen('#tip'));
		assert.match(await t.text('#tip'), /s/);
		await t.mouse.move(x, 5);
		await t.idle();
		assert.equal(await t.seen('#tip'), false);
	},

	async 'the window as SVG and as PNG'(t) {
		for (const [what, kind] of [['save the window as SVG', 'svg'], ['save the window as PNG', 'png']]) {
			const saved = t.page.waitForEvent('download');
			await t.command(what);
			const file = await saved, chunks = [];
			for await (const chunk of await file.createReadStream())
				chunks.push(chunk);
			const bytes = Buffer.concat(chunks);
			assert.match(file.suggestedFilename(), new RegExp(`\\.${kind}$`));
			assert.match(bytes.toString('latin1', 0, 200), kind === 'svg' ? /<svg / : /^.PNG/s);
			if (kind === 'svg')
				assert.match(bytes.toString('utf8'), /stream 7[\s\S]*matrix product/);
		}
	},

	async 'a pinned row of a saved window stands by itself, with its whole name'(t) {
		await t.clickRow(STREAM, 0.01);
		await t.press('p');
		const saved = t.page.waitForEvent('download');
		await t.command('save the window as SVG');
		const chunks = [];
		for await (const chunk of await (await saved).createReadStream())
			chunks.push(chunk);
		const texts = Array.from(Buffer.concat(chunks).toString('utf8').matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g), ([, x, y, text]) => ({ x: Number(x), y: Number(y), text }));
		const pinned = texts.find((l) => l.text === `◆ ${STREAM}`);
		assert.ok(pinned, texts.map((l) => l.text).join());
		assert.equal(pinned.x, 4);
		assert.ok(!texts.some((l) => l.text === 'stream 7'), 'it is there once');
		assert.ok(texts.filter((l) => l.x < 170 && l.text === 'GPU 0').every((l) => l.y > pinned.y));
	},

	async 'a pan and zoom of 120 steps'(t) {
		await t.page.evaluate(async () => {
			const over = /** @type {HTMLElement} */ (document.getElementById('over')), { left, top, width } = over.getBoundingClientRect();

			for (let i = 0; i < 120; i++) {
				over.dispatchEvent(new WheelEvent('wheel', {
					clientX: left + width * 0.6, clientY: top + 60, deltaY: i % 40 < 20 ? -60 : 60, ctrlKey: i % 4 === 0, shiftKey: i % 4 !== 0, bubbles: true, cancelable: true,
				}));
				await new Promise(requestAnimationFrame);
			}
		});
		await t.idle();
		assert.ok(await t.page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.frames().length) > 20);
		assert.ok((await t.picture()).length > 20);
	},
};

/** What the page itself keeps, and no link undoes: each in a page of its own. @type {Record<string, (t: import('./lib/tour.mjs').Tour) => Promise<void>>} */
const LASTING = {
	async 'bookmarks are set, listed, gone to, kept and removed'(t) {
		const at = await t.window();
		await t.press('B', 'F', '.');
		assert.deepEqual(await t.window(), at);
		await t.press('F');
		await t.reload();
		await t.press("'");
		assert.match(await t.text('dialog'), /s/);
		await t.press('Enter');
		assert.deepEqual(await t.window(), at);
		await t.press("'");
		await t.click('dialog li button');
		await t.press('Escape', '.');
		assert.match(await t.said(), /no bookmark/);
	},

	async 'a minimum duration passes over shorter events; what is no duration is said'(t) {
		await t.clickRow(STREAM, 0.5);
		await t.press('m');
		await t.type('100 us');
		await t.press('Enter', 'j');
		const { selection, least } = await t.state();
		assert.equal(least, 100000);
		assert.ok(selection.event.duration >= 100000);
		assert.match(await t.text('#place'), /100 µs and more/);
		await t.press('m');
		await t.type('soon');
		await t.press('Enter');
		assert.match(await t.said(), /no duration/);
		await t.press('m', 'Escape');
		assert.equal((await t.state()).least, 100000);
	},

	async 'levels of ranges: fewer, none, all lanes of a row'(t) {
		const lanes = () => t.page.locator('#labels [aria-label^="GPU 0, ranges"]').count(), many = await lanes();
		await t.press('C');
		await t.page.locator('#answer').fill('1');
		await t.press('Enter');
		assert.equal(await lanes(), 1);
		await t.clickRow('GPU 0, ranges', 0.5);
		await t.press('L');
		assert.ok(await lanes() >= many);
	},

	async 'light or dark, which is kept'(t) {
		const colour = () => t.page.evaluate(() => getComputedStyle(document.body).backgroundColor), light = await colour();
		await t.press('t');
		const dark = await colour();
		assert.notEqual(dark, light);
		await t.reload();
		assert.equal(await colour(), dark);
		await t.click('#theme');
		assert.equal(await colour(), light);
	},

	async 'on paper: the window as a figure, in light colours, on one page; a tab as it is'(t) {
		const shown = () => t.page.evaluate(() => Array.from(document.body.children).filter((e) => e instanceof HTMLElement && getComputedStyle(e).display !== 'none').map((e) => e.id || e.localName));
		const prints = (/** @type {string} */ when) => t.page.evaluate((name) => dispatchEvent(new Event(name)), when);
		const ground = () => t.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		await t.press('t');
		const dark = await ground();
		await t.page.emulateMedia({ media: 'print' });
		await prints('beforeprint');
		assert.deepEqual(await shown(), ['figure']);
		assert.equal(await ground(), 'rgb(255, 255, 255)');
		const texts = await t.page.locator('#figure svg text').allTextContents();
		for (const text of ['train.sqlite: 38.0 ms from 19.262000 s', 'GPU 0', 'stream 7', 'steps', 'matrix product', 'CUDA calls', 'launch'])
			assert.ok(texts.includes(text), `${text} is not among ${texts.join(' | ')}`);
		assert.ok(await t.page.locator('#figure svg').evaluate((e) => e.getBoundingClientRect().width <= innerWidth));
		await prints('afterprint');
		assert.equal(await t.page.locator('#figure > *').count(), 0);
		assert.equal(await ground(), dark);
		await t.page.emulateMedia({ media: null });
		/* Skia writes one object of this type for each page. */
		assert.equal((await t.page.pdf()).toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length, 1);
		assert.equal(await t.page.locator('#figure > *').count(), 0);
		await t.tab('kernels');
		await t.page.emulateMedia({ media: 'print' });
		await prints('beforeprint');
		const seen = await shown();
		assert.ok(seen.includes('main') && !seen.includes('figure') && !seen.includes('top') && !seen.includes('status'), seen.join());
		await prints('afterprint');
		await t.page.emulateMedia({ media: null });
	},

	async 'who wants no motion sees none'(t) {
		const moves = () => t.page.evaluate(() => {
			const line = /** @type {HTMLElement} */ (document.getElementById('loading'));

			line.hidden = false;
			line.classList.add('unknown');
			return document.getAnimations().length;
		});
		await t.page.emulateMedia({ reducedMotion: 'no-preference' });
		assert.equal(await moves(), 1);
		await t.page.emulateMedia({ reducedMotion: 'reduce' });
		assert.equal(await moves(), 0);
	},
};

/** Links that the terminal makes, and --at. @param {import('playwright-core').Browser} browser */
async function places(browser)
{
	const place = 'w=19262000000,19300000000&row=GPU%200%2C%20stream%207';

	await suite.case('--at begins at a place of the terminal', async () => {
		const server = await shared(traces.train, '--at', place);
		await tour(browser, server.url, async (t) => {
			await t.idle();
			assert.deepEqual(await t.window(), [19262000000, 19300000000]);
			assert.equal(await t.page.locator('#labels [aria-selected=true]').getAttribute('aria-label'), STREAM);
		});
	});
	await suite.case('a link of `gpuwhy timeline` opens the same place', async () => {
		const script = scratch('keys'), screen = scratch('screen');
		writeFileSync(script, `Y\nsave-looks ${screen}\n`);
		gpuwhy('timeline', traces.train, '--at', place, '--script', script, '--size', '160x30');
		const said = readFileSync(screen, 'utf8');
		const link = /#?(w=\d+,\d+[^\s'"]*)/.exec(said)?.[1] ?? '';
		assert.match(link, /row=GPU%200%2C%20stream%207/, said.slice(0, 4000));
		await tour(browser, (await shared(traces.train)).at(link), async (t) => {
			await t.idle();
			assert.deepEqual(await t.window(), [19262000000, 19300000000]);
			assert.equal(await t.page.locator('#labels [aria-selected=true]').getAttribute('aria-label'), STREAM);
		});
	});
}

/** A telephone, and a window beside another. @param {import('playwright-core').Browser} browser */
async function narrow(browser)
{
	for (const width of [400, 800]) {
		await suite.case(`${width} px wide: nothing is cut off`, async () => tour(browser, (await shared(traces.train)).url, async (t) => {
			/** @param {string} selector */
			const outside = (selector) => t.page.locator(selector).evaluateAll((all, most) => all.map((e) => e.getBoundingClientRect())
				.filter((b) => b.left < 0 || b.right > most).length, width);

			await t.idle();
			assert.ok(await t.page.locator('#verdict').evaluate((e) => e.scrollHeight <= e.clientHeight), 'the verdict');
			assert.equal(await outside('#tabs button'), 0);
			await t.press('F');
			await t.clickRow(STREAM, 0.942);
			assert.equal(await outside('#edges button'), 0);
			/* The lowest row that is seen is selected: the pane comes below it, not over it. */
			const lowest = await t.page.evaluate(() => {
				const { app } = /** @type {any} */ (globalThis).gpuwhy, { scroll } = app.timeline;

				app.state.set({ selection: null, pane: false });
				scroll.scrollTop = 0;
				return app.rows.all.findLast((/** @type {any} */ r) => r.y + r.height < scroll.clientHeight).track.number;
			});
			await t.idle();
			await t.page.evaluate(async (track) => {
				const { app } = /** @type {any} */ (globalThis).gpuwhy;

				await app.select({ track, lane: 0, at: 0, start: app.window()[0], duration: 10, name: 'it' });
				app.state.set({ pane: true });
			}, lowest);
			await t.idle();
			const [row, pane, screen] = await t.page.evaluate(() => ['[aria-selected=true].label', '#pane', '#scroll']
				.map((selector) => /** @type {Element} */ (document.querySelector(selector)).getBoundingClientRect().toJSON()));
			assert.ok(row.bottom <= screen.bottom && (width > 760 || row.bottom <= pane.top), JSON.stringify([row, pane, screen]));
			await t.keyboard.press('/');
			await t.type('nvjet');
			await t.press('Enter');
			assert.equal(await outside('#hits'), 0);
		}, { viewport: { width, height: 800 } }));
	}
}

await withBrowser(async (browser) => {
	await timeline(browser);
	await narrow(browser);
	await places(browser);
});
endAll();
suite.finish();
