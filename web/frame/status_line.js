/* What was just done, where is the cursor, how long is the window? */
import { byId } from '../base/dom.js';
import { ns, time } from '../base/units.js';

export class StatusLine {
	/** @param {import('../app/app.js').App} app */
	constructor(app)
	{
		const said = byId('say'), place = byId('place');
		const show = () => {
			const [b, e] = app.window(), { cursor, least } = app.state.is;

			place.textContent = `cursor ${time(cursor)}   window ${time(b)} + ${ns(e - b)}` +
				(least ? `   events of ${ns(least)} and more` : '') +
				(app.source.isFile ? fileText(app.source) : '');
		};

		app.say = (text) => {
			said.textContent = text;
		};
		app.state.follow(show);
		show();
	}
}

/**
 * What of the capture is in the file, where that is not all.
 * @param {import('../sources/source.js').Source} source
 */
function fileText(source)
{
	const [begin, end] = source.detailed, [first, last] = source.limits, { size } = source.notInFull;
	const but = size ? ` but for ${size} row${size === 1 ? '' : 's'}` : '';

	return (begin > first || end < last ? `   in this file in full${but}: ${time(begin)} + ${ns(end - begin)}, the rest as far as there was room` : '') +
		(source.leftOut ? `   left out of this file: ${source.leftOut}` : '');
}
