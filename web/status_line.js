/* What was just done, where is the cursor, how long is the window? */
import { byId } from './dom.js';
import { ns, time } from './units.js';

export class StatusLine {
	/** @param {import('./app.js').App} app */
	constructor(app)
	{
		const said = byId('say'), place = byId('place');
		const show = () => {
			const [b, e] = app.window(), { cursor, least } = app.state.is;

			place.textContent = `cursor ${time(cursor)}   window ${time(b)} + ${ns(e - b)}` +
				(least ? `   events of ${ns(least)} and more` : '') +
				(app.source.leftOut ? `   left out of this file: ${app.source.leftOut}` : '');
		};

		app.say = (text) => {
			said.textContent = text;
		};
		app.state.follow(show);
		show();
	}
}
