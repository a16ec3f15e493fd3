/* `gpuwhy web`, started and ended. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

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
		});
	}
}

/**
 * @param {string} binary
 * @param {string[]} words after `gpuwhy web`
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<Server>}
 */
export async function startServer(binary, words, env = process.env)
{
	const child = spawn(binary, ['web', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
	let said = '';

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
