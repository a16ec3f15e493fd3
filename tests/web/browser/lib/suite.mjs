/* Counts the cases of a suite and prints what tests/run reads: see tests/lib/harness.py. */

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
			await body();
			this.passed++;
		} catch (problem) {
			this.failed++;
			console.log(`FAIL ${this.name}: ${name}: ${told(problem)}`);
		}
		if (process.env.TIMES)
			console.log(`     ${Math.round(performance.now() - began)} ms ${name}`);
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
