/*
 * Two sides, A before and B after, each one run or the ranks of a job: which step of both begins at
 * the same place?
 */
import { ns } from '../base/units.js';
import { NotInFile, Refused } from '../sources/source.js';

/** B is moved: times of A, and links to them, stay what they are. @typedef {'A' | 'B'} Side */

/** "step 12" @param {string} name */
const numberOf = (name) => Number(/\d+$/.exec(name)?.[0] ?? NaN);

export class Runs {
	/** @param {import('./app.js').App} app */
	constructor(app)
	{
		this.app = app;
	}

	/** Whether there are two of them. */
	are()
	{
		return this.app.session.clock === 'steps';
	}

	/** @param {Side} side @returns {number[]} its captures */
	capturesOf(side)
	{
		return this.app.session.captures.flatMap((c, i) => (c.side === side ? [i] : []));
	}

	/** @param {Side} side */
	stepsOf(side)
	{
		const captures = this.capturesOf(side);

		return this.app.rows.tracks.find((t) => t.kind === 'steps' && captures.includes(t.capture)) ?? null;
	}

	/** Which of them has no steps; null: both have. @returns {?Side} */
	without()
	{
		return this.stepsOf('A') === null ? 'A' : this.stepsOf('B') === null ? 'B' : null;
	}

	/** Whether the steps of both are there yet. */
	haveSteps()
	{
		return this.are() && this.without() === null;
	}

	/**
	 * @param {Side} side
	 * @param {number} at which of the steps that there are
	 * @returns {Promise<?import('./state.js').BriefEvent>}
	 */
	async step(side, at)
	{
		try {
			return await this.app.source.json('/event', { track: this.stepsOf(side)?.number ?? -1, lane: 0, at, brief: 1 });
		} catch (error) {
			if (error instanceof NotInFile || (error instanceof Refused && error.code === 'usage'))
				return null;
			throw error;
		}
	}

	/**
	 * @param {Side} side
	 * @param {number} number of the step
	 * @returns {Promise<number>} when it begins
	 */
	async beginOf(side, number)
	{
		/* Of a part of a capture the first step has another number than 0. */
		const first = await this.step(side, 0), at = number - numberOf(first?.name ?? '');
		const found = at > 0 ? await this.step(side, at) : at === 0 ? first : null;

		if (!found || numberOf(found.name ?? '') !== number)
			throw new Error(`${side} has no step ${number}`);
		return found.start;
	}

	/** @param {?number} step of both; null: as the program has them */
	async align(step)
	{
		const { app } = this, { clocks } = app.source, moved = this.capturesOf('B'), was = clocks.ofCapture(moved[0]);
		const by = step === null ? 0 : await this.beginOf('A', step) - await this.beginOf('B', step) + was;

		for (const capture of moved)
			clocks.move(capture, by);
		app.setSession(await app.source.json('/session'));
		this.moveSelection(by - was);
		app.state.set({ aligned: step });
		if (app.state.is.pattern)
			await app.search.run(app.state.is.pattern);
	}

	/** @param {number} track @returns {Side} */
	sideOf(track)
	{
		return this.app.session.captures[this.app.rows.byNumber.get(track)?.capture ?? 0].side === 'B' ? 'B' : 'A';
	}

	/** What is selected of B goes with it. @param {number} by */
	moveSelection(by)
	{
		const { selection } = this.app.state.is, event = selection?.kind === 'event' ? selection.event : null;

		if (event && by && this.sideOf(event.track) === 'B')
			this.app.state.set({ selection: { kind: 'event', event: { ...event, start: event.start + by } } });
	}

	/** What the cursor is at: a selected event, or a moment. @returns {import('./state.js').Span} */
	here()
	{
		const { cursor, selection } = this.app.state.is;
		const [begin, end] = selection?.kind === 'event' ? [selection.event.start, selection.event.start + selection.event.duration] : [cursor, cursor];

		return cursor >= begin && cursor <= end ? [begin, end] : [cursor, cursor];
	}

	/** The step that this belongs to, of the side whose row is chosen, or the next one: as lane_around() has it. @param {Side} side */
	async stepHere(side)
	{
		const { app } = this, [begin, end] = this.here();
		const track = /** @type {import('../timeline/rows.js').Track} */ (this.stepsOf(side)).number;
		const first = await app.near(track, 0, begin, 'at') ?? await app.near(track, 0, begin, 'next');
		const next = first && first.start < end ? await app.near(track, 0, first.start, 'next') : null;
		/** @param {import('./state.js').BriefEvent} step */
		const partIn = (step) => Math.max(0, Math.min(end, step.start + step.duration) - Math.max(begin, step.start));

		return first && next && partIn(next) > partIn(first) ? next : first;
	}

	async alignHere()
	{
		const { app } = this, { chosen } = app.state.is, side = chosen ? this.sideOf(chosen.track) : 'A';

		if (!this.are()) {
			app.say('two runs can be aligned: gpuwhy web A -- B');
			return;
		}
		if (!this.haveSteps()) {
			app.say(`${this.without()} has no steps${app.session.loading ? ' yet' : ''}`);
			return;
		}
		const here = await this.stepHere(side);

		if (!here) {
			app.say(`${side} has no step here`);
			return;
		}
		const number = numberOf(here.name ?? '');

		await this.align(number);
		await this.show(number);
	}

	/** Where they begin together is seen. @param {number} step */
	async show(step)
	{
		const { app } = this, at = await this.beginOf('A', step), [b, e] = app.window();

		app.state.set({ cursor: at });
		if (at < b || at > e)
			app.state.setWindow(at - (e - b) / 10, at + ((e - b) * 9) / 10);
		app.say(`aligned at ${this.text()}`);
	}

	async alignFirst()
	{
		await this.align(null);
		this.app.say(`aligned at ${this.text()}`);
	}

	/** What of them begins together, and how far one is moved. */
	text()
	{
		const { aligned } = this.app.state.is;

		return `${aligned === null ? this.app.session.aligned_at ?? 'their starts' : `step ${aligned}`}: ${this.moveText()}`;
	}

	/** How far one is moved against the other, as captured. */
	moveText()
	{
		const { captures } = this.app.session, by = captures[this.capturesOf('B')[0]].shift - captures[this.capturesOf('A')[0]].shift;

		return by ? `B ${ns(Math.abs(by))} ${by > 0 ? 'later' : 'earlier'}` : 'neither is moved';
	}
}
