/*
 * What did the program write into this file? The page is then one file that works offline: what
 * was not recorded is said to be missing.
 */
import { begin } from './idle.js';
import { NotInFile, writeParams } from './source.js';
import { parseTiles } from './tile.js';
import { RecordedEvents } from './recorded_events.js';

/**
 * @typedef {import('./source.js').Params} Params
 * @typedef {import('./source.js').Options} Options
 */

/**
 * One spelling for one question: parameters in order, those that change nothing left out.
 * @param {string} url
 */
function canonical(url)
{
	const [path, query = ''] = url.split('?');
	const parts = query.split('&').filter((p) => p !== '' && p !== 'capture=0').sort();

	return parts.length ? `${path}?${parts.join('&')}` : path;
}

/** @param {string} base64 */
async function gunzip(base64)
{
	const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));

	return new Response(stream).arrayBuffer();
}

export class FileSource {
	/** @param {any} recorded what gpuwhy viewer wrote: session, tracks, replies, tiles, events */
	constructor(recorded)
	{
		this.isFile = true;
		this.fingerprint = '';
		this.recorded = recorded;
		this.known = new RecordedEvents(recorded);
		/** @type {(error: Error) => void} */
		this.onTrouble = () => {};
		this.onAnswer = () => {};
		/** @type {Map<string, any>} */
		this.replies = new Map();
		for (const [url, reply] of Object.entries(recorded.replies ?? {}))
			this.replies.set(canonical(url), reply);
		this.replies.set('/session', recorded.session);
		this.replies.set('/tracks', recorded.tracks);
	}

	/**
	 * @param {string} path
	 * @param {Params} [params]
	 * @param {Options} [options]
	 * @returns {Promise<any>}
	 */
	async json(path, params = {}, options = {})
	{
		const found = this.replies.get(canonical(path + writeParams(params))) ?? this.known.answer(path, params);

		if (found === undefined || options.body !== undefined)
			throw new NotInFile();
		return found;
	}

	/**
	 * @param {string} path
	 * @param {Params} [params]
	 * @param {Options} [options]
	 * @returns {Promise<string>}
	 */
	async text(path, params = {}, options = {})
	{
		return String(await this.json(path, params, options));
	}

	/**
	 * Those that are there. A file holds as many lanes as it does: asking for more gets no more.
	 * @param {number[]} numbers
	 * @param {number} level
	 * @param {number} index
	 */
	async tiles(numbers, level, index)
	{
		const end = begin();
		/** @type {ReturnType<typeof parseTiles>} */
		const found = new Map();

		try {
			for (const number of numbers) {
				const text = this.recorded.tiles?.[`${number}/${level}/${index}`];

				if (!text)
					continue;
				for (const [n, tile] of parseTiles(await gunzip(text), 64))
					found.set(n, tile);
			}
		} finally {
			end();
		}
		return found;
	}

	/**
	 * @param {number[]} numbers
	 * @param {number} level
	 * @param {number} index
	 */
	async events(numbers, level, index)
	{
		return this.known.join(numbers, level, index);
	}
}
