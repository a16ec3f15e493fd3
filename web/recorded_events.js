/* Which events does the file know, and what can be said of them without the program? */

/**
 * @typedef {{at: number[], start: number[], duration: number[], class: number[], name: number[], all: boolean}} Lane
 * @typedef {{names: string[], tracks: {number: number, lanes: Lane[]}[]}} Reply of /events, of one track
 * @typedef {{start: number, end: number, reply: Reply}} Tile
 */

export class RecordedEvents {
	/** @param {any} recorded */
	constructor(recorded)
	{
		/** @type {Object<string, Reply>} */
		this.events = recorded.events ?? {};
		/** @type {Map<number, any>} */
		this.tracks = new Map((recorded.tracks?.tracks ?? []).map((/** @type {any} */ t) => [t.number, t]));
		/** @type {Map<number, Tile[]>} by track; made when first asked for */
		this.tiles = new Map();
	}

	/**
	 * As the program would answer for several tracks at once.
	 * @param {number[]} numbers
	 * @param {number} level
	 * @param {number} index
	 * @returns {Reply}
	 */
	join(numbers, level, index)
	{
		/** @type {Reply} */
		const all = { names: [], tracks: [] };

		for (const number of numbers) {
			const part = this.events[`${number}/${level}/${index}`];

			if (!part)
				continue;
			const first = all.names.length;
			all.names.push(...part.names);
			for (const track of part.tracks)
				all.tracks.push({
					number: track.number,
					lanes: track.lanes.map((l) => ({ ...l, name: l.name.map((n) => (n < 0 ? n : n + first)) })),
				});
		}
		return all;
	}

	/** @param {number} track @returns {Tile[]} */
	tilesOf(track)
	{
		let tiles = this.tiles.get(track);

		if (tiles)
			return tiles;
		this.tiles.set(track, (tiles = []));
		for (const [key, reply] of Object.entries(this.events)) {
			const [number, level, index] = key.split('/').map(Number), width = 512 * 2 ** level;

			if (number === track)
				tiles.push({ start: index * width, end: (index + 1) * width, reply });
		}
		return tiles;
	}

	/**
	 * @param {number} track
	 * @param {Reply} reply
	 * @param {number} lane
	 * @param {number} i
	 */
	brief(track, reply, lane, i)
	{
		const l = reply.tracks[0].lanes[lane];

		return {
			track, lane, at: l.at[i], start: l.start[i], duration: l.duration[i],
			name: l.name[i] < 0 ? null : reply.names[l.name[i]], class: this.tracks.get(track)?.classes[l.class[i]] ?? '',
			value: null,
		};
	}

	/**
	 * @param {string} path
	 * @param {Object<string, any>} params
	 * @returns {any} undefined: that is not known here
	 */
	answer(path, params)
	{
		if (path === '/event' && params.brief)
			return this.eventAt(params.track, params.lane, params.at);
		return path === '/near' ? this.near(params.track, params.lane, params.time, params.way, params.least ?? 0) : undefined;
	}

	/** @param {number} track @param {number} lane @param {number} at */
	eventAt(track, lane, at)
	{
		for (const { reply } of this.tilesOf(track)) {
			const i = reply.tracks[0]?.lanes[lane]?.at.indexOf(at) ?? -1;

			if (i >= 0)
				return this.brief(track, reply, lane, i);
		}
		return undefined;
	}

	/**
	 * Only where the tile has all events of the lane is it known which is next.
	 * @param {number} track
	 * @param {number} lane
	 * @param {number} time
	 * @param {string} way
	 * @param {number} least
	 */
	near(track, lane, time, way, least)
	{
		for (const tile of this.tilesOf(track)) {
			const l = tile.reply.tracks[0]?.lanes[lane];

			if (!l?.all || time < tile.start || time >= tile.end)
				continue;
			const i = way === 'at' ? l.start.findLastIndex((s, k) => s <= time && time < s + l.duration[k])
				: way === 'next' ? l.start.findIndex((s, k) => s > time && l.duration[k] >= least)
				: l.start.findLastIndex((s, k) => s < time && l.duration[k] >= least);

			if (i >= 0)
				return { event: this.brief(track, tile.reply, lane, i) };
			if (way === 'at')
				return { event: null };
		}
		return undefined;
	}
}
