#!/usr/bin/env node
/*
 * How long is the page's own script at work for a frame, and how much memory does it take, while somebody pans and zooms?
 *   bench/web.mjs TRACE [STEPS]     GPUWHY is the program, build/gpuwhy unless said; prints JSON
 * A step is a turn of the wheel and the frame after it: 2,000 of them unless said. tools/setup --test installs what it needs.
 */
import { fileURLToPath } from 'node:url';
import { withBrowser } from '../tests/web/browser/lib/chromium.mjs';
import { startServer } from '../tests/web/browser/lib/server.mjs';

const [trace, steps = '2000'] = process.argv.slice(2);
const binary = process.env.GPUWHY ?? fileURLToPath(new URL('../build/gpuwhy', import.meta.url));

/**
 * In the page. Zooms in far enough to see single events and out again, at places all over the capture, and pans between.
 * @param {number} count
 */
async function wander(count)
{
	const over = /** @type {HTMLElement} */ (document.getElementById('over')), { left, top, width } = over.getBoundingClientRect();

	for (let i = 0; i < count; i++) {
		const zooms = i % 2 === 0, inwards = i % 200 < 100;

		over.dispatchEvent(new WheelEvent('wheel', {
			clientX: left + width * ((i * 0.618) % 1), clientY: top + 60, deltaY: (zooms ? 120 : 40) * (inwards ? -1 : 1),
			ctrlKey: zooms, shiftKey: !zooms, bubbles: true, cancelable: true,
		}));
		await new Promise(requestAnimationFrame);
	}
	return /** @type {any} */ (globalThis).gpuwhy.frames();
}

/** @param {number[]} sorted @param {number} share */
const at = (sorted, share) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] * 1000) / 1000;

async function measure()
{
	const server = await startServer(binary, [trace]);

	try {
		return await withBrowser(async (browser) => {
			const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
			const idle = () => page.evaluate(() => /** @type {any} */ (globalThis).gpuwhy.idle());

			await page.goto(server.url);
			await page.waitForFunction(() => document.documentElement.dataset.idle === 'true' && 'gpuwhy' in globalThis, undefined, { timeout: 120_000 });
			await idle();
			await page.keyboard.press('F');
			await idle();
			const began = performance.now(), frames = (await page.evaluate(wander, Number(steps))).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
			const seconds = (performance.now() - began) / 1000;

			await idle();
			const devtools = await page.context().newCDPSession(page);

			await devtools.send('HeapProfiler.collectGarbage');
			/* Tiles are in buffers, which are no part of the heap. */
			const { usedSize, backingStorageSize = 0 } = /** @type {any} */ (await devtools.send('Runtime.getHeapUsage'));
			return {
				steps: Number(steps), frames: frames.length, median_ms: at(frames, 0.5), p95_ms: at(frames, 0.95), max_ms: at(frames, 1),
				seconds: Math.round(seconds * 10) / 10, heap_mb: Math.round(usedSize / 1e5) / 10, buffers_mb: Math.round(backingStorageSize / 1e5) / 10,
			};
		});
	} finally {
		await server.end();
	}
}

if (!trace) {
	console.error('usage: bench/web.mjs TRACE [STEPS]');
	process.exitCode = 2;
} else {
	console.log(JSON.stringify(await measure(), null, 2));
}
