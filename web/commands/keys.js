/*
 * Every key, in one table: what it is called, what it does, where it means something. Help and
 * palette are made of it. They are those of `gpuwhy timeline`, but for Tab, which is the browser's.
 */

/**
 * @typedef {object} Key
 * @property {string} command
 * @property {string[]} keys as keyName() has them
 * @property {string} help
 * @property {boolean} [anywhere] in every tab
 */

/** @type {Key[]} */
export const KEYS = [
	{ command: 'help', keys: ['?', 'F1', 'h'], help: 'show the keys', anywhere: true },
	{ command: 'palette', keys: ['Ctrl+k', ':'], help: 'find a command, a tab, a row or a time', anywhere: true },
	{ command: 'pan-left', keys: ['Left'], help: 'earlier' },
	{ command: 'pan-right', keys: ['Right'], help: 'later' },
	{ command: 'pan-left-more', keys: ['Shift+Left', 'A'], help: 'a quarter of the screen earlier' },
	{ command: 'pan-right-more', keys: ['Shift+Right', 'D'], help: 'a quarter of the screen later' },
	{ command: 'line-up', keys: ['Up'], help: 'the row above' },
	{ command: 'line-down', keys: ['Down'], help: 'the row below' },
	{ command: 'lines-up', keys: ['PageUp'], help: 'a screen of rows up' },
	{ command: 'lines-down', keys: ['PageDown'], help: 'a screen of rows down' },
	{ command: 'cursor-left', keys: ['<'], help: 'the cursor a little earlier' },
	{ command: 'cursor-right', keys: ['>'], help: 'the cursor a little later' },
	{ command: 'to-first', keys: ['Home'], help: 'the first moment' },
	{ command: 'to-last', keys: ['End'], help: 'the last moment' },
	{ command: 'zoom-in', keys: ['+', '=', 'w'], help: 'zoom in at the cursor' },
	{ command: 'zoom-out', keys: ['-', 'W'], help: 'zoom out' },
	{ command: 'fit', keys: ['f'], help: 'fit what is selected' },
	{ command: 'show-all', keys: ['F'], help: 'the whole capture' },
	{ command: 'next-event', keys: ['j', 'Ctrl+Right'], help: 'the next event of the row' },
	{ command: 'previous-event', keys: ['k', 'Ctrl+Left'], help: 'the event before' },
	{ command: 'next-gap', keys: ['g'], help: 'the longest gap of the GPU or stream, then the next longest' },
	{ command: 'previous-gap', keys: ['G'], help: 'the gap before that' },
	{ command: 'search', keys: ['/'], help: 'search events by name', anywhere: true },
	{ command: 'next-hit', keys: ['n'], help: 'the next hit' },
	{ command: 'previous-hit', keys: ['N'], help: 'the hit before' },
	{ command: 'details', keys: ['Enter', 'i'], help: 'details beside the timeline, or none' },
	{ command: 'enclosing', keys: ['u'], help: 'the range around' },
	{ command: 'evidence', keys: ['e'], help: 'the finding about what is selected' },
	{ command: 'follow-launch', keys: ['l'], help: 'from a call to what it launched, and back' },
	{ command: 'to-start', keys: ['['], help: 'the cursor to the start of what is selected' },
	{ command: 'to-end', keys: [']'], help: 'the cursor to its end' },
	{ command: 'minimum-duration', keys: ['m'], help: 'pass over short events' },
	{ command: 'times', keys: ['a'], help: 'absolute times, or from the start of the window' },
	{ command: 'whole-names', keys: ['d'], help: 'kernel names short or whole' },
	{ command: 'depth', keys: ['C'], help: 'levels of ranges that are shown' },
	{ command: 'lanes', keys: ['L'], help: 'all lanes of the row, or a few' },
	{ command: 'measure', keys: ['v'], help: 'mark two times and measure' },
	{ command: 'align', keys: ['S'], help: 'two runs: align both at the step that the cursor is in' },
	{ command: 'align-first', keys: [], help: 'two runs: align both at their first warm steps again, or first GPU work' },
	{ command: 'area', keys: ['s'], help: 'tables of what is selected, or of the window: kernels, ranges, gaps' },
	{ command: 'link', keys: ['Y'], help: 'copy a link to this place', anywhere: true },
	{ command: 'link-command', keys: [], help: 'copy the command that opens this place', anywhere: true },
	{ command: 'pin', keys: ['p'], help: 'keep the row at the top, or no more' },
	{ command: 'hide', keys: ['x'], help: 'hide the row' },
	{ command: 'show-rows', keys: ['X'], help: 'show all rows again' },
	{ command: 'fold', keys: ['z'], help: 'fold the rows of a GPU or a thread, and back' },
	{ command: 'bookmark', keys: ['B'], help: 'set a bookmark here' },
	{ command: 'bookmarks', keys: ["'"], help: 'list the bookmarks', anywhere: true },
	{ command: 'next-bookmark', keys: ['.'], help: 'go to the next bookmark' },
	{ command: 'previous-bookmark', keys: [','], help: 'go to the bookmark before' },
	{ command: 'back', keys: ['`', 'Backspace'], help: 'back to where you were before the last jump', anywhere: true },
	{ command: 'goto', keys: [], help: 'go to a time', anywhere: true },
	{ command: 'theme', keys: ['t'], help: 'light or dark', anywhere: true },
	{ command: 'save-svg', keys: [], help: 'save the window as SVG' },
	{ command: 'save-png', keys: [], help: 'save the window as PNG' },
	{ command: 'print', keys: [], help: 'print the window' },
	{ command: 'close', keys: ['Escape'], help: 'close what is open, drop what is selected', anywhere: true },
];

/**
 * @param {KeyboardEvent} e
 * @returns {string} "Ctrl+k", "Shift+Left", "?": letters have their case and need no Shift
 */
export function keyName(e)
{
	const name = e.key.replace(/^Arrow/, ''), shift = e.shiftKey && name.length > 1 ? 'Shift+' : '';

	return `${e.ctrlKey || e.metaKey ? 'Ctrl+' : ''}${e.altKey ? 'Alt+' : ''}${shift}${name}`;
}

/** Whether the key belongs to what has the focus. @param {KeyboardEvent} e */
export function belongsElsewhere(e)
{
	const on = e.target instanceof Element ? e.target : null;

	if (!on || e.isComposing)
		return true;
	if (on.closest('input, textarea, select, [contenteditable], dialog'))
		return true;
	/* Buttons and links have Enter and Space, what scrolls or walks by itself the arrows, too. */
	if (on.closest('button, a, summary') && (e.key === 'Enter' || e.key === ' '))
		return true;
	return on.closest('#tab-view, [role="tablist"], #pane .gt-scroll') !== null &&
		/^(Arrow|Page|Home|End|Enter| )/.test(e.key);
}
