/* What is known of what is selected? Beside the timeline. */
import { showArea } from './area_pane.js';
import { button, byId, el, withCode } from '../base/dom.js';
import { showEvent, updateShare } from './event_pane.js';
import { showGap } from './gap_pane.js';
import { later } from '../base/idle.js';
import { legend } from '../drawing/legend.js';
import { safe } from '../base/units.js';

const WIDTH_KEY = 'gpuwhy.pane';

export class SidePane {
	/** @param {import('../app/app.js').App} app */
	constructor(app)
	{
		this.app = app;
		this.element = byId('pane');
		this.wasClosed = false; /* by somebody */
		/** @type {AbortController} */
		this.asking = new AbortController();
		/* While an area is drawn nothing is asked for: it would be answered in vain. */
		this.fillLater = later(() => this.fill(), 120);
		app.state.follow((changed) => {
			if (changed.has('pane'))
				this.turn();
			/* Tables of a part of the time are of the capture that is chosen. */
			if (changed.has('capture') && app.state.is.selection?.kind === 'area')
				this.fillLater();
			if (changed.has('selection')) {
				this.fillLater();
				this.offer();
			}
			if (changed.has('window'))
				updateShare(this.element, app);
			if (changed.has('details') && app.state.is.details)
				this.fill();
		});
		/* What colours mean is known once there are rows. */
		app.rows.follow(() => {
			if (!app.state.is.selection)
				this.fillLater();
		});
		this.turn();
		this.startResizing();
		this.fill();
	}

	/** Where it was closed for want of room it opens for what is selected. */
	offer()
	{
		const { selection, pane } = this.app.state.is;

		if (selection && !pane && !this.wasClosed)
			this.app.state.set({ pane: true });
	}

	turn()
	{
		const { pane } = this.app.state.is;

		this.element.hidden = !pane;
		byId('pane-edge').hidden = !pane;
	}

	/** The edge is dragged, or moved by keys. */
	startResizing()
	{
		const edge = byId('pane-edge');
		/** @param {number} width */
		const set = (width) => {
			const most = Math.max(220, innerWidth * 0.6), kept = Math.max(220, Math.min(most, width));

			this.element.style.flexBasis = `${kept}px`;
			edge.setAttribute('aria-valuenow', String(Math.round(kept)));
			try {
				localStorage.setItem(WIDTH_KEY, String(kept));
			} catch {
				/* It is as wide as this next time. */
			}
		};

		edge.addEventListener('pointerdown', (e) => edge.setPointerCapture(e.pointerId));
		edge.addEventListener('pointermove', (e) => {
			if (edge.hasPointerCapture(e.pointerId))
				set(innerWidth - e.clientX);
		});
		edge.addEventListener('keydown', (e) => {
			const by = { ArrowLeft: 24, ArrowRight: -24 }[e.key];

			if (by) {
				e.stopPropagation();
				set(this.element.offsetWidth + by);
			}
		});
		try {
			const kept = Number(localStorage.getItem(WIDTH_KEY));
			if (kept > 0)
				set(kept);
		} catch {
			/* As the style sheet has it. */
		}
	}

	fill()
	{
		const { selection, details } = this.app.state.is, inside = el('div', { class: 'pane-inside' });

		this.asking.abort();
		this.asking = new AbortController();
		if (selection?.kind === 'event')
			showEvent(inside, this.app, details ?? this.app.briefDetails(selection.event, ''));
		else if (selection?.kind === 'gap')
			void showGap(inside, this.app, selection, this.asking.signal);
		else if (selection?.kind === 'area')
			showArea(inside, this.app, selection, this.asking.signal);
		else
			this.hint(inside);
		this.element.replaceChildren(button('×', () => this.close(),
			{ class: 'close', 'aria-label': 'close the details (i)', title: 'close (i)' }), inside);
	}

	close()
	{
		this.wasClosed = true;
		this.app.state.set({ pane: false });
	}

	/** @param {HTMLElement} inside */
	hint(inside)
	{
		inside.append(el('h2', { text: 'Details' }),
			el('p', { class: 'quiet', text: 'Click an event, drag over a part of the time, or press g for the longest gap. ? shows all keys.' }),
			...legend(this.app.rows.tracks),
			...this.app.session.problems.map((text) => el('p', { class: 'warning' }, ...withCode(safe(text)))));
	}
}
