/* A page, used as a person does: keys and the pointer, and a look at what is there. What no page may do fails it. */
import assert from 'node:assert/strict';

/**
 * @typedef {object} Options
 * @property {{width: number, height: number}} [viewport]
 * @property {'light' | 'dark'} [theme]
 * @property {RegExp} [mayLog] errors that this tour provokes
 * @property {boolean} [fixed] sizes and widths of text are the same on every machine
 */

export class Tour {
	/** @param {import('playwright-core').Page} page @param {string} url @param {RegExp | undefined} mayLog */
	constructor(page, url, mayLog)
	{
		this.page = page;
		this.url = url;
		this.mayLog = mayLog;
		/** @type {string[]} what no page may do */
		this.wrong = [];
		/** @type {string[]} */
		this.requests = [];
		/** Whether the last tour in it ended well. */
		this.isWell = false;
		this.keyboard = page.keyboard;
		this.mouse = page.mouse;
	}

	/** Who is asked besides the page's own server is a failure, and so is every error. */
	guard()
	{
		this.page.on('request', (r) => {
			const asked = r.url(), { url } = this, { origin, protocol } = new URL(url);

			if (/^(data|blob|about):/.test(asked) || asked.split('#')[0] === url.split('#')[0])
				return;
			this.requests.push(asked);
			if (protocol === 'file:' || new URL(asked).origin !== origin)
				this.wrong.push(`it asked for ${asked}`);
		});
		this.page.on('console', (m) => {
			if (m.type() === 'error' && !this.mayLog?.test(m.text()))
				this.wrong.push(`it logged: ${m.text()}`);
		});
		this.page.on('pageerror', (e) => this.wrong.push(`it threw: ${e.message}`));
	}

	/** Until nothing goes on any more. A page that looks for that itself, frame by frame, would take a core. */
	async idle()
	{
		const wait = () => this.page.evaluate(() => /** @type {any} */ (window).gpuwhy?.idle().then(() => true));

		while (!await wait())
			await this.page.waitForFunction(() => 'gpuwhy' in window, undefined, { polling: 20 });
	}

	/** That n goes through all hits by their time on the page, and N back. @param {number} hits */
	async walkHits(hits)
	{
		for (const [key, way] of /** @type {[string, number][]} */ ([['n', 1], ['N', -1]])) {
			const met = [];

			for (let i = 0; i < hits; i++) {
				await this.press(key);
				met.push((await this.state()).selection.event);
			}
			const turns = met.filter((e, i) => (e.start - met[(i + hits - 1) % hits].start) * way < 0).length;

			assert.equal(new Set(met.map((e) => `${e.track}/${e.lane}/${e.at}`)).size, hits);
			assert.ok(turns <= 1, `${key}: ${met.map((e) => e.start)}`);
		}
	}

	/** @param {...string} keys as Playwright calls them */
	async press(...keys)
	{
		for (const key of keys) {
			await this.keyboard.press(key);
			await this.idle();
		}
	}

	/** @param {string} text */
	async type(text)
	{
		await this.keyboard.type(text);
		await this.idle();
	}

	/** @param {string} selector or Playwright's text=… */
	async click(selector)
	{
		await this.page.locator(selector).first().click();
		await this.idle();
	}

	/** @param {string} id of a tab */
	async tab(id)
	{
		await this.click(`#tab-${id}`);
	}

	/** @param {string} selector @returns {Promise<string>} */
	async text(selector)
	{
		return (await this.page.locator(selector).first().innerText()).trim();
	}

	/** @param {string} selector */
	seen(selector)
	{
		return this.page.locator(selector).first().isVisible();
	}

	/** What the status line said last. */
	said()
	{
		return this.text('#say');
	}

	/** What is shown and chosen: window, selection, chosen row, tab, … @returns {Promise<any>} */
	state()
	{
		return this.page.evaluate(() => structuredClone({ .../** @type {any} */ (window).gpuwhy.app.state.is, details: null }));
	}

	/** @returns {Promise<[number, number]>} */
	async window()
	{
		return (await this.state()).window;
	}

	/** @returns {Promise<number>} */
	async length()
	{
		const [b, e] = await this.window();

		return e - b;
	}

	/** @returns {Promise<string[]>} the names of the rows that are there, in their order */
	rows()
	{
		return this.page.locator('#labels [role=treeitem]:not(.lane)').evaluateAll((all) => all.map((e) => e.getAttribute('aria-label') ?? ''));
	}

	/** @returns {Promise<string[]>} the calls that draw what is seen */
	picture()
	{
		return this.page.evaluate(() => /** @type {any} */ (window).gpuwhy.record());
	}

	/**
	 * A place on the canvas.
	 * @param {string} row its name
	 * @param {number} share of the width
	 */
	async place(row, share)
	{
		/* One that has more lanes than are shown says so after its name. */
		const [is, more] = [JSON.stringify(row), JSON.stringify(`${row} +`)];
		const label = this.page.locator(`#labels :is([aria-label=${is}], [aria-label^=${more}])`).first();

		await label.scrollIntoViewIfNeeded();
		await this.idle();
		const at = await label.boundingBox(), canvas = await this.page.locator('#over').boundingBox();

		assert.ok(at && canvas, `no row '${row}'`);
		return { x: canvas.x + canvas.width * share, y: at.y + at.height / 2 };
	}

	/** @param {string} row @param {number} share */
	async clickRow(row, share)
	{
		const { x, y } = await this.place(row, share);

		await this.mouse.click(x, y);
		await this.idle();
	}

	/** @param {string} row @param {number} from share of the width @param {number} to */
	async dragRow(row, from, to)
	{
		const a = await this.place(row, from), b = await this.place(row, to);

		await this.mouse.move(a.x, a.y);
		await this.mouse.down();
		await this.mouse.move((a.x + b.x) / 2, a.y, { steps: 3 });
		await this.mouse.move(b.x, b.y, { steps: 3 });
		await this.mouse.up();
		await this.idle();
	}

	/** @param {string} what a person would choose from the palette */
	async command(what)
	{
		await this.keyboard.press('Control+k');
		await this.keyboard.type(what);
		await this.keyboard.press('Enter');
		await this.idle();
	}

	/** Everything as it is for somebody who comes for the first time. @param {string} url */
	async restart(url)
	{
		await this.page.evaluate(() => {
			localStorage.clear();
			sessionStorage.clear();
		});
		await this.page.goto('about:blank');
		this.url = url;
		await this.page.goto(url);
		await this.idle();
		await this.mouse.move(1, 1);
	}

	/**
	 * As restart(), where the page is there and nothing went wrong: a link undoes what a tour did. To load a page takes longer than most tours.
	 * @param {string} url
	 */
	async afresh(url)
	{
		const isHere = this.isWell && url.split('#')[0] === this.page.url().split('#')[0];

		this.isWell = false;
		if (!isHere) {
			await this.restart(url);
			return;
		}
		await this.page.evaluate((place) => {
			const { app } = /** @type {any} */ (globalThis).gpuwhy;

			if (document.activeElement instanceof HTMLElement)
				document.activeElement.blur();
			app.applyLink(place);
			app.state.jumps = [];
			app.rows.whole.clear();
			app.rows.list();
			app.timeline.scroll.scrollTop = 0;
			app.say('');
		}, url.replace(/.*?#(token=[^&]*&?)?/, ''));
		await this.mouse.move(1, 1);
		await this.idle();
	}

	/** To a place of this page. @param {string} fragment a window and perhaps more */
	async go(fragment)
	{
		const [, begin] = /w=(\d+)/.exec(fragment) ?? [];

		await this.page.evaluate((hash) => {
			location.hash = hash;
		}, fragment);
		await this.page.waitForFunction((b) => /** @type {any} */ (window).gpuwhy.app.window()[0] === b, Number(begin), { polling: 20 });
		await this.idle();
	}

	/** Until the address says where we are: it is written a little later. */
	async wrote()
	{
		await this.page.waitForFunction(() => location.hash.slice(1) === /** @type {any} */ (globalThis).gpuwhy.app.link(), undefined, { polling: 20 });
	}

	/** From the address, as it says where we are. */
	async reload()
	{
		await this.wrote();
		await this.page.reload();
		await this.idle();
	}

	/** Fails where the page has done what no page may. */
	check()
	{
		assert.deepEqual(this.wrong.splice(0), []);
		this.isWell = true;
	}
}

/** The same widths of text and the same room for the rows, whatever fonts a machine has. */
function fixSizes()
{
	CanvasRenderingContext2D.prototype.measureText = function measureText(text) {
		return /** @type {any} */ ({ width: text.length * 6 });
	};
	addEventListener('DOMContentLoaded', () => {
		for (const [id, height] of /** @type {[string, number][]} */ ([['top', 40], ['verdict', 30], ['status', 24]])) {
			const { style } = /** @type {HTMLElement} */ (document.getElementById(id));

			Object.assign(style, { height: `${height}px`, boxSizing: 'border-box', overflow: 'hidden', flexWrap: 'nowrap', flex: 'none' });
		}
	});
}

function tellViolations()
{
	addEventListener('securitypolicyviolation', (e) => console.error(`against the policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {(tour: Tour) => Promise<void>} go
 * @param {Options} [options]
 */
export async function tour(browser, url, go, options = {})
{
	const { viewport = { width: 1440, height: 900 }, theme = 'light' } = options;
	const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce', acceptDownloads: true, permissions: ['clipboard-read', 'clipboard-write'] });

	context.setDefaultTimeout(60000);
	try {
		const page = await context.newPage(), made = new Tour(page, url, options.mayLog);

		made.guard();
		await page.addInitScript(tellViolations);
		if (options.fixed)
			await page.addInitScript(fixSizes);
		await page.goto(url);
		await go(made);
		made.check();
	} finally {
		await context.close();
	}
}
