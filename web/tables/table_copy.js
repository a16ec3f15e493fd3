/* How does a table leave the page? As text that other programs read, with raw values. */

/**
 * @typedef {import("./table.js").Column} Column
 * @typedef {import("./table.js").Row} Row
 */

/** @param {unknown} value */
function rawText(value)
{
	return value === null || value === undefined ? '' : String(value);
}

/** @param {unknown} value */
function tsvField(value)
{
	return rawText(value).replace(/[\t\r\n]/g, ' ');
}

/** @param {unknown} value */
function csvField(value)
{
	const text = rawText(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @param {Column[]} columns
 * @param {Row[]} rows
 * @param {(value: unknown) => string} toField
 * @param {string} between
 */
function lines(columns, rows, toField, between)
{
	return (
		[columns.map((c) => c.key), ...rows.map((row) => columns.map((c) => row[c.key]))]
			.map((line) => line.map(toField).join(between))
			.join('\n') + '\n'
	);
}

/** @type {Record<string, (columns: Column[], rows: Row[]) => string>} */
export const copies = {
	TSV: (columns, rows) => lines(columns, rows, tsvField, '\t'),
	CSV: (columns, rows) => lines(columns, rows, csvField, ','),
	JSON: (columns, rows) =>
		JSON.stringify(
			rows.map((row) => Object.fromEntries(columns.map((c) => [c.key, row[c.key] ?? null]))),
			null,
			1
		),
};
