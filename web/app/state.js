/* What is shown, and what is chosen? One store, which everything that shows something follows. */

/**
 * @typedef {[number, number]} Span begin and end, in ns of the page's clock
 * @typedef {{track: number, lane: number, at: number, start: number, duration: number, name: ?string,
 *   class?: any, value?: ?string}} BriefEvent
 * @typedef {{kind: 'event', event: BriefEvent} | {kind: 'area', start: number, end: number} |
 *   {kind: 'gap', track: number, start: number, end: number}} Selection
 * @typedef {{track: number, lane: number}} Chosen
 * @typedef {object} Values
 * @property {Span} limits
 * @property {Span} window
 * @property {?Selection} selection
 * @property {?Chosen} chosen the row that keys are about
 * @property {number} cursor a time
 * @property {?number} mark where measuring began
 * @property {string} tab
 * @property {number} capture
 * @property {number} least shorter events are passed over
 * @property {boolean} relative times count from the window's start
 * @property {boolean} pane whether details are shown beside the timeline
 * @property {any} details all that is known of the selected event
 * @property {string} clock which the captures share, as /session has it
 * @property {?number} aligned of two runs: the step of each that begins at the same place; null: the first warm one
 * @property {string} pattern that was searched for; '': nothing
 */

/** The shortest window: a pixel is then a part of a nanosecond. */
export const LEAST_WINDOW = 64;

export class State {
	constructor()
	{
		/** @type {Values} */
		this.is = {
			limits: [0, 1], window: [0, 1], selection: null, chosen: null, cursor: 0, mark: null,
			tab: 'timeline', capture: 0, least: 0, relative: false, pane: true, pattern: '', details: null, aligned: null, clock: '',
		};
		/** @type {((changed: Set<string>) => void)[]} */
		this.followers = [];
		/** @type {{window: Span, selection: ?Selection, chosen: ?Chosen, tab: string}[]} */
		this.jumps = [];
	}

	/**
	 * @param {(changed: Set<string>) => void} follower
	 * @returns {() => void} ends it
	 */
	follow(follower)
	{
		this.followers.push(follower);
		return () => {
			this.followers = this.followers.filter((f) => f !== follower);
		};
	}

	/** @param {Partial<Values>} patch */
	set(patch)
	{
		/** @type {Set<string>} */
		const changed = new Set();

		for (const [name, value] of Object.entries(patch)) {
			const is = /** @type {any} */ (this.is);

			if (is[name] === value)
				continue;
			is[name] = value;
			changed.add(name);
		}
		if (changed.size) {
			for (const follower of [...this.followers])
				follower(changed);
		}
	}

	/**
	 * The nearest window that lies inside the limits.
	 * @param {number} begin
	 * @param {number} end
	 */
	setWindow(begin, end)
	{
		const [first, last] = this.is.limits;
		const most = Math.max(last - first, LEAST_WINDOW);
		const length = Math.min(Math.max(Math.round(end - begin), LEAST_WINDOW), most);
		const middle = (begin + end) / 2;
		/* One that grew or shrank stays where its middle was. */
		let start = length === Math.round(end - begin) ? Math.round(begin) : Math.round(middle - length / 2);

		start = Math.max(first, Math.min(start, first + most - length));
		const [b, e] = this.is.window;
		if (b !== start || e !== start + length)
			this.set({ window: [start, start + length] });
	}

	/** @param {number} by in ns */
	pan(by)
	{
		const [b, e] = this.is.window;

		this.setWindow(b + by, e + by);
	}

	/**
	 * @param {number} factor above 1: a longer window
	 * @param {number} at the time that stays where it is
	 */
	zoom(factor, at)
	{
		const [b, e] = this.is.window;
		const length = Math.max((e - b) * factor, LEAST_WINDOW);
		const begin = at - ((at - b) * length) / (e - b);

		this.setWindow(begin, begin + length);
	}

	/** Remembers where we are, before a jump. */
	leave()
	{
		const { window, selection, chosen, tab } = this.is;

		this.jumps.push({ window, selection, chosen, tab });
		if (this.jumps.length > 100)
			this.jumps.shift();
	}

	/** @returns {boolean} whether there was somewhere to go back to */
	back()
	{
		const to = this.jumps.pop();

		if (to)
			this.set(to);
		return to !== undefined;
	}

	/** @returns {?Span} the time of what is selected */
	selected()
	{
		const s = this.is.selection;

		if (!s)
			return null;
		if (s.kind === 'event')
			return [s.event.start, s.event.start + s.event.duration];
		return [s.start, s.end];
	}
}
