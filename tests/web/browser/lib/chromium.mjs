/* The browser: Debian's chromium, which asks nobody anything, with nothing kept from the last time. */
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const ARGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'];

/** @returns {string | null} where it is */
export function findChromium()
{
	for (const folder of (process.env.PATH ?? '').split(':')) {
		for (const name of ['chromium', 'chromium-browser']) {
			try {
				accessSync(join(folder, name), constants.X_OK);
				return join(folder, name);
			} catch {
				/* Perhaps in the next one. */
			}
		}
	}
	return null;
}

/**
 * One browser for all that `use` does with it. Each tour has a context of its own in it.
 * @template T
 * @param {(browser: import('playwright-core').Browser) => Promise<T>} use
 * @param {string[]} [more] arguments
 */
export async function withBrowser(use, more = [])
{
	/* Playwright makes a new folder for the browser's data; what it writes elsewhere goes here, and with it. */
	const home = await mkdtemp(join(tmpdir(), 'gpuwhy-chromium-'));
	const browser = await chromium.launch({
		executablePath: findChromium() ?? undefined, args: [...ARGS, ...more], env: { ...env(), HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
	});

	try {
		return await use(browser);
	} finally {
		await browser.close();
		await rm(home, { recursive: true, force: true });
	}
}

/** @returns {Record<string, string>} */
function env()
{
	return Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
}
