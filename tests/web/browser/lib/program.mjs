/* The program under test: its server, the files it writes, and the traces, which tests/lib makes. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** @type {{binary: string, environment: Record<string, string>, traces: Record<string, string>}} */
const made = JSON.parse(execFileSync(fileURLToPath(new URL('../traces.py', import.meta.url)), { encoding: 'utf8', maxBuffer: 1 << 24 }));

export const { binary, environment, traces } = made;

/** What ends with the suite: @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
const folder = mkdtempSync(join(tmpdir(), 'gpuwhy-pages-'));

process.on('exit', () => {
	for (const child of running)
		child.kill();
	rmSync(folder, { recursive: true, force: true });
});

export class Server {
	/** @param {import('node:child_process').ChildProcess} child @param {string} url with its token */
	constructor(child, url)
	{
		this.child = child;
		this.url = url;
		this.origin = new URL(url).origin;
		this.token = /token=([^&]+)/.exec(url)?.[1] ?? '';
	}

	/** @param {string} fragment a place, without '#' @returns {string} */
	at(fragment)
	{
		return `${this.url}&${fragment}`;
	}

	/** @returns {Promise<void>} once it is gone */
	end()
	{
		return new Promise((resolve) => {
			this.child.once('exit', () => resolve());
			this.child.kill('SIGKILL');
			running.delete(this.child);
		});
	}
}

/** @param {...string} words after `gpuwhy web` @returns {Promise<Server>} */
export async function serve(...words)
{
	const child = spawn(binary, ['web', '--threads', '2', ...words], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
	let said = '';

	running.add(child);
	child.stderr.on('data', (bytes) => {
		said += bytes;
	});
	for await (const line of createInterface({ input: child.stdout })) {
		const url = /http:\S+/.exec(line);

		if (url)
			return new Server(child, url[0]);
	}
	throw new Error(`gpuwhy web ${words.join(' ')}: ${said}`);
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

	gpuwhy('viewer', ...words, '-o', path);
	return path;
}
