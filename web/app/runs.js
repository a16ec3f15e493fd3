/* Two runs, A before and B after: which step of both begins at the same place? */
import { ns } from '../base/units.js';
import { NotInFile, Refused } from '../sources/source.js';

/** B is moved: times of A, and links to them, stay what they are. */
const BEFORE = 0, AFTER = 1;

export class Runs {
	/** @param {import('./app.js').App} app */
	constructor(app)
	{
		this.app = app;
	}

	/** Whether there are two of them. */
	are()
	{
		return this.app.session.clock === 'steps' && this.app.session.captures.length === 2;
	}

	/** @param {number} capture */
	stepsOf(capture)
	{
		return this.app.rows.tracks.find((t) => t.kind === 'steps' && t.capture === capture) ?? null;
	}

	/** Whether their steps are there yet. */
	haveSteps()
	{
		return this.are() && this.stepsOf(BEFORE) !== null && this.stepsOf(AFTER) !== null;
	}

	/**
	 * @param {number} capture
	 * @param {number} number of the step
	 * @returns {Promise<number>} when it begins
	 */
	async beginOf(capture, number)
	{
		const { name } = this.app.session.captures[capture], track = this.stepsOf(capture);

		try {
			return (await this.app.source.json('/event', { track: track?.number ?? -1, lane: 0, at: number, brief: 1 })).start;
		} catch (error) {
			const isNone = error instanceof NotInFile || (error instanceof Refused && error.code === 'usage');

			throw isNone ? new Error(`${name} has no step ${number}`) : error;
		}
	}

	/** @param {?number} step of both; null: as the program has them, by their first warm steps */
	async align(step)
	{
		const { app } = this, { clocks } = app.source, was = clocks.ofCapture(AFTER);
		const by = step === null ? 0 : await this.beginOf(BEFORE, step) - await this.beginOf(AFTER, step) + was;

		clocks.move(AFTER, by);
		app.setSession(await app.source.json('/session'));
		this.moveSelection(by - was);
		app.state.set({ aligned: step });
		if (app.state.is.pattern)
			await app.search.run(app.state.is.pattern);
	}

	/** What is selected of B goes with it. @param {number} by */
	moveSelection(by)
	{
		const { selection } = this.app.state.is, event = selection?.kind === 'event' ? selection.event : null;

		if (event && by && this.app.rows.byNumber.get(event.track)?.capture === AFTER)
			this.app.state.set({ selection: { kind: 'event', event: { ...event, start: event.start + by } } });
	}

	/** The step that the cursor is in, of the run whose row is chosen, or the next one. */
	async stepHere()
	{
		const { app } = this, { cursor, chosen } = app.state.is;
		const run = chosen && app.rows.byNumber.get(chosen.track)?.capture === AFTER ? AFTER : BEFORE;
		const track = /** @type {import('../timeline/rows.js').Track} */ (this.stepsOf(run)).number;

		return await app.near(track, 0, cursor, 'at') ?? await app.near(track, 0, cursor, 'next');
	}

	async alignHere()
	{
		const { app } = this, here = this.haveSteps() ? await this.stepHere() : null;

		if (!here) {
			app.say(this.are() ? 'there is no step here' : 'two runs can be aligned: gpuwhy web A -- B');
			return;
		}
		await this.align(here.at);
		await this.show(here.at);
	}

	/** Where they begin together is seen. @param {number} step */
	async show(step)
	{
		const { app } = this, at = await this.beginOf(BEFORE, step), [b, e] = app.window();

		app.state.set({ cursor: at });
		if (at < b || at > e)
			app.state.setWindow(at - (e - b) / 10, at + ((e - b) * 9) / 10);
		app.say(this.text());
	}

	async alignFirst()
	{
		await this.align(null);
		this.app.say(this.text());
	}

	/** How they lie over each other, in words. */
	text()
	{
		const { aligned } = this.app.state.is;

		return `${aligned === null ? 'the first warm steps' : `steps ${aligned}`} begin together: ${this.moveText()}`;
	}

	/** How far one is moved against the other, as captured. */
	moveText()
	{
		const [before, after] = this.app.session.captures, by = after.shift - before.shift;

		return by ? `B ${ns(Math.abs(by))} ${by > 0 ? 'later' : 'earlier'}` : 'neither is moved';
	}
}
