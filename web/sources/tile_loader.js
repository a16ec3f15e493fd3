/* Which tiles does the picture need, and which of them are asked for next? */
import { TileCache } from './tile_cache.js';
import { tileWidth } from './tile.js';
import { isAbort } from './source.js';

const MOST_TRACKS = 64;
const MOST_TILES = 64; /* a screen has fewer, whatever its pixels */
const MOST_AT_ONCE = 4;
const FIRST_REST_MS = 1000, LONGEST_REST_MS = 30000;

/**
 * @typedef {{number: number, depth: number}} Wanted a track, and how many of its lanes
 * @typedef {{what: 'tiles' | 'events' | 'marks', numbers: number[], level: number, index: number, depth: number,
 *   abort: AbortController, name: string, shelf: import('./tile_cache.js').Shelf<any>}} Job shelf: what comes is put there
 */

export class TileLoader {
	/**
	 * @param {import('./source.js').Source} source
	 * @param {TileCache} cache
	 * @param {() => void} onCame
	 */
	constructor(source, cache, onCame)
	{
		this.source = source;
		this.cache = cache;
		this.onCame = onCame;
		/** @type {(number: number, lanes: number) => void} */
		this.onLanes = () => {};
		/** @type {Job[]} */
		this.queue = [];
		/** @type {Map<string, Job>} */
		this.running = new Map();
		/** @type {Set<string>} tiles that the last plan wants, of all its parts */
		this.wanted = new Set();
		this.restsMs = 0; /* how long after a failure nothing is asked for; 0: all is well */
		this.rests = false;
	}

	/** A plan begins: want() says what it holds, go() ends it. */
	plan()
	{
		this.queue = [];
		this.wanted.clear();
	}

	/**
	 * Tiles of some tracks over a span of time.
	 * @param {'tiles' | 'events' | 'marks'} what
	 * @param {Wanted[]} tracks
	 * @param {number} level
	 * @param {number} begin
	 * @param {number} end
	 */
	want(what, tracks, level, begin, end)
	{
		const { clocks } = this.source, moved = new Set(tracks.map((t) => clocks.ofTrack(t.number)));

		for (const by of moved)
			this.wantOwn(what, tracks.filter((t) => clocks.ofTrack(t.number) === by), level, begin - by, end - by);
	}

	/**
	 * The same, on the clock of those who answer.
	 * @param {'tiles' | 'events' | 'marks'} what
	 * @param {Wanted[]} tracks
	 * @param {number} level
	 * @param {number} begin
	 * @param {number} end
	 */
	wantOwn(what, tracks, level, begin, end)
	{
		const width = tileWidth(level);
		const first = Math.max(0, Math.floor(begin / width));
		const last = Math.max(first, Math.ceil(end / width) - 1);

		for (let index = first; index <= last && index < first + MOST_TILES; index++) {
			const place = `${what}/${level}/${index}`;

			this.wanted.add(place);
			this.queueMissing(what, tracks, level, index, place);
		}
	}

	/**
	 * @param {'tiles' | 'events' | 'marks'} what
	 * @param {Wanted[]} tracks
	 * @param {number} level
	 * @param {number} index
	 * @param {string} place
	 */
	queueMissing(what, tracks, level, index, place)
	{
		const shelf = this.cache[what];
		/* The lanes of a batch are as many as its deepest row shows: like goes with like. */
		const missing = tracks.filter((t) => {
			const is = shelf.get(t.number, level, index);

			return is === undefined || (is !== null && is.depth < t.depth);
		}).sort((a, b) => a.depth - b.depth);

		for (let i = 0; i < missing.length; i += MOST_TRACKS) {
			const part = missing.slice(i, i + MOST_TRACKS);
			const depth = part[part.length - 1].depth;
			const numbers = part.map((t) => t.number);
			const name = `${shelf.number}/${place}/${depth}/${numbers.join(',')}`;

			if (!this.running.has(name))
				this.queue.push({ what, numbers, level, index, depth, abort: new AbortController(), name, shelf });
		}
	}

	/** What nobody wants any more is given up, what is missing is asked for. */
	go()
	{
		for (const job of this.running.values()) {
			if (!this.wanted.has(`${job.what}/${job.level}/${job.index}`))
				job.abort.abort();
		}
		this.next();
	}

	isBusy()
	{
		return this.queue.length > 0 || this.running.size > 0;
	}

	next()
	{
		while (!this.rests && this.running.size < MOST_AT_ONCE && this.queue.length) {
			const job = /** @type {Job} */ (this.queue.shift());

			if (!this.running.has(job.name) && !this.isUnderWay(job)) {
				this.running.set(job.name, job);
				void this.run(job);
			}
		}
	}

	/**
	 * Rows that come while a tile is under way make another batch: ask for what is new alone.
	 * @param {Job} job
	 */
	isUnderWay(job)
	{
		for (const other of this.running.values()) {
			if (other.shelf === job.shelf && other.level === job.level && other.index === job.index &&
			    other.depth >= job.depth && !other.abort.signal.aborted)
				job.numbers = job.numbers.filter((n) => !other.numbers.includes(n));
		}
		return job.numbers.length === 0;
	}

	/** @param {Job} job */
	async run(job)
	{
		try {
			const { numbers, level, index, depth, abort } = job;

			if (job.what === 'tiles')
				this.keepTiles(job, await this.source.tiles(numbers, level, index, depth, abort.signal));
			else if (job.what === 'events')
				this.keep(job, TileCache.readEvents(await this.source.events(numbers, level, index, depth, abort.signal), depth));
			else
				this.keep(job, TileCache.readMarks(await this.source.marks(numbers, level, index, depth, abort.signal), depth));
			this.restsMs = 0;
			this.onCame();
		} catch (error) {
			/* Without an answer the coarser tile stays. */
			if (!isAbort(error))
				this.rest();
		} finally {
			this.running.delete(job.name);
			this.next();
		}
	}

	/** Nobody answers: asks again after a while, and after a longer one. */
	rest()
	{
		if (this.rests)
			return;
		this.rests = true;
		this.restsMs = Math.min(LONGEST_REST_MS, this.restsMs * 2 || FIRST_REST_MS);
		setTimeout(() => {
			this.rests = false;
			this.onCame();
		}, this.restsMs);
	}

	/**
	 * @param {Job} job
	 * @param {Map<number, import('./tile.js').Tile>} tiles
	 */
	keepTiles(job, tiles)
	{
		for (const number of job.numbers) {
			const tile = tiles.get(number) ?? null;

			if (tile)
				tile.used = this.cache.frame;
			job.shelf.put(number, job.level, job.index, tile?.instead ? null : tile);
			if (tile?.instead)
				job.shelf.put(number, tile.instead.level, tile.instead.index, tile);
			if (tile)
				this.onLanes(number, tile.lanes);
		}
		this.cache.version++;
	}

	/**
	 * @param {Job} job
	 * @param {Map<number, {used: number}>} came by track
	 */
	keep(job, came)
	{
		for (const number of job.numbers) {
			const is = came.get(number) ?? null;

			if (is)
				is.used = this.cache.frame;
			job.shelf.put(number, job.level, job.index, is);
		}
		this.cache.version++;
	}
}
