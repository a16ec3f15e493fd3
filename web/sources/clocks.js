/*
 * Is a capture moved against the others, so that two of their steps begin together? What is asked and
 * answered is then on the page's clock, where the program, or the file, has another one.
 */

/**
 * @typedef {import('./source.js').Params} Params
 * @typedef {(params: Params) => Promise<any>} Ask
 */

export class Clocks {
	constructor()
	{
		/** @type {Map<number, number>} by capture: ns that it is moved, where it is */
		this.moved = new Map();
		/** @type {Map<number, number>} by track */
		this.captures = new Map();
		/** @type {Map<number, number>} by track: from the uppermost down */
		this.order = new Map();
		/** @type {[number, number]} of the page */
		this.limits = [0, 0];
	}

	/** @param {{number: number, capture: number}[]} tracks */
	setTracks(tracks)
	{
		this.captures = new Map(tracks.map((t) => [t.number, t.capture]));
		this.order = new Map(tracks.map((t, i) => [t.number, i]));
	}

	/** @param {number} capture @param {number} by in ns, from where the program has it */
	move(capture, by)
	{
		if (by)
			this.moved.set(capture, by);
		else
			this.moved.delete(capture);
	}

	/** @param {number} capture */
	ofCapture(capture)
	{
		return this.moved.get(capture) ?? 0;
	}

	/** @param {number} track */
	ofTrack(track)
	{
		return this.moved.size ? this.ofCapture(this.captures.get(track) ?? -1) : 0;
	}

	/**
	 * @param {string} path
	 * @param {Params} params
	 * @param {Ask} ask
	 */
	async translate(path, params, ask)
	{
		if (!this.moved.size)
			return ask(params);
		if (path.startsWith('/api/'))
			return ask(this.windowMoved(params));
		switch (path) {
		case '/session':
			return this.session(await ask(params));
		case '/sums':
			return this.sums(params, ask);
		case '/search':
			return this.search(params, ask);
		case '/hit':
			return this.hit(params, ask);
		default:
			return this.told(await ask(this.meant(params)), Number(params.track ?? -1));
		}
	}

	/** Times of a question about one track. @param {Params} params */
	meant(params)
	{
		const by = this.ofTrack(Number(params.track ?? -1)), moved = { ...params };

		for (const name of ['time', 'begin', 'end']) {
			if (moved[name] !== undefined)
				moved[name] = Number(moved[name]) - by;
		}
		return moved;
	}

	/** Times of an answer about one track. @param {any} reply @param {number} [track] */
	told(reply, track = -1)
	{
		const by = this.ofTrack(track);

		return {
			...this.event(reply),
			...(reply.event ? { event: this.event(reply.event) } : {}),
			...(reply.links ? { links: reply.links.map((/** @type {any} */ l) => ({ ...l, event: this.event(l.event) })) } : {}),
			...(reply.gaps ? { gaps: reply.gaps.map((/** @type {any} */ g) => ({ start: g.start + by, end: g.end + by })) } : {}),
		};
	}

	/** @template {{track?: number, start?: number}} T @param {T} event @returns {T} */
	event(event)
	{
		return event.track === undefined || event.start === undefined ? event : { ...event, start: event.start + this.ofTrack(event.track) };
	}

	/** An analysis is about one capture. @param {Params} params */
	windowMoved(params)
	{
		const by = this.ofCapture(Number(params.capture ?? 0));

		return params.window && by ? { ...params, window: String(params.window).split(',').map((t) => Number(t) - by) } : params;
	}

	/** @param {any} session */
	session(session)
	{
		const captures = session.captures.map((/** @type {any} */ c, /** @type {number} */ i) => {
			const by = this.ofCapture(i);

			return { ...c, start: c.start + by, end: c.end + by, shift: c.shift + by };
		});

		this.limits = [Math.min(...captures.map((/** @type {any} */ c) => c.start)), Math.max(...captures.map((/** @type {any} */ c) => c.end))];
		return { ...session, captures, limits: this.limits };
	}

	/** Sums of the tracks of each capture, in its time. @param {Params} params @param {Ask} ask */
	async sums(params, ask)
	{
		const numbers = String(params.tracks).split(',').map(Number), tracks = [];

		for (const by of new Set(numbers.map((n) => this.ofTrack(n)))) {
			const some = numbers.filter((n) => this.ofTrack(n) === by);

			tracks.push(...(await ask({ ...params, tracks: some, begin: Number(params.begin) - by, end: Number(params.end) - by })).tracks);
		}
		return { tracks };
	}

	/** The nearest hit of each capture, and of these the nearest on the page's clock. @param {Params} params @param {Ask} ask */
	async hit(params, ask)
	{
		const way = params.way === 'previous' ? -1 : 1;
		let best = null;

		for (const capture of new Set(this.captures.values())) {
			const event = await this.hitOf(capture, params, way, ask);

			if (event && (!best || this.compare(event, best) * way < 0))
				best = event;
		}
		return { event: best };
	}

	/**
	 * @param {number} capture
	 * @param {Params} params of /hit: where an event is named, too, `time` is its start
	 * @param {1 | -1} way
	 * @param {Ask} ask
	 * @returns {Promise<?import('../app/state.js').BriefEvent>}
	 */
	async hitOf(capture, { time, track, lane, at, ...same }, way, ask)
	{
		const from = { track: Number(track), lane: Number(lane), at: Number(at), start: Number(time) }, by = this.ofCapture(capture);
		const next = async (/** @type {Params} */ place) => this.told(await ask({ ...same, capture, ...place })).event;

		if (at === undefined)
			return next({ time: from.start - by });
		if (this.captures.get(from.track) === capture)
			return next({ track, lane, at });
		/* Of hits of other captures that begin with it some come after it, some before. */
		let event = await next({ time: from.start - by + (way < 0 ? 1 : 0) });

		while (event && this.compare(event, from) * way <= 0)
			event = await next({ track: event.track, lane: event.lane, at: event.at });
		return event;
	}

	/**
	 * As the program has it: by time, then from the uppermost down.
	 * @typedef {{start: number, track: number, lane: number, at: number}} Placed
	 * @param {Placed} a @param {Placed} b
	 */
	compare(a, b)
	{
		return a.start - b.start || (this.order.get(a.track) ?? 0) - (this.order.get(b.track) ?? 0) || a.lane - b.lane || a.at - b.at;
	}

	/** The strip of hits is made of those of each capture. @param {Params} params @param {Ask} ask */
	async search(params, ask)
	{
		const whole = await ask(params), { limits } = this;
		const strip = new Array(whole.strip.length).fill(0);

		for (const capture of new Set(this.captures.values())) {
			const by = this.ofCapture(capture), part = await ask({ ...params, capture, begin: limits[0] - by, end: limits[1] - by });

			part.strip.forEach((/** @type {number} */ hits, /** @type {number} */ i) => {
				strip[i] += hits;
			});
		}
		return { ...whole, strip };
	}
}
