/* What is in a reply of /tile? The layout is in docs/web.md. */

export const CELLS = 512;
export const CELL_BYTES = 12;
export const NO_CLASS = 8;
export const NO_EVENT = 4294967295;
export const LAST_LEVEL = 52;

/**
 * @typedef {object} Tile of one track
 * @property {number} lanes in all
 * @property {(?Uint8Array)[]} cells by lane; null: nothing goes on in it
 * @property {number} bytes
 * @property {number} used when it was last drawn
 * @property {number} depth lanes that were asked for
 * @property {{level: number, index: number}} [instead] it is a coarser one: there is none so fine
 */

/** @param {Uint8Array} cells */
function isEmpty(cells)
{
	for (let i = 0; i < cells.length; i += CELL_BYTES) {
		if (cells[i] !== NO_CLASS || cells[i + 2] !== 0)
			return false;
	}
	return true;
}

/**
 * @param {ArrayBuffer} reply
 * @param {number} depth
 * @returns {Map<number, Tile>} by number of the track
 */
export function parseTiles(reply, depth)
{
	const view = new DataView(reply);
	/** @type {Map<number, Tile>} */
	const tiles = new Map();
	const size = CELLS * CELL_BYTES;
	let at = 8;

	if (reply.byteLength < 8 || view.getUint32(0, false) !== 0x47575431)
		throw new Error('this is no tile');
	for (let left = view.getUint32(4, true); left > 0; left--) {
		const number = view.getUint32(at, true), lanes = view.getUint32(at + 4, true);
		const follow = view.getUint32(at + 8, true);
		const tile = { lanes, cells: /** @type {(?Uint8Array)[]} */ ([]), bytes: 200, used: 0, depth };

		at += 12;
		for (let lane = 0; lane < follow; lane++, at += size) {
			const cells = new Uint8Array(reply, at, size);

			/* A copy: the reply of all tracks would be held by the last of them. */
			tile.cells.push(isEmpty(cells) ? null : cells.slice());
			tile.bytes += tile.cells[lane] ? size + 100 : 8;
		}
		tiles.set(number, tile);
	}
	return tiles;
}

/**
 * @param {Uint8Array} cells
 * @param {number} cell
 * @param {4 | 8} field 4: events that begin, 8: the longest one's number
 */
export function cellNumber(cells, cell, field)
{
	const at = cell * CELL_BYTES + field;

	return (cells[at] | (cells[at + 1] << 8) | (cells[at + 2] << 16) | (cells[at + 3] << 24)) >>> 0;
}

/**
 * The level whose cells are at most as wide as a pixel, and more than half of one.
 * @param {number} nsPerPixel
 */
export function levelFor(nsPerPixel)
{
	return Math.max(0, Math.min(LAST_LEVEL, Math.floor(Math.log2(nsPerPixel))));
}

/** @param {number} level */
export const tileWidth = (level) => CELLS * 2 ** level;
