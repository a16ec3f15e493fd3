/* Places that somebody wants to come back to, kept by the browser under the traces' fingerprint. */

/** @typedef {{at: string, window: [string, string], row: ?string, name: ?string}} Bookmark times are absolute */

export class Bookmarks {
	/** @param {import('../app/app.js').App} app */
	constructor(app)
	{
		this.app = app;
		this.key = `gpuwhy.bookmarks.${app.session.fingerprint}`;
		/** @type {Bookmark[]} in order of time */
		this.all = [];
		try {
			const kept = JSON.parse(localStorage.getItem(this.key) ?? '[]');
			if (Array.isArray(kept))
				this.all = kept.filter((b) => /^-?\d+$/.test(b?.at) && b.window?.length === 2);
		} catch {
			/* Nothing is kept where there is no storage. */
		}
	}

	keep()
	{
		this.all.sort((a, b) => Number(BigInt(a.at) - BigInt(b.at)));
		try {
			localStorage.setItem(this.key, JSON.stringify(this.all));
		} catch {
			this.app.say('this browser keeps no bookmarks: they last as long as the page');
		}
		this.app.timeline?.changed('over', 'overview');
	}

	/** @param {string} absolute */
	onPage(absolute)
	{
		return Number(BigInt(absolute) - this.app.origin);
	}

	times()
	{
		return this.all.map((b) => this.onPage(b.at));
	}

	/** One where the cursor is. */
	add()
	{
		const { cursor, window, chosen, selection } = this.app.state.is;
		/** @param {number} t */
		const absolute = (t) => String(BigInt(Math.round(t)) + this.app.origin);

		this.all.push({
			at: absolute(cursor), window: [absolute(window[0]), absolute(window[1])],
			row: chosen ? this.app.rows.byNumber.get(chosen.track)?.name ?? null : null,
			name: selection?.kind === 'event' ? selection.event.name : null,
		});
		this.keep();
	}

	/** @param {Bookmark} b */
	remove(b)
	{
		this.all = this.all.filter((other) => other !== b);
		this.keep();
	}

	/** @param {Bookmark} b */
	go(b)
	{
		const { state, rows } = this.app, track = b.row ? rows.byName(b.row) : null;

		state.leave();
		state.set({ tab: 'timeline', cursor: this.onPage(b.at) });
		state.setWindow(this.onPage(b.window[0]), this.onPage(b.window[1]));
		if (track)
			this.app.choose(track.number, 0);
	}

	/** @param {1 | -1} way from the cursor */
	step(way)
	{
		const { cursor } = this.app.state.is, order = way > 0 ? this.all : [...this.all].reverse();
		const next = order.find((b) => (this.onPage(b.at) - cursor) * way > 0) ?? order[0];

		if (next)
			this.go(next);
		else
			this.app.say('there is no bookmark: B sets one');
	}
}
