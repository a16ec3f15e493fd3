/* Can everybody use it? axe's rules on every tab, light and dark, wide and narrow; the keyboard alone. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBrowser } from './lib/chromium.mjs';
import { endAll, shared, traces } from './lib/program.mjs';
import { Suite } from './lib/suite.mjs';
import { tour } from './lib/tour.mjs';

/** @typedef {import('./lib/tour.mjs').Tour} Tour */

const suite = new Suite('web/access', process.argv.slice(2));
const TABS = ['timeline', 'findings', 'kernels', 'ranges', 'steps', 'communication', 'memory', 'source', 'query', 'report'];
const AXE = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
/** SCREENS=FOLDER: what is looked at is saved there, for eyes. */
const SCREENS = process.env.SCREENS;

/** What is serious or worse. @param {Tour} t @returns {Promise<string[]>} */
async function violations(t)
{
	const found = await t.page.evaluate(async () => {
		const { violations: all } = await /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ['violations'] });

		return all.map((/** @type {any} */ v) => ({ id: v.id, impact: v.impact, nodes: v.nodes.map((/** @type {any} */ n) => `${n.target.join(' ')}: ${n.any[0]?.message ?? n.failureSummary}`) }));
	});

	return found.filter((/** @type {any} */ v) => v.impact === 'serious' || v.impact === 'critical')
		.map((/** @type {any} */ v) => `${v.id}: ${v.nodes.slice(0, 3).join('; ')}${v.nodes.length > 3 ? ` and ${v.nodes.length - 3} more` : ''}`);
}

/** @param {Tour} t @param {string} name */
async function screen(t, name)
{
	if (!SCREENS)
		return;
	mkdirSync(SCREENS, { recursive: true });
	await t.page.screenshot({ path: join(SCREENS, `${name}.png`) });
}

/** @param {Tour} t @param {string} name @param {boolean} isWide */
async function look(t, name, isWide)
{
	await t.page.evaluate(AXE);
	for (const id of TABS) {
		await t.tab(id);
		await screen(t, `${name}-${id}`);
		assert.deepEqual(await violations(t), [], `${name}, ${id}`);
		const beyond = await t.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		assert.ok(beyond <= 0, `${name}, ${id}: ${beyond} pixels too wide`);
	}
	await t.tab('timeline');
	await t.press('g');
	await screen(t, `${name}-gap`);
	if (isWide) {
		await t.press('s');
		await screen(t, `${name}-area`);
		assert.deepEqual(await violations(t), [], `${name}, an area`);
	}
	for (const key of ['?', 'Control+k', 'm']) {
		await t.press(key);
		await screen(t, `${name}-${{ '?': 'help', 'Control+k': 'palette', m: 'ask' }[key]}`);
		assert.deepEqual(await violations(t), [], `${name}, ${key}`);
		await t.press('Escape');
		assert.equal(await t.page.locator('dialog').count(), 0, `Escape closes what ${key} opened`);
	}
}

/** Presses Tab until the focus is back. @param {Tour} t @returns {Promise<{id: string, ring: boolean}[]>} */
async function stops(t)
{
	const met = [];

	for (let i = 0; i < 200; i++) {
		await t.keyboard.press('Tab');
		const at = await t.page.evaluate(() => {
			const e = document.activeElement;

			if (!e || e === document.body)
				return null;
			const style = getComputedStyle(e), isNew = !e.hasAttribute('data-met');
			e.setAttribute('data-met', '');
			return { isNew, id: e.id || `${e.localName}.${e.className}`, ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none' };
		});

		if (at && !at.isNew)
			break;
		if (at)
			met.push(at);
	}
	return met;
}

await withBrowser(async (browser) => {
	const { url } = await shared(traces.train);

	/** @type {Record<string, {width: number, theme: 'light' | 'dark'}>} */
	const looks = {};

	for (const width of SCREENS ? [1440, 800, 400] : [1440, 400]) {
		for (const theme of /** @type {const} */ (['light', 'dark']))
			looks[`${width} pixels, ${theme}`] = { width, theme };
	}
	for (const [name, { width, theme }] of suite.some(looks, 0.5)) {
		await suite.case(name, () => tour(browser, url, async (t) => {
			await t.idle();
			await look(t, `${width}-${theme}`, width === 1440);
		}, { viewport: { width, height: 900 }, theme }));
	}
	await suite.case('Tab reaches everything, and where it is can be seen', () => tour(browser, url, async (t) => {
		await t.idle();
		const met = await stops(t), ids = met.map((m) => m.id);

		for (const id of ['tab-timeline', 'pattern', 'palette', 'theme', 'help', 'scroll', 'pane-edge'])
			assert.ok(ids.includes(id), `${id} is not among ${ids.join(', ')}`);
		assert.deepEqual(met.filter((m) => !m.ring).map((m) => m.id), [], 'no ring around it');
	}));
	await suite.case('by keys alone: a tab, a row of its table, the timeline, back', () => tour(browser, url, async (t) => {
		await t.idle();
		await t.page.locator('#tab-timeline').focus();
		await t.press('ArrowRight', 'ArrowRight');
		assert.equal((await t.state()).tab, 'kernels');
		for (let i = 0; i < 40 && !await t.page.evaluate(() => document.activeElement?.matches('tr.gt-opens')); i++)
			await t.keyboard.press('Tab');
		await t.press('ArrowDown', 'Enter');
		assert.equal(await t.page.locator('#tab-view tr[aria-current]').count(), 1);
		await t.press('Escape');
		assert.equal((await t.state()).tab, 'timeline');
	}));
});
endAll();
suite.finish();
