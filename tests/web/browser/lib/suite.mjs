/* Counts the cases of a suite and prints what tests/run reads: see tests/lib/harness.py. */
import { createHash } from 'node:crypto';

export class Suite {
	/** @param {string} name @param {string[]} only words of the cases to run; none: all */
	constructor(name, only = [])
	{
		this.name = name;
		this.only = only;
		this.passed = this.failed = this.skipped = 0;
	}

	/** @param {string} name @param {() => unknown} body fails its case by throwing */
	async case(name, body)
	{
		if (this.only.length && !this.only.some((word) => name.includes(word)))
			return;
		const began = performance.now();

		try {
			await this.patiently(name, body);
			this.passed++;
		} catch (problem) {
			this.failed++;
			console.log(`FAIL ${this.name}: ${name}: ${told(problem)}`);
		}
		if (process.env.TIMES)
			console.log(`     ${Math.round(performance.now() - began)} ms ${name}`);
	}

	/**
	 * Beside other suites a browser may be kept waiting for as long as anybody waits for it: then it gets a second time, which is told.
	 * @param {string} name @param {() => unknown} body
	 */
	async patiently(name, body)
	{
		try {
			await body();
		} catch (problem) {
			if (!(problem instanceof Error) || problem.name !== 'TimeoutError')
				throw problem;
			console.log(`AGAIN ${this.name}: ${name}: ${told(problem)}`);
			await body();
		}
	}

	/**
	 * Of cases that need no other a share by lot, where CI draws lots; all where somebody asks for some.
	 * @template T
	 * @param {Record<string, T>} cases by name
	 * @param {number} share
	 * @returns {[string, T][]}
	 */
	some(cases, share)
	{
		const seed = process.env.STRANGERS, all = Object.entries(cases);
		const drawn = (/** @type {string} */ name) => createHash('md5').update(`${seed} ${name}`).digest().readUInt32BE(0) / 2 ** 32;

		return !seed || this.only.length ? all : all.filter(([name]) => drawn(name) < share);
	}

	/** @param {string} name @param {string} why */
	skip(name, why)
	{
		this.skipped++;
		console.log(`SKIP ${this.name}: ${name}: ${why}`);
	}

	finish()
	{
		if (!this.passed && !this.failed && !this.skipped)
			this.failed++;
		console.log(`${this.passed} passed, ${this.failed} failed${this.skipped ? `, ${this.skipped} skipped` : ''}`);
		process.exitCode = this.failed ? 1 : 0;
	}
}

/** What is wrong, and in which line of ours. @param {unknown} problem */
function told(problem)
{
	const { message = String(problem), stack = '' } = /** @type {Error} */ (problem);
	const line = /\/([\w.]+\.mjs:\d+):\d+/.exec(stack.replace(message, ''));

	return `${message.slice(0, 1500)}${line ? ` (${line[1]})` : ''}`;
}
