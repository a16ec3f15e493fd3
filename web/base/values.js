/* What does a value of a counter, or of memory, say? */
import { bytes, count } from './units.js';

/**
 * @param {number} value
 * @param {string} unit of the track
 */
export function valueText(value, unit)
{
	if (unit === 'bytes')
		return bytes(value);
	return unit === 'mhz' ? `${count(value)} MHz` : `${value.toFixed(value < 10 ? 1 : 0)} %`;
}
