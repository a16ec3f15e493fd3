/* Is anything still going on? Tests wait for an answer instead of sleeping. */

let going = 0;
/** @type {(() => void)[]} */
let waiting = [];

function tell()
{
	document.documentElement.dataset.idle = going === 0 ? 'true' : 'false';
}

/* What ends may begin something else in the same turn: only what stays still is idle. */
function settle()
{
	if (going !== 0)
		return;
	tell();
	const told = waiting;
	waiting = [];
	for (const resolve of told)
		resolve();
}

/** @returns {() => void} to be called once, at its end */
export function begin()
{
	let ended = false;

	going++;
	if (going === 1)
		tell();
	return () => {
		if (ended)
			return;
		ended = true;
		if (--going === 0)
			setTimeout(settle, 0);
	};
}

/** @returns {Promise<void>} */
export function idle()
{
	return new Promise((resolve) => {
		waiting.push(resolve);
		setTimeout(settle, 0);
	});
}

/**
 * Calls something once no call has come for a while.
 * @template {any[]} A
 * @param {(...args: A) => void} call
 * @param {number} ms
 * @param {boolean} [isWaited] whether something goes on until then: what nobody sees is not waited for
 */
export function later(call, ms, isWaited = true)
{
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	/** @type {(() => void) | null} */
	let end = null;

	const stop = () => {
		clearTimeout(timer);
		end?.();
		end = null;
	};
	/** @param {A} args */
	const ask = (...args) => {
		stop();
		end = isWaited ? begin() : null;
		timer = setTimeout(() => {
			try {
				call(...args);
			} finally {
				stop();
			}
		}, ms);
	};
	return Object.assign(ask, { stop });
}
