/* How is the program asked? */
import { begin } from '../base/idle.js';
import { Clocks } from './clocks.js';
import { parseTiles } from './tile.js';

/** @typedef {Object<string, string | number | boolean | (string | number)[] | null | undefined>} Params */
/** @typedef {{signal?: AbortSignal, body?: any, draws?: boolean}} Options draws: for the picture, which goes first */

/** The file does not hold it. */
export class NotInFile extends Error {
	/** @param {string} [what] */
	constructor(what = '')
	{
		super(`${what ? `${what} ` : ''}not in this file: gpuwhy web shows it`);
		this.name = 'NotInFile';
	}
}

/** What the program refused, and what it says about it. */
export class Refused extends Error {
	/**
	 * @param {number} status
	 * @param {{code?: string, message?: string, hint?: ?string}} error
	 */
	constructor(status, error)
	{
		super(error.message ?? `the program answered with ${status}`);
		this.name = 'Refused';
		this.status = status;
		/** What kind of refusal, in a word: "usage", "absent", … */
		this.code = error.code ?? '';
		this.hint = error.hint ?? null;
	}
}

/** Nobody answers any more. */
export class Gone extends Error {
	constructor()
	{
		super('the program does not answer');
		this.name = 'Gone';
	}
}

/**
 * What went wrong, and what the program says can be done about it.
 * @param {unknown} error
 */
export function problemText(error)
{
	const { message = String(error), hint } = /** @type {{message?: string, hint?: ?string}} */ (error ?? {});

	return hint ? `${message}; ${hint}` : message;
}

/** @param {unknown} error */
export const isAbort = (error) => error instanceof DOMException && error.name === 'AbortError';

/**
 * What /events says, with numbers in place of differences.
 * @param {any} reply
 * @returns {any}
 */
export function readEvents(reply)
{
	for (const track of reply.tracks) {
		for (const lane of track.lanes) {
			for (let i = 1; i < lane.at.length; i++) {
				lane.at[i] += lane.at[i - 1];
				lane.start[i] += lane.start[i - 1];
			}
		}
	}
	return reply;
}

/** @param {Params} params */
export function writeParams(params)
{
	const parts = [];

	for (const [name, value] of Object.entries(params)) {
		if (value !== null && value !== undefined && value !== false)
			parts.push(`${name}=${encodeURIComponent(String(value)).replaceAll('%2C', ',')}`);
	}
	return parts.length ? `?${parts.join('&')}` : '';
}

/** Lets so many through at a time; the others wait in order. */
class Gate {
	/** @param {number} most */
	constructor(most)
	{
		this.free = most;
		/** @type {(() => void)[]} */
		this.waiting = [];
	}

	/** @returns {Promise<void>} */
	enter()
	{
		if (this.free > 0) {
			this.free--;
			return Promise.resolve();
		}
		return new Promise((resolve) => this.waiting.push(resolve));
	}

	leave()
	{
		const next = this.waiting.shift();

		if (next)
			next();
		else
			this.free++;
	}
}

export class ServerSource {
	/** @param {string} token */
	constructor(token)
	{
		this.token = token;
		/** Of the traces: with it a browser may keep tiles, which never change. */
		this.fingerprint = '';
		this.isFile = false;
		this.leftOut = '';
		/** Of a file: where all events are, of how much. @type {[number, number]} */
		this.detailed = [0, 0];
		/** @type {[number, number]} */
		this.limits = [0, 0];
		/** Of a file: rows of which it has not all. @type {Set<number>} */
		this.notInFull = new Set();
		/** Kernels by their whole names, with templates. */
		this.wholeNames = false;
		/** What was searched for: events say whether they are hits. */
		this.pattern = '';
		this.clocks = new Clocks();
		/* A browser has six connections for one server: the picture never waits for an analysis. */
		this.draws = new Gate(4);
		this.others = new Gate(2);
		/** @type {(error: Error) => void} */
		this.onTrouble = () => {};
		this.onAnswer = () => {};
	}

	/**
	 * @template T
	 * @param {string} path
	 * @param {Params} params
	 * @param {Options} options
	 * @param {(response: Response) => Promise<T>} read
	 * @returns {Promise<T>}
	 */
	async ask(path, params, options, read)
	{
		const gate = options.draws ? this.draws : this.others;
		const end = begin();

		await gate.enter();
		try {
			options.signal?.throwIfAborted();
			const response = await this.send(path + writeParams(params), options);
			if (!response.ok)
				throw await refusal(response);
			const answer = await read(response);
			this.onAnswer();
			return answer;
		} catch (error) {
			if (error instanceof Gone || (error instanceof Refused && error.status === 401))
				this.onTrouble(error);
			throw error;
		} finally {
			gate.leave();
			end();
		}
	}

	/**
	 * @param {string} url
	 * @param {Options} options
	 */
	async send(url, options)
	{
		/** @type {Object<string, string>} */
		const headers = { Authorization: `Bearer ${this.token}`, Prefer: 'errors=answer' };

		if (options.body !== undefined)
			headers['Content-Type'] = 'application/json';
		try {
			return await fetch(url, {
				method: options.body === undefined ? 'GET' : 'POST',
				body: options.body === undefined ? undefined : JSON.stringify(options.body),
				headers, signal: options.signal, cache: options.draws ? 'default' : 'no-store', credentials: 'omit',
			});
		} catch (error) {
			throw isAbort(error) ? error : new Gone();
		}
	}

	/**
	 * @param {string} path
	 * @param {Params} [params]
	 * @param {Options} [options]
	 * @returns {Promise<any>}
	 */
	json(path, params = {}, options = {})
	{
		return this.clocks.translate(path, params, (meant) => this.ask(path, meant, options, readJson));
	}

	/**
	 * @param {string} path
	 * @param {Params} [params]
	 * @param {Options} [options]
	 * @returns {Promise<string>}
	 */
	text(path, params = {}, options = {})
	{
		return this.ask(path, params, options, (response) => (isJson(response) ? readJson(response) : response.text()));
	}

	/**
	 * @param {number[]} numbers of tracks, at most 64
	 * @param {number} level
	 * @param {number} index
	 * @param {number} depth
	 * @param {AbortSignal} [signal]
	 */
	async tiles(numbers, level, index, depth, signal)
	{
		const params = { tracks: numbers, level, index, depth, v: this.fingerprint || null };
		const bytes = await this.ask('/tile', params, { signal, draws: true }, (r) => (isJson(r) ? readJson(r) : r.arrayBuffer()));

		return parseTiles(bytes, depth);
	}

	/**
	 * @param {number[]} numbers
	 * @param {number} level
	 * @param {number} index
	 * @param {number} depth
	 * @param {AbortSignal} [signal]
	 */
	async events(numbers, level, index, depth, signal)
	{
		const params = { tracks: numbers, level, index, depth, whole: this.wholeNames, pattern: this.pattern || null, v: this.fingerprint || null };

		return readEvents(await this.json('/events', params, { signal, draws: true }));
	}

	/**
	 * In which cells hits are.
	 * @param {number[]} numbers
	 * @param {number} level
	 * @param {number} index
	 * @param {number} depth
	 * @param {AbortSignal} [signal]
	 */
	marks(numbers, level, index, depth, signal)
	{
		return this.json('/marks', { tracks: numbers, level, index, depth, pattern: this.pattern }, { signal });
	}

	/** The program has all rows. */
	lacks()
	{
		return false;
	}
}

/** @param {Response} response */
const isJson = (response) => response.headers.get('Content-Type') === 'application/json';

/** An answer may be that there is none. @param {Response} response @returns {Promise<any>} */
async function readJson(response)
{
	const answer = await response.json();

	if (answer.error)
		throw new Refused(response.status, answer.error);
	return answer;
}

/** @param {Response} response */
async function refusal(response)
{
	try {
		const said = await response.json();
		return new Refused(response.status, said.error ?? {});
	} catch {
		return new Refused(response.status, {});
	}
}

/** @typedef {ServerSource | import('./file_source.js').FileSource} Source */
