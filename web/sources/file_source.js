/*
 * What the program wrote into this file, in the place of the program. Some tiles are there, and
 * below the finest of them all events: what is finer still is made of those. See docs/web.md.
 */
import { begin } from '../base/idle.js';
import { Clocks } from './clocks.js';
import { NotInFile, readEvents, writeParams } from './source.js';
import { CELLS, CELL_BYTES, LAST_LEVEL, tileWidth } from './tile.js';
import { fillCells } from './tile_of_events.js';

/**
 * @typedef {import('./source.js').Params} Params
 * @typedef {{index: number[], leaf: number[], lanes: number, cells: string, events: string}} Level of a track
 * @typedef {{at: number[], start: number[], duration: number[], class: number[], name: number[], value?: number[], hit?: number[]}} LaneEvents
 * @typedef {{names: string[], lanes: LaneEvents[]}} TileEvents
 * @typedef {{track: number, lane: number, at: number, start: number, duration: number, class: number, name: string, value?: number}} FileEvent
 * @typedef {{cells: Map<number, Uint8Array>, events: Map<number, TileEvents>, leaves: Set<number>, lanes: number}} Unpacked
 */

/** Rows whose events have no names of their own: as the program's search has it. */
const NAMELESS = ['gpu', 'capture'];
/** Of more lanes of a row the file has nothing: as the program writes it. */
const MOST_LANES = 16;
/** An event is drawn by itself when it is so many cells long: as /events has it. */
const LEAST_CELLS = 4;

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

/** @param {string} packed */
async function readReplies(packed)
{
	const all = JSON.parse(new TextDecoder().decode(await gunzip(packed)));

	return new Map(Object.entries(all).map(([url, reply]) => [canonical(url), reply]));
}

/** @param {Level} level @param {boolean} isTop the uppermost one, of which leaves have cells, too */
async function unpack(level, isTop)
{
	const size = level.lanes * CELLS * CELL_BYTES;
	const cells = new Uint8Array(await gunzip(level.cells));
	const replies = JSON.parse(new TextDecoder().decode(await gunzip(level.events)));
	/** @type {Unpacked} */
	const made = { cells: new Map(), events: new Map(), leaves: new Set(), lanes: level.lanes };
	let at = 0;

	level.index.forEach((index, i) => {
		const reply = readEvents(replies[i]);

		made.events.set(index, { names: reply.names, lanes: reply.tracks[0].lanes });
		if (level.leaf[i])
			made.leaves.add(index);
		if (!level.leaf[i] || isTop) {
			made.cells.set(index, cells.subarray(at, at + size));
			at += size;
		}
	});
	return made;
}

export class FileSource {
	/** @param {any} recorded what gpuwhy viewer wrote: session, tracks, replies, levels */
	constructor(recorded)
	{
		this.isFile = true;
		/** What there was no room for. @type {string} */
		this.leftOut = recorded.left_out ?? '';
		/** Where all events are. @type {[number, number]} */
		this.detailed = recorded.detailed;
		/** @type {[number, number]} */
		this.limits = recorded.session.limits;
		/** A file has short names alone. */
		this.wholeNames = false;
		/** What was searched for: events say whether they are hits. */
		this.pattern = '';
		this.clocks = new Clocks();
		this.fingerprint = '';
		this.recorded = recorded;
		this.onTrouble = () => {};
		this.onAnswer = () => {};
		/** @type {?Promise<Map<string, any>>} */
		this.replies = null;
		/** Rows of which not all events are there. @type {Set<number>} */
		this.coarse = new Set(recorded.coarse);
		/** Rows of which nothing is there. @type {Set<number>} */
		this.missing = new Set(recorded.missing);
		/** Either. @type {Set<number>} */
		this.notInFull = new Set([...this.coarse, ...this.missing]);
		/** Rows of which it has not every event of the capture. @type {number[]} */
		this.partlyListed = recorded.partly_listed;
		/** @type {?{pattern: string, hits: Promise<FileEvent[]>}} */
		this.searched = null;
		/** @type {Map<string, Promise<Unpacked>>} what was looked at, by track and level */
		this.unpacked = new Map();
		/** The uppermost level of each track. @type {Map<number, number>} */
		this.tops = new Map();
		for (const key of Object.keys(recorded.levels)) {
			const [track, level] = key.split('/').map(Number);

			this.tops.set(track, Math.max(level, this.tops.get(track) ?? 0));
		}
	}

	/**
	 * @param {string} path
	 * @param {Params} [params]
	 * @param {import('./source.js').Options} [options]
	 * @returns {Promise<any>}
	 */
	json(path, params = {}, options = {})
	{
		return this.clocks.translate(path, params, (meant) => this.find(path, meant, options));
	}

	/**
	 * @param {string} path
	 * @param {Params} params
	 * @param {import('./source.js').Options} options
	 * @returns {Promise<any>}
	 */
	async find(path, params, options)
	{
		if (path === '/session')
			return this.recorded.session;
		if (path === '/tracks')
			return this.recorded.tracks;
		const end = begin();

		try {
			return await this.reply(canonical(path + writeParams(params)), options) ?? await this.answer(path, params);
		} finally {
			end();
		}
	}

	/**
	 * What the program answered when the file was written; undefined: it was not asked.
	 * @param {string} url
	 * @param {import('./source.js').Options} options
	 */
	async reply(url, options)
	{
		this.replies ??= readReplies(this.recorded.replies);
		const found = options.body === undefined ? (await this.replies).get(url) : undefined;

		if (found?.error)
			throw Object.assign(new Error(found.error.message), { status: 422, hint: found.error.hint });
		return found;
	}

	/** What the events of the file tell. @param {string} path @param {Params} params */
	async answer(path, params)
	{
		switch (path) {
		case '/event':
			return this.event(Number(params.track), Number(params.lane), Number(params.at));
		case '/near':
			return { event: await this.near(params) };
		case '/search':
			return { ...summary(await this.hitsOf(params), [Number(params.begin ?? this.limits[0]), Number(params.end ?? this.limits[1])]),
				not_searched: this.partlyListed.filter((number) => this.isSearched(number)) };
		case '/hit':
			return { event: await this.hit(params) };
		case '/sums':
			return { tracks: await Promise.all(numbersOf(params.tracks).map((n) => this.sums(n, Number(params.begin), Number(params.end)))) };
		case '/gaps':
			return { gaps: await this.gaps(Number(params.track), Number(params.begin), Number(params.end), Number(params.most ?? 20)) };
		default:
			throw new NotInFile();
		}
	}

	/**
	 * @param {string} path
	 * @param {Params} [params]
	 * @returns {Promise<string>}
	 */
	async text(path, params = {})
	{
		return String(await this.json(path, params));
	}

	/** Whether a row looks as if nothing went on because the file has nothing of it. @param {number} track */
	lacks(track)
	{
		return this.missing.has(track);
	}

	/**
	 * Whether all events of a row in a part of the time are there.
	 * @param {number} track
	 * @param {number} begin
	 * @param {number} end
	 */
	async knows(track, begin, end)
	{
		const [first, last] = this.detailed;

		if (this.missing.has(track))
			return false;
		if (!this.coarse.has(track) && begin >= first && end <= last)
			return true;
		for (let at = Math.max(begin, this.limits[0]), to = Math.min(end, this.limits[1]); at <= to;) {
			const found = await this.nearest(track, 0, Math.floor(at / tileWidth(0)));

			if (found && !found.in.leaves.has(found.index))
				return false;
			/* Where there is no tile nothing goes on. */
			const wide = tileWidth(found ? found.level : this.tops.get(track) ?? LAST_LEVEL);

			at = (Math.floor(at / wide) + 1) * wide;
		}
		return (this.track(track)?.lanes ?? 1) <= MOST_LANES;
	}

	/** @param {number} track */
	hasValues(track)
	{
		return Boolean(this.track(track)?.values);
	}

	/** @param {number} number @returns {any} */
	track(number)
	{
		return this.recorded.tracks.tracks.find((/** @type {any} */ t) => t.number === number);
	}

	/** @param {number} track @param {number} level @returns {Promise<Unpacked> | null} null: the file has none */
	level(track, level)
	{
		const key = `${track}/${level}`, packed = this.recorded.levels[key];

		if (!packed)
			return null;
		let is = this.unpacked.get(key);

		if (!is)
			this.unpacked.set(key, (is = unpack(packed, level === this.tops.get(track))));
		return is;
	}

	/**
	 * The tile itself, or the finest above it; null: the file has none.
	 * @param {number} track
	 * @param {number} level
	 * @param {number} index
	 * @returns {Promise<{level: number, index: number, in: Unpacked} | null>}
	 */
	async nearest(track, level, index)
	{
		for (let l = level, i = index; l <= LAST_LEVEL; l++, i = Math.floor(i / 2)) {
			const is = await this.level(track, l);

			if (is?.events.has(i))
				return { level: l, index: i, in: is };
		}
		return null;
	}

	/**
	 * Whether all that is there is in the file.
	 * @param {number} track
	 * @param {number} level
	 * @param {number} index
	 */
	isDetailed(track, level, index)
	{
		const [begin, end] = this.recorded.detailed;

		return !this.coarse.has(track) && index * tileWidth(level) < end && (index + 1) * tileWidth(level) > begin;
	}

	/**
	 * The tile; or, where the file has nothing so fine, a coarser one, which says so.
	 * @param {number} track
	 * @param {number} level
	 * @param {number} index
	 * @returns {Promise<?import('./tile.js').Tile>}
	 */
	async tile(track, level, index)
	{
		const found = await this.nearest(track, level, index);

		if (!found)
			return null;
		const size = CELLS * CELL_BYTES, recorded = found.in.cells.get(found.index);
		const events = found.in.leaves.has(found.index) ? found.in.events.get(found.index) : null;
		/** @type {(?Uint8Array)[]} */
		const cells = [];
		const is = { lanes: found.in.lanes, cells, bytes: 200 + found.in.lanes * (size + 100), used: 0, depth: 64 };

		if (events && (found.level > level || !recorded)) {
			const full = this.track(track)?.values?.full;

			for (let lane = 0; lane < is.lanes; lane++)
				cells.push(events.lanes[lane] ? fillCells(events.lanes[lane], level, index, full) : null);
			return is;
		}
		/* What is in the part that is all there, and not in a leaf, is nowhere. */
		if (found.level > level && this.isDetailed(track, level, index)) {
			cells.length = is.lanes;
			return { ...is, cells: cells.fill(null) };
		}
		for (let lane = 0; lane < is.lanes; lane++)
			cells.push(recorded ? recorded.slice(lane * size, (lane + 1) * size) : null);
		return found.level > level ? { ...is, instead: { level: found.level, index: found.index } } : is;
	}

	/**
	 * Those that are there.
	 * @param {number[]} numbers
	 * @param {number} level
	 * @param {number} index
	 */
	async tiles(numbers, level, index)
	{
		const end = begin();
		/** @type {Map<number, import('./tile.js').Tile>} */
		const found = new Map();

		try {
			for (const number of numbers) {
				const tile = await this.tile(number, level, index);

				if (tile)
					found.set(number, tile);
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
		/** @type {{names: string[], tracks: {number: number, lanes: LaneEvents[]}[]}} */
		const all = { names: [], tracks: [] };
		const end = begin();

		try {
			const pattern = this.pattern ? new RegExp(this.pattern, 'i') : null;

			for (const number of numbers) {
				const found = await this.nearest(number, level, index);
				const events = found?.in.events.get(found.index);

				/* One that is coarser, and no leaf, lists the long ones alone: these are still there. */
				if (!events)
					continue;
				const first = all.names.length;

				all.names.push(...events.names);
				const lanes = events.lanes.map((lane) => longOf(lane, level, index, first));

				/* Of their names: long ones are there where others are not. */
				if (pattern && this.isSearched(number))
					lanes.forEach((of) => {
						of.hit = of.name.map((n) => Number(n >= 0 && pattern.test(all.names[n])));
					});
				all.tracks.push({ number, lanes });
			}
		} finally {
			end();
		}
		return all;
	}

	/**
	 * As /marks has it: cells in which hits of the file are.
	 * @param {number[]} numbers
	 * @param {number} level
	 * @param {number} index
	 */
	async marks(numbers, level, index)
	{
		const end = begin();

		try {
			const hits = await this.hits(this.pattern);

			return { tracks: numbers.map((number) => ({ number, lanes: markedCells(hits.filter((h) => h.track === number), level, index) })) };
		} finally {
			end();
		}
	}

	/**
	 * All events that the file has of a lane, in order.
	 * @param {number} track
	 * @param {number} lane
	 */
	async *lane(track, lane)
	{
		const levels = Object.keys(this.recorded.levels).filter((key) => key.startsWith(`${track}/`));
		/** @type {{begin: number, events: TileEvents}[]} */
		const leaves = [];

		for (const key of levels) {
			const level = Number(key.split('/')[1]), is = await /** @type {Promise<Unpacked>} */ (this.level(track, level));

			for (const index of is.leaves)
				leaves.push({ begin: index * tileWidth(level), events: /** @type {TileEvents} */ (is.events.get(index)) });
		}
		leaves.sort((a, b) => a.begin - b.begin);
		let last = -1;

		for (const { events } of leaves) {
			const of = events.lanes[lane];

			for (let i = 0; i < (of?.at.length ?? 0); i++) {
				/* One that crosses an edge is on both sides of it. */
				if (of.at[i] <= last)
					continue;
				last = of.at[i];
				yield { track, lane, at: of.at[i], start: of.start[i], duration: of.duration[i], class: of.class[i],
					name: of.name[i] < 0 ? '' : events.names[of.name[i]], value: of.value?.[i] };
			}
		}
	}

	/**
	 * Events of the file whose names match, by time and then from the uppermost down; those of the last pattern are kept.
	 * @param {string} pattern
	 */
	hits(pattern)
	{
		if (this.searched?.pattern !== pattern)
			this.searched = { pattern, hits: this.match(new RegExp(pattern, 'i')) };
		return this.searched.hits;
	}

	/** Those that begin in a time, of one capture or all. @param {Params} params as /search takes them */
	async hitsOf(params)
	{
		const hits = await this.hits(String(params.pattern));

		return params.capture === undefined ? hits
			: hits.filter((h) => this.track(h.track)?.capture === params.capture && h.start >= Number(params.begin) && h.start < Number(params.end));
	}

	/** @param {number} number */
	isSearched(number)
	{
		return !NAMELESS.includes(this.track(number)?.kind) && !this.hasValues(number);
	}

	/** @param {RegExp} pattern */
	async match(pattern)
	{
		/** @type {FileEvent[]} */
		const found = [];

		for (const track of this.recorded.tracks.tracks) {
			if (!this.isSearched(track.number))
				continue;
			for (let lane = 0; lane < (track.lanes ?? 1); lane++) {
				for await (const event of this.lane(track.number, lane)) {
					if (event.name && pattern.test(event.name))
						found.push(event);
				}
			}
		}
		const order = new Map(this.recorded.tracks.tracks.map((/** @type {any} */ t, /** @type {number} */ i) => [t.number, i]));

		return found.sort((a, b) => a.start - b.start || (order.get(a.track) ?? 0) - (order.get(b.track) ?? 0) || a.lane - b.lane || a.at - b.at);
	}

	/** @param {Params} params as /hit takes them */
	async hit(params)
	{
		const found = await this.hits(String(params.pattern)), isNext = params.way !== 'previous';
		const hits = params.capture === undefined ? found : found.filter((h) => this.track(h.track)?.capture === params.capture);
		const here = params.at === undefined ? -1 : hits.findIndex((h) => h.track === params.track && h.lane === params.lane && h.at === params.at);
		const from = params.at === undefined ? Number(params.time) : (await this.event(Number(params.track), Number(params.lane), Number(params.at))).start;
		const hit = here >= 0 ? hits[here + (isNext ? 1 : -1)]
			: isNext ? hits.find((h) => h.start >= from) : hits.findLast((h) => h.start < from);

		return hit ? this.told(hit) : null;
	}

	/**
	 * As /sums has it; where the file does not have all events it says so in place of numbers.
	 * @param {number} number
	 * @param {number} begin
	 * @param {number} end
	 */
	async sums(number, begin, end)
	{
		const ns = new Array(8).fill(0);
		let events = 0, begun = 0, weighed = 0, weight = 0;

		if (!await this.knows(number, begin, end))
			return { number, missing: true };
		for (let lane = 0; lane < (this.track(number)?.lanes ?? 1); lane++) {
			for await (const event of this.lane(number, lane)) {
				const part = Math.min(end, event.start + event.duration) - Math.max(begin, event.start);

				if (part < 0 || event.start >= end)
					continue;
				events++;
				begun += event.start >= begin ? 1 : 0;
				ns[event.class] += part;
				weighed += (event.value ?? 0) * part;
				weight += part;
			}
		}
		return { number, events, begun, busy: ns.reduce((a, b) => a + b, 0), ns, mean: this.hasValues(number) && weight ? weighed / weight : null };
	}

	/**
	 * As /gaps has it.
	 * @param {number} number
	 * @param {number} begin
	 * @param {number} end
	 * @param {number} most
	 */
	async gaps(number, begin, end, most)
	{
		/** @type {{start: number, end: number}[]} */
		const gaps = [], [first, last] = this.recorded.detailed;
		let until = Math.max(begin, first), any = false;

		if (this.missing.has(number) || this.coarse.has(number))
			throw new NotInFile(this.missing.has(number) ? 'this row is' : 'single events of this row are');
		for await (const event of this.lane(number, 0)) {
			const start = Math.min(event.start, end, last);

			if (any && start > until)
				gaps.push({ start: until, end: start });
			any ||= event.start + event.duration > until;
			until = Math.max(until, event.start + event.duration);
		}
		return gaps.sort((a, b) => (b.end - b.start) - (a.end - a.start) || a.start - b.start).slice(0, most);
	}

	/** @param {FileEvent} event */
	told(event)
	{
		const track = this.track(event.track);

		return { ...event, class: track?.classes[event.class] ?? '', value: track?.values ? event.name : null };
	}

	/** @param {number} track @param {number} lane @param {number} at */
	async event(track, lane, at)
	{
		for await (const event of this.lane(track, lane)) {
			if (event.at === at)
				return { ...this.told(event), short_name: event.name, facts: [], same_name: null, links: [], finding: null,
					track_name: this.track(track)?.name };
		}
		throw new NotInFile();
	}

	/** @param {Params} params as /near takes them */
	async near(params)
	{
		const time = Number(params.time), track = Number(params.track), isNext = params.way === 'next';
		const found = this.lacks(track) ? null : await this.nearOf(params), other = found?.start ?? this.limits[isNext ? 1 : 0];

		/* Between there and here may be others. */
		if (params.way !== 'at' && !await this.knows(track, Math.min(time, other), Math.max(time, other)))
			throw new NotInFile(this.lacks(track) ? 'this row is' : 'single events of this row are');
		return found && this.told(found);
	}

	/** The same, of the events of the file. @param {Params} params */
	async nearOf(params)
	{
		const time = Number(params.time), least = Number(params.least ?? 0);
		let best = null;

		for await (const event of this.lane(Number(params.track), Number(params.lane ?? 0))) {
			const end = event.start + event.duration;

			if (params.way === 'next' && event.start > time && event.duration >= least)
				return event;
			if (params.way === 'previous' && event.start < time && event.duration >= least)
				best = event;
			if (params.way === 'at' && event.start <= time && (end > time || (end === time && !event.duration)))
				best = event;
			if (event.start > time)
				break;
		}
		return best;
	}
}

/**
 * Those that are long enough to be drawn by themselves, and are in the tile.
 * @param {LaneEvents} lane
 * @param {number} level
 * @param {number} index
 * @param {number} firstName
 * @returns {LaneEvents}
 */
function longOf(lane, level, index, firstName)
{
	const begin = index * tileWidth(level), end = begin + tileWidth(level);
	const least = level ? LEAST_CELLS * 2 ** level : 0;
	/** @type {LaneEvents} */
	const long = { at: [], start: [], duration: [], class: [], name: [] };

	for (let i = 0; i < lane.at.length; i++) {
		if (lane.duration[i] < least || lane.start[i] >= end || lane.start[i] + lane.duration[i] < begin)
			continue;
		long.at.push(lane.at[i]);
		long.start.push(lane.start[i]);
		long.duration.push(lane.duration[i]);
		long.class.push(lane.class[i]);
		long.name.push(lane.name[i] < 0 ? -1 : lane.name[i] + firstName);
	}
	return long;
}

/**
 * Of each lane the cells of a tile that its hits lie in, as pairs from, to.
 * @param {FileEvent[]} hits of a track, by time
 * @param {number} level
 * @param {number} index
 */
function markedCells(hits, level, index)
{
	/** @type {number[][]} */
	const lanes = [];
	const first = index * tileWidth(level);

	for (const { lane, start, duration } of hits) {
		const from = Math.max(0, Math.floor((start - first) / 2 ** level));
		const to = Math.min(CELLS, Math.max(Math.floor((start - first) / 2 ** level) + 1, Math.ceil((start + duration - first) / 2 ** level)));

		while (lanes.length <= lane)
			lanes.push([]);
		const cells = lanes[lane];

		if (to <= from)
			continue;
		if (cells.length && cells[cells.length - 1] >= from)
			cells[cells.length - 1] = Math.max(to, cells[cells.length - 1]);
		else
			cells.push(from, to);
	}
	return lanes;
}

/** @param {Params[string]} tracks as a request names them */
function numbersOf(tracks)
{
	return Array.isArray(tracks) ? tracks.map(Number) : String(tracks).split(',').map(Number);
}

/**
 * What /search says of hits.
 * @param {FileEvent[]} hits
 * @param {[number, number]} limits
 */
function summary(hits, [begin, end])
{
	const strip = new Array(CELLS).fill(0);
	/** @type {Map<number, {number: number, hits: number, ns: number}>} */
	const tracks = new Map();

	for (const hit of hits) {
		const of = tracks.get(hit.track) ?? { number: hit.track, hits: 0, ns: 0 };

		of.hits++;
		of.ns += hit.duration;
		tracks.set(hit.track, of);
		strip[Math.min(CELLS - 1, Math.max(0, Math.floor((hit.start - begin) / (end - begin) * CELLS)))]++;
	}
	return { hits: hits.length, tracks: [...tracks.values()], strip, durations: null };
}
