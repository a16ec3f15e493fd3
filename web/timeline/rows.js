/* Which lanes of which tracks are shown, and where? */

/**
 * @typedef {object} Track as /tracks has it
 * @property {number} number
 * @property {string} kind
 * @property {string} label
 * @property {string} name
 * @property {number} depth
 * @property {number} capture
 * @property {?number} device
 * @property {?number} pid
 * @property {?number} stream
 * @property {boolean} nested
 * @property {boolean} folded
 * @property {string[]} classes
 * @property {number} lanes 1 until a tile says how many there are
 * @property {?{unit: string, full: number}} values
 *
 * @typedef {{track: Track, lane: number, y: number, height: number, pinned: boolean, parent: boolean,
 *   folded: boolean}} Row a lane that is shown; y: from the top of all rows
 */

const FIRST_LANE = 20, OTHER_LANE = 16, VALUE_LANE = 26;
const FINDINGS_SHOWN = 8;
export const MOST_LANES = 64;

export class Rows {
	constructor()
	{
		/** @type {Track[]} in the order in which they are shown */
		this.tracks = [];
		/** @type {Map<number, Track>} */
		this.byNumber = new Map();
		/** @type {Set<string>} names, so that they hold for the next time, too */
		this.hidden = new Set();
		/** @type {Set<string>} */
		this.pinned = new Set();
		/** @type {Set<string>} folded though open at first, or open though folded */
		this.turned = new Set();
		/** @type {Set<string>} all lanes of these are shown */
		this.whole = new Set();
		this.depth = 4; /* levels of ranges */
		this.lanes = 2; /* of what overlaps */
		/** @type {Row[]} */
		this.all = [];
		this.height = 0;
		this.pinnedHeight = 0;
		/** @type {(() => void)[]} */
		this.followers = [];
	}

	/** @param {Track[]} tracks */
	setTracks(tracks)
	{
		for (const t of tracks)
			t.lanes = t.lanes ?? this.byNumber.get(t.number)?.lanes ?? 1;
		this.tracks = tracks;
		this.byNumber = new Map(tracks.map((t) => [t.number, t]));
		this.list();
	}

	/**
	 * A tile says how many lanes its track has by now.
	 * @param {number} number
	 * @param {number} lanes
	 */
	setLanes(number, lanes)
	{
		const track = this.byNumber.get(number);

		if (!track || track.lanes === lanes)
			return;
		track.lanes = lanes;
		this.list();
	}

	/** @param {Track} t */
	isFolded(t)
	{
		return t.folded !== this.turned.has(t.name);
	}

	/** @param {Track} t */
	lanesShown(t)
	{
		const most = this.whole.has(t.name) ? MOST_LANES
			: t.nested ? this.depth
			: t.kind === 'findings' ? Math.max(this.lanes, FINDINGS_SHOWN) : this.lanes;

		/* One that has nothing yet keeps its place. */
		return Math.max(t.nested && this.depth === 0 ? 0 : 1, Math.min(t.lanes, most));
	}

	/**
	 * Whether there are tracks that belong to this one.
	 * @param {number} i
	 */
	isParent(i)
	{
		return i + 1 < this.tracks.length && this.tracks[i + 1].depth > this.tracks[i].depth;
	}

	/** Lists the rows anew: tracks came, or were folded, hidden or pinned. */
	list()
	{
		/** @type {{t: Track, i: number}[]} */
		const pinned = [];
		/** @type {{t: Track, i: number}[]} */
		const others = [];
		let foldedDepth = Infinity;

		this.tracks.forEach((t, i) => {
			if (t.depth <= foldedDepth)
				foldedDepth = Infinity;
			if (t.depth > foldedDepth || this.hidden.has(t.name))
				return;
			(this.pinned.has(t.name) ? pinned : others).push({ t, i });
			if (this.isFolded(t))
				foldedDepth = t.depth;
		});
		this.all = [];
		this.height = 0;
		for (const p of pinned)
			this.add(p.t, p.i, true);
		this.pinnedHeight = this.height;
		for (const o of others)
			this.add(o.t, o.i, false);
		for (const follower of this.followers)
			follower();
	}

	/** @param {() => void} follower */
	follow(follower)
	{
		this.followers.push(follower);
	}

	/**
	 * @param {Track} t
	 * @param {number} i
	 * @param {boolean} pinned
	 */
	add(t, i, pinned)
	{
		const count = this.lanesShown(t);

		for (let lane = 0; lane < count; lane++) {
			const height = t.values ? VALUE_LANE : lane === 0 ? FIRST_LANE : OTHER_LANE;

			this.all.push({
				track: t, lane, y: this.height, height, pinned,
				parent: lane === 0 && this.isParent(i), folded: this.isFolded(t),
			});
			this.height += height;
		}
	}

	/**
	 * @param {number} y from the top of what is seen
	 * @param {number} scrolled
	 * @returns {?Row}
	 */
	at(y, scrolled)
	{
		const want = y < this.pinnedHeight ? y : y + scrolled;
		let low = 0, high = this.all.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (this.all[middle].y + this.all[middle].height <= want)
				low = middle + 1;
			else
				high = middle;
		}
		return this.all[low] ?? null;
	}

	/**
	 * @param {number} number
	 * @param {number} lane
	 * @returns {number} the row of a lane; of a lane that has none, the track's last; -1: the track has none
	 */
	indexOf(number, lane)
	{
		let near = -1;

		for (let i = 0; i < this.all.length; i++) {
			if (this.all[i].track.number === number && this.all[i].lane <= lane)
				near = i;
		}
		return near;
	}

	/**
	 * Those that are seen, pinned ones first.
	 * @param {number} scrolled
	 * @param {number} height
	 */
	visible(scrolled, height)
	{
		return this.all.filter((r) => r.pinned || (r.y + r.height > scrolled + this.pinnedHeight &&
			r.y < scrolled + height));
	}

	/**
	 * Undoes whatever hides a lane.
	 * @param {number} number
	 * @param {number} lane
	 */
	reveal(number, lane)
	{
		const t = this.byNumber.get(number);
		let i = t ? this.tracks.indexOf(t) : -1;

		if (!t)
			return;
		if (lane >= this.lanesShown(t))
			this.whole.add(t.name);
		this.hidden.delete(t.name);
		for (let depth = t.depth; i >= 0 && depth > 0; i--) {
			const above = this.tracks[i];

			if (above.depth >= depth)
				continue;
			if (this.isFolded(above))
				this.toggle(this.turned, above.name);
			depth = above.depth;
		}
		this.list();
	}

	/**
	 * @param {Set<string>} set
	 * @param {string} name
	 */
	toggle(set, name)
	{
		if (!set.delete(name))
			set.add(name);
	}

	/** @param {Track} t */
	fold(t)
	{
		this.toggle(this.turned, t.name);
		this.list();
	}

	/**
	 * The track itself where others belong to it, or the one that it belongs to.
	 * @param {Track} t
	 * @returns {?Track}
	 */
	foldable(t)
	{
		let i = this.tracks.indexOf(t);

		if (this.isParent(i))
			return t;
		while (i >= 0 && this.tracks[i].depth >= t.depth)
			i--;
		return i >= 0 ? this.tracks[i] : null;
	}

	/** @param {Track} t */
	pin(t)
	{
		this.toggle(this.pinned, t.name);
		this.list();
	}

	/** @param {Track} t */
	hide(t)
	{
		this.hidden.add(t.name);
		this.list();
	}

	showAll()
	{
		this.hidden.clear();
		this.list();
	}

	/** @param {string} name */
	byName(name)
	{
		return this.tracks.find((t) => t.name === name) ?? null;
	}
}
