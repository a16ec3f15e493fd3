/* What is drawn: the calls of a few views, compared with those under golden/ (--update writes them), and a file against the program. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { withBrowser } from './lib/chromium.mjs';
import { endAll, shared, traces, viewer } from './lib/program.mjs';
import { Suite } from './lib/suite.mjs';
import { tour } from './lib/tour.mjs';

const UPDATES = process.argv.includes('--update');
const suite = new Suite('web/pictures', process.argv.slice(2).filter((word) => word !== '--update'));
const SIZE = { viewport: { width: 1200, height: 700 }, fixed: true };
const STEP = 'w=19308000000,19355000000', SHORT = 'w=19320000000,19320200000';

/** @typedef {(t: import('./lib/tour.mjs').Tour) => Promise<void>} Go */

/** The first lines that differ. @param {string[]} is @param {string[]} expected */
function difference(is, expected)
{
	for (let i = 0; i < Math.max(is.length, expected.length); i++) {
		if (is[i] !== expected[i]) {
			let at = 0;

			while (is[i]?.[at] && is[i][at] === expected[i]?.[at])
				at++;
			return `line ${i + 1}: '…${is[i]?.slice(Math.max(0, at - 40), at + 60)}' in place of '…${expected[i]?.slice(Math.max(0, at - 40), at + 60)}'`;
		}
	}
	return null;
}

/** @param {string} name @param {string[]} lines */
function compare(name, lines)
{
	const path = new URL(`golden/${name}.txt`, import.meta.url);

	if (UPDATES) {
		mkdirSync(new URL('golden/', import.meta.url), { recursive: true });
		writeFileSync(path, lines.join('\n') + '\n');
		return;
	}
	assert.equal(difference(lines, readFileSync(path, 'utf8').split('\n').slice(0, -1)), null);
}

/** @type {Record<string, {words: string[], fragment: string, go?: Go}>} */
const VIEWS = {
	first: { words: [traces.train], fragment: '' },
	whole: { words: [traces.train], fragment: '', go: (t) => t.press('F') },
	step: { words: [traces.train], fragment: STEP },
	search: {
		words: [traces.train], fragment: STEP,
		async go(t) {
			await t.keyboard.press('/');
			await t.type('nvjet.*NNT');
			await t.press('Enter');
		},
	},
	selected: {
		words: [traces.train], fragment: SHORT,
		async go(t) {
			await t.clickRow('GPU 0, stream 7', 0.5);
			await t.press('p');
		},
	},
	two: { words: [traces.rank0, traces.rank1], fragment: '' },
};

await withBrowser(async (browser) => {
	for (const [name, { words, fragment, go }] of Object.entries(VIEWS)) {
		await suite.case(name, async () => {
			const server = await shared(...words);

			await tour(browser, server.at(fragment), async (t) => {
				await t.idle();
				await go?.(t);
				compare(name, await t.picture());
			}, SIZE);
		});
	}
	await suite.case('a file draws what the program draws, at any zoom', async () => {
		const file = pathToFileURL(viewer('whole', traces.train)).href, server = await shared(traces.train);

		const places = ['w=0,20680820236', STEP, SHORT, 'w=19320000000,19320004000'];
		/** @type {string[][][]} */
		const drawn = [];

		for (const url of [`${server.url}&`, `${file}#`])
			await tour(browser, url, async (t) => {
				await t.idle();
				drawn.push([]);
				for (const place of places) {
					await t.go(place);
					drawn.at(-1)?.push(await t.picture());
				}
			}, SIZE);
		places.forEach((place, i) => {
			const differs = difference(drawn[1][i], drawn[0][i]);

			assert.ok(!differs, `#${place}: ${differs}`);
		});
	});
});
endAll();
suite.finish();
