/* The program under test: its server, the files it writes, and the traces, which tests/lib makes. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './server.mjs';

/** @type {{binary: string, environment: Record<string, string>, traces: Record<string, string>}} */
const made = JSON.parse(execFileSync(fileURLToPath(new URL('../traces.py', import.meta.url)), { encoding: 'utf8', maxBuffer: 1 << 24 }));

export const { binary, environment, traces } = made;

/** @typedef {import('./server.mjs').Server} Server */

/** What ends with the suite: @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
const folder = mkdtempSync(join(tmpdir(), 'gpuwhy-pages-'));

process.on('exit', () => {
	for (const child of running)
		child.kill();
	rmSync(folder, { recursive: true, force: true });
});

/** @param {...string} words after `gpuwhy web` @returns {Promise<Server>} */
export async function serve(...words)
{
	const server = await startServer(binary, ['--threads', '2', ...words], environment);

	running.add(server.child);
	return server;
}

/** Servers by what they serve, so that several tours share one. @type {Map<string, Promise<Server>>} */
const servers = new Map();

/** @param {...string} words @returns {Promise<Server>} */
export function shared(...words)
{
	const key = words.join('\0');

	if (!servers.has(key))
		servers.set(key, serve(...words));
	return /** @type {Promise<Server>} */ (servers.get(key));
}

export function endAll()
{
	for (const child of running)
		child.kill();
	running.clear();
}

/** @param {...string} words of a command @returns {string} what it prints */
export function gpuwhy(...words)
{
	return execFileSync(binary, words, { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });
}

/** @param {string} name @returns {string} a path that is gone when the suite has ended */
export const scratch = (name) => join(folder, name);

/** @param {string} name @param {...string} words @returns {string} the path of the page that `gpuwhy viewer` writes */
export function viewer(name, ...words)
{
	const path = scratch(`${name}.html`);

	/* Behind a -- nothing is an option. */
	gpuwhy('viewer', '-o', path, ...words);
	return path;
}
