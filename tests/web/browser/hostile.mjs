/* Names that are HTML, scripts, turned writing, or 64 KB long: in every tab, in a written file, nothing but the text that is shown. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { withBrowser } from './lib/chromium.mjs';
import { endAll, shared, traces, viewer } from './lib/program.mjs';
import { Suite } from './lib/suite.mjs';
import { tour } from './lib/tour.mjs';

/** @typedef {import('./lib/tour.mjs').Tour} Tour */

const suite = new Suite('web/hostile', process.argv.slice(2));
const TABS = ['findings', 'kernels', 'ranges', 'steps', 'communication', 'memory', 'source', 'query', 'report'];
/** The page is made of these, whatever a trace says. */
const TAGS = new Set(('html head meta title link style script body header select option nav button form input div main canvas aside section footer span ' +
	'noscript h1 h2 h3 h4 p a strong em code pre dl dt dd ul ol li table caption thead tbody tr th td details summary label svg g rect path line text title circle ' +
	'polyline article textarea iframe small dialog kbd figure figcaption').split(' '));

/** What no name of a trace may bring into the page. @param {Tour} t @param {string} where */
async function checkPage(t, where)
{
	const found = await t.page.evaluate(() => {
		const all = [...document.querySelectorAll('*')], turning = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

		return {
			tags: [...new Set(all.map((e) => e.localName))], scripts: document.scripts.length,
			handlers: all.filter((e) => e.getAttributeNames().some((n) => n.startsWith('on'))).length,
			links: all.flatMap((e) => ['href', 'src', 'srcdoc', 'action'].map((n) => e.getAttribute(n) ?? '')).filter((v) => /^\s*javascript:/i.test(v)),
			/* What somebody is to copy and paste is as it was. */
			turned: all.filter((e) => !e.childElementCount && !/^(script|style|textarea|option)$/.test(e.localName) && turning.test(e.textContent ?? '')).map((e) => e.outerHTML.slice(0, 200)),
			titles: all.filter((e) => turning.test((e.getAttribute('title') ?? '') + (e.getAttribute('aria-label') ?? ''))).map((e) => e.outerHTML.slice(0, 200)),
			width: document.documentElement.scrollWidth - innerWidth, title: document.title,
			owned: Object.hasOwn(window, 'owned') || Object.hasOwn(Object.prototype, 'owned'),
		};
	});

	assert.deepEqual(found.tags.filter((tag) => !TAGS.has(tag)), [], where);
	assert.equal(found.scripts, t.scripts ?? found.scripts, where);
	t.scripts = found.scripts;
	assert.deepEqual([found.handlers, found.links, found.turned, found.titles, found.owned], [0, [], [], [], false], where);
	assert.ok(found.width <= 0, `${where}: the page is ${found.width} pixels too wide`);
	assert.match(found.title, /– gpuwhy$/, where);
	assert.doesNotMatch(found.title, /owned/, where);
}

/** @param {Tour} t */
async function everywhere(t)
{
	await t.idle();
	await checkPage(t, 'timeline');
	for (const row of await t.page.locator('#labels .label:not(.lane)').all()) {
		await row.click({ position: { x: 20, y: 8 } });
		await t.press('j', 'j');
	}
	await checkPage(t, 'an event');
	await t.press('f', 's');
	await checkPage(t, 'an area');
	await t.press('F', 'g');
	await checkPage(t, 'a gap');
	await t.press('Control+k');
	await checkPage(t, 'palette');
	await t.press('Escape', 'B', "'", 'Escape');
	for (const id of TABS) {
		await t.tab(id);
		await checkPage(t, id);
		const rows = t.page.locator('#tab-view tr.gt-opens');
		if (await rows.count()) {
			await rows.first().click();
			await t.idle();
			await checkPage(t, `${id}, a row`);
		}
	}
}

await withBrowser(async (browser) => {
	await suite.case('gpuwhy web', async () => {
		const server = await shared(traces.hostile);

		await tour(browser, server.url, async (t) => {
			await everywhere(t);
			await t.press('1', '/');
			await t.type('<img');
			await t.press('Enter');
			await checkPage(t, 'search');
			assert.match(await t.text('#hits'), /hit/);
			await t.tab('query');
			await t.page.locator('.gq-sql').fill("SELECT text AS \"<img src=x onerror=alert(1)>\", text FROM NVTX_EVENTS UNION ALL SELECT value, value FROM StringIds");
			await t.press('Control+Enter');
			await checkPage(t, 'query');
			/* The launches of a kernel with a name of 64 KB are asked for with that name: that is too much, and said. */
		}, { mayLog: /status of 413/ });
	});
	await suite.case('gpuwhy viewer', async () => {
		const path = viewer('hostile', traces.hostile), text = readFileSync(path, 'utf8');

		assert.equal(text.match(/<script/gi)?.length, 2, 'tags of a script');
		assert.equal(text.match(/<\/script/gi)?.length, 2, 'ends of a script');
		assert.doesNotMatch(text, /<!--/);
		await tour(browser, pathToFileURL(path).href, async (t) => {
			await everywhere(t);
			assert.deepEqual(t.requests, []);
		});
	});
	await suite.case('a link and what the browser keeps are hostile', async () => {
		const server = await shared(traces.one_shot);

		for (const fragment of ['w=1,2,3&row=<img src=x onerror=alert(1)>&tab=<script>&find=(((', 'w=99999999999999999999,1&sel=a,b', 'w=-5,-1&tab=__proto__&hide=__proto__,constructor&pin=%ff%',
			'row=%E0%A4%A&tab=constructor&w=0,0', 'find=%3Cimg%20src%3Dx%3E'])
			await tour(browser, server.at(fragment), async (t) => {
				await t.idle();
				await checkPage(t, fragment);
				await t.page.evaluate(() => {
					for (const key of [...Object.keys(localStorage), 'gpuwhy.theme', 'gpuwhy.pane', `gpuwhy.bookmarks.${/** @type {any} */ (globalThis).gpuwhy.app.session.fingerprint}`])
						localStorage.setItem(key, '[{"at":"<img src=x>","window":["x","y"]}, null, 5, {"at":"1","window":["<b>","2"]}]');
				});
				await t.reload();
				await t.press('.', "'", 'Escape', 'F');
				await checkPage(t, `${fragment}, kept`);
			});
	});
});
endAll();
suite.finish();
