/* When is it? */
import { ns } from '../base/units.js';

const TICK_WIDTH = 116;
export const RULER_HEIGHT = 22;

/** @param {number} least @returns {number} 1, 2 or 5 times a power of ten */
function niceStep(least)
{
	const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));

	for (const by of [1, 2, 5]) {
		if (power * by >= least)
			return power * by;
	}
	return power * 10;
}

/**
 * A time in seconds with as many decimals as the step between two ticks needs.
 * @param {number} at in ns
 * @param {number} step
 */
export function timeText(at, step)
{
	const decimals = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(step))));

	return `${(at / 1e9).toFixed(decimals)} s`;
}

/**
 * @param {import('./draw.js').Picture} p
 * @returns {{times: number[], step: number}} of the ticks
 */
export function ticks(p)
{
	const [begin, end] = p.window, step = niceStep(((end - begin) * TICK_WIDTH) / p.width);
	const times = [];

	for (let t = Math.ceil(begin / step) * step; t < end; t += step)
		times.push(t);
	return { times, step };
}

/**
 * @param {import('./canvas.js').Canvas} c
 * @param {import('./draw.js').Picture} p
 * @param {boolean} relative times count from the window's start
 */
export function drawRuler(c, p, relative)
{
	const [begin] = p.window, shift = relative ? begin : 0;
	const moved = relative ? { ...p, window: /** @type {[number, number]} */ ([0, p.window[1] - begin]) } : p;
	const { times, step } = ticks(moved);

	for (const t of times) {
		const x = ((t + shift - begin) * p.width) / (p.window[1] - begin);

		c.rect(Math.round(x), 0, 1, RULER_HEIGHT, p.look.colours.line);
		c.text(Math.round(x) + 4, RULER_HEIGHT / 2, relative ? `+${ns(t)}` : timeText(t, step), p.look.colours.dim);
	}
}

/**
 * Lines through the rows at the ticks.
 * @param {import('./canvas.js').Canvas} c
 * @param {import('./draw.js').Picture} p
 * @param {boolean} relative
 */
export function drawGrid(c, p, relative)
{
	const shift = relative ? p.window[0] : 0;
	const moved = relative ? { ...p, window: /** @type {[number, number]} */ ([0, p.window[1] - shift]) } : p;

	for (const t of ticks(moved).times) {
		const x = ((t + shift - p.window[0]) * p.width) / (p.window[1] - p.window[0]);

		c.rect(Math.round(x), 0, 1, p.height, p.look.colours.line, 0.35);
	}
}
