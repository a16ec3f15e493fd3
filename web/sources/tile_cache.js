/*
 * Which tiles are at hand? Those not drawn for longest go when there are too many; where one is
 * missing, the next coarser one stands in for it.
 */
import { LAST_LEVEL } from './tile.js';
import { shown } from '../base/units.js';

const MOST_BYTES = 40e6;

/**
 * @typedef {import('./tile.js').Tile} Tile
 * @typedef {{at: Float64Array, start: Float64Array, duration: Float64Array, class: Uint8Array,
 *   names: string[], hit: ?Uint8Array}} LaneEvents hit: which were searched for; null: none was
 * @typedef {{lanes: LaneEvents[], bytes: number, used: number, depth: number}} Events of a tile of a track
 * @typedef {{lanes: number[][], bytes: number, used: number, depth: number}} Marks of a tile of a track: cells with hits, as pairs from, to
 */

/** @template {{bytes: number, used: number, depth: number}} T */
export class Shelf {
	/** @param {number} number which one of its kind */
	constructor(number = 0)
	{
		this.number = number;
		/** @type {Map<number, Map<number, T | null>>} by track, then by key; null: there is none to get */
		this.tracks = new Map();
		this.bytes = 0;
	}

	/**
	 * A level and an index as one number: an index has at most 44 bits.
	 * @param {number} level
	 * @param {number} index
	 */
	static key(level, index)
	{
		return index * 64 + level;
	}

	/**
	 * @param {number} track
	 * @param {number} level
	 * @param {number} index
	 * @returns {T | null | undefined} undefined: nobody has asked for it
	 */
	get(track, level, index)
	{
		return this.tracks.get(track)?.get(Shelf.key(level, index));
	}

	/**
	 * @param {number} track
	 * @param {number} level
	 * @param {number} index
	 * @param {T | null} is
	 */
	put(track, level, index, is)
	{
		let tiles = this.tracks.get(track);
		const key = Shelf.key(level, index);

		if (!tiles)
			this.tracks.set(track, (tiles = new Map()));
		this.bytes += (is?.bytes ?? 0) - (tiles.get(key)?.bytes ?? 0);
		tiles.set(key, is);
	}

	/**
	 * The finest that is no finer than this one and covers it.
	 * @param {number} track
	 * @param {number} level
	 * @param {number} index
	 * @returns {{level: number, index: number, is: T} | null}
	 */
	covering(track, level, index)
	{
		const tiles = this.tracks.get(track);

		if (!tiles)
			return null;
		for (let l = level, i = index; l <= LAST_LEVEL; l++, i = Math.floor(i / 2)) {
			const is = tiles.get(Shelf.key(l, i));

			if (is)
				return { level: l, index: i, is };
		}
		return null;
	}

	/**
	 * @param {number} most
	 * @param {number} frame tiles that were drawn in it stay
	 */
	trim(most, frame)
	{
		if (this.bytes <= most)
			return;
		/** @type {{track: number, key: number, used: number, bytes: number}[]} */
		const old = [];

		for (const [track, tiles] of this.tracks) {
			for (const [key, tile] of tiles) {
				if (tile && tile.used < frame)
					old.push({ track, key, used: tile.used, bytes: tile.bytes });
			}
		}
		old.sort((a, b) => a.used - b.used);
		for (const o of old) {
			if (this.bytes <= most * 0.8)
				break;
			this.tracks.get(o.track)?.delete(o.key);
			this.bytes -= o.bytes;
		}
	}
}

export class TileCache {
	constructor()
	{
		/** @type {Shelf<Tile>} */
		this.tiles = new Shelf();
		/** @type {Shelf<Events>} */
		this.events = new Shelf();
		/** @type {Shelf<Marks>} */
		this.marks = new Shelf();
		this.frame = 1;
		/** Counts what has come: a picture of the same version is the same. */
		this.version = 0;
	}

	/**
	 * @param {any} reply of /events
	 * @param {number} depth
	 * @returns {Map<number, Events>}
	 */
	static readEvents(reply, depth)
	{
		/** @type {Map<number, Events>} */
		const all = new Map();

		/* Names are somebody's: what turns or controls a line is spelled out, once for all. */
		const names = reply.names.map(shown);

		for (const track of reply.tracks) {
			let bytes = 200;
			const lanes = track.lanes.map((/** @type {any} */ l) => {
				bytes += 300 + l.at.length * 40;
				return {
					at: Float64Array.from(l.at), start: Float64Array.from(l.start),
					duration: Float64Array.from(l.duration), class: Uint8Array.from(l.class),
					names: l.name.map((/** @type {number} */ n) => (n < 0 ? '' : names[n])),
					hit: l.hit ? Uint8Array.from(l.hit) : null,
				};
			});
			all.set(track.number, { lanes, bytes, used: 0, depth });
		}
		return all;
	}

	/**
	 * @param {any} reply of /marks
	 * @param {number} depth
	 * @returns {Map<number, Marks>}
	 */
	static readMarks(reply, depth)
	{
		return new Map(reply.tracks.map((/** @type {{number: number, lanes: number[][]}} */ { number, lanes }) => {
			const bytes = 200 + lanes.reduce((sum, cells) => sum + 50 + 8 * cells.length, 0);

			return [number, { lanes, bytes, used: 0, depth }];
		}));
	}

	/** Names, or which of them are hits, are told otherwise from here on. What is under way comes to what is forgotten. */
	forgetEvents()
	{
		this.events = new Shelf(this.events.number + 1);
		this.marks = new Shelf(this.marks.number + 1);
		this.version++;
	}

	/** A new frame is drawn: what it draws is marked with its number. */
	beginFrame()
	{
		this.frame++;
		this.tiles.trim(MOST_BYTES * 0.75, this.frame - 1);
		this.events.trim(MOST_BYTES * 0.2, this.frame - 1);
		this.marks.trim(MOST_BYTES * 0.05, this.frame - 1);
	}
}
