/* How does a table of a guide fit the terminal? */
#include "guides/guide_table.h"

#include "guides/guide_inline.h"
#include "guides/guide_lines.h"
#include "text/text.h"

enum { MOST_COLUMNS = 8, BETWEEN = 2, LEAST_ROOM = 30, STACKED_INDENT = 4 };

/* "|---|---|" is below the titles. */
static bool is_rule(struct str row)
{
	for (size_t i = 0; i < row.len; i++) {
		if (!strchr("|-: ", row.s[i]))
			return false;
	}
	return true;
}

/* Cuts the next cell from a row; false after the last. A | of the text is written as \|. */
static bool next_cell(struct str *row, struct buf *ret)
{
	struct str cell = {row->s + 1, 0};
	SCOPED_BUF plain = {0};

	buf_clear(ret);
	if (row->len < 2)
		return false;
	while (1 + cell.len < row->len && (cell.s[cell.len] != '|' || cell.s[cell.len - 1] == '\\'))
		cell.len++;
	*row = (struct str){row->s + 1 + cell.len, row->len - 1 - cell.len};
	for (size_t i = 0; i < cell.len; i++) {
		if (cell.s[i] != '\\' || i + 1 == cell.len || cell.s[i + 1] != '|')
			buf_addc(&plain, cell.s[i]);
	}
	guide_add_inline(ret, str_trimmed(buf_str(&plain)));
	return true;
}

struct layout {
	size_t widths[MOST_COLUMNS];
	size_t columns;
	size_t before; /* columns of the terminal before the last cell */
	size_t width;
};

static void measure(struct str rows, struct layout *l)
{
	struct guide_lines lines = {.rest = rows};
	struct guide_line line;
	SCOPED_BUF cell = {0};

	while (guide_next_line(&lines, &line)) {
		struct str row = line.text;

		for (size_t i = 0; !is_rule(line.text) && i < MOST_COLUMNS; i++) {
			if (!next_cell(&row, &cell))
				break;
			if (text_width(buf_str(&cell)) > l->widths[i])
				l->widths[i] = text_width(buf_str(&cell));
			if (i >= l->columns)
				l->columns = i + 1;
		}
	}
	for (size_t i = 0; i + 1 < l->columns; i++)
		l->before += l->widths[i] + BETWEEN;
}

static void add_row(struct buf *b, struct str row, const struct layout *l)
{
	SCOPED_BUF cell = {0};
	size_t at = 0;

	for (size_t i = 0; i < l->columns && next_cell(&row, &cell); i++) {
		if (i + 1 == l->columns) {
			text_add_wrapped(b, buf_str(&cell), l->width - l->before, l->before);
			break;
		}
		at = l->widths[i] + BETWEEN - text_width(buf_str(&cell));
		buf_addf(b, "%s%*s", buf_str(&cell).s, (int)at, "");
	}
	buf_addc(b, '\n');
}

/* Cells below the first one of their row, each after the title of its column. */
static void add_stacked(struct buf *b, struct str row, struct str titles, const struct layout *l)
{
	SCOPED_BUF cell = {0};
	SCOPED_BUF title = {0};

	for (size_t i = 0; i < l->columns && next_cell(&row, &cell); i++) {
		const size_t indent = i ? STACKED_INDENT : 0;

		next_cell(&titles, &title);
		if (!cell.len)
			continue;
		if (i)
			buf_addf(&title, ": %s", cell.s);
		buf_addf(b, "%*s", (int)indent, "");
		text_add_wrapped(b, buf_str(i ? &title : &cell), l->width - indent, indent);
		buf_addc(b, '\n');
	}
}

static void add_rule(struct buf *b, const struct layout *l)
{
	const size_t natural = l->before + l->widths[l->columns - 1];

	for (size_t i = 0; i < natural && i < l->width; i++)
		buf_adds(b, "─");
	buf_addc(b, '\n');
}

void guide_add_table(struct buf *b, struct str rows, size_t width)
{
	struct layout l = {.width = width};
	struct guide_lines lines = {.rest = rows};
	struct guide_line line, titles;
	bool stacked;

	measure(rows, &l);
	stacked = l.before + LEAST_ROOM > width;
	if (!l.columns || !guide_next_line(&lines, &titles))
		return;
	if (!stacked)
		add_row(b, titles.text, &l);
	while (guide_next_line(&lines, &line)) {
		if (!is_rule(line.text) && stacked)
			add_stacked(b, line.text, titles.text, &l);
		else if (!is_rule(line.text))
			add_row(b, line.text, &l);
		else if (!stacked)
			add_rule(b, &l);
	}
}
