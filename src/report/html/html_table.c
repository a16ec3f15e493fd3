/* How does a table look in a page? */
#include "report/html/html_table.h"

#include "base/mem.h"
#include "report/cells.h"
#include "report/html/html_text.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

enum {
	MAX_ROWS = 500,	 /* more belong into a file that a program reads */
	MAX_TEXT = 56,	 /* columns that a cell shows */
	LONG_TEXT = 20,	 /* more may take several lines, so that numbers beside it are in sight */
	MAX_WHOLE = 600, /* and that it tells who points at it */
};

static bool is_shown(const struct column *c)
{
	return c->show != MACHINE_ONLY;
}

static void add_title(struct buf *b, struct str whole)
{
	buf_adds(b, " title=\"");
	html_add_brief(b, whole, MAX_WHOLE);
	buf_addc(b, '"');
}

/* Text as it is shown, and in full where that is not all of it. */
static void add_words(struct buf *b, const struct cell *cell, struct str shown)
{
	struct buf whole = {0};

	if (text_width(shown) > LONG_TEXT)
		buf_adds(b, " class=\"long\"");
	if (cell->kind == CELL_TEXT)
		text_add_safe(&whole, cell->s);
	if (cell->kind == CELL_TEXT &&
	    (!str_eq(buf_str(&whole), shown) || text_width(shown) > MAX_TEXT))
		add_title(b, buf_str(&whole));
	buf_addc(b, '>');
	for (unsigned i = 0; i < cell->depth; i++)
		buf_adds(b, "&emsp;");
	html_add_brief(b, shown, MAX_TEXT);
	buf_free(&whole);
}

static bool is_percent(const struct column *c)
{
	return c->unit == UNIT_PERCENT || c->unit == UNIT_UTILISATION;
}

/* Numbers are sorted by what they are, not by how they look. */
static void add_number(struct buf *b, const struct column *column, const struct cell *cell,
		       struct str shown)
{
	buf_addf(b, " class=\"n%s\"", is_percent(column) ? " p" : "");
	if (cell->kind == CELL_INT || (cell->kind == CELL_REAL && isfinite(cell->r))) {
		buf_adds(b, " data-v=\"");
		cell_add_raw(b, cell);
		buf_addc(b, '"');
	}
	buf_addc(b, '>');
	html_add_escaped(b, shown);
}

static void add_cell(struct buf *b, const char *tag, const struct table *t, size_t c,
		     const struct cell *cell)
{
	const struct column *column = &t->columns[c];
	struct buf text = {0};

	if (t->nsys)
		cell_add_nsys(&text, column, cell);
	else
		cell_add_human(&text, column, cell);
	buf_addf(b, "<%s", tag);
	if (column_is_text(column))
		add_words(b, cell, buf_str(&text));
	else
		add_number(b, column, cell, buf_str(&text));
	buf_addf(b, "</%s>", tag);
	buf_free(&text);
}

static void add_header(struct buf *b, const struct table *t)
{
	buf_adds(b, "<thead><tr>");
	for (size_t c = 0; c < t->column_count; c++) {
		if (!is_shown(&t->columns[c]))
			continue;
		buf_adds(b, column_is_text(&t->columns[c]) ? "<th scope=\"col\">"
							   : "<th scope=\"col\" class=\"n\">");
		html_add_text(b, str_of(t->columns[c].title));
		buf_adds(b, "</th>");
	}
	buf_adds(b, "</tr></thead>\n");
}

static int add_rows(struct out *o, const struct table *t, uint64_t rows, struct cell *cells,
		    struct err *e)
{
	buf_adds(&o->text, "<tbody>\n");
	for (uint64_t i = 0; i < rows; i++) {
		t->row(t->ctx, i, cells);
		buf_adds(&o->text, "<tr>");
		for (size_t c = 0; c < t->column_count; c++) {
			if (is_shown(&t->columns[c]))
				add_cell(&o->text, "td", t, c, &cells[c]);
		}
		buf_adds(&o->text, "</tr>\n");
		if (out_poll(o, e) < 0)
			return -1;
	}
	buf_adds(&o->text, "</tbody>\n");
	return 0;
}

static void add_rest(struct buf *b, const struct table *t, uint64_t rows)
{
	if (t->rest) {
		buf_adds(b, " rows: ");
		html_add_text(b, str_of(t->rest));
		buf_adds(b, "</p>\n");
	} else {
		buf_adds(b, rows < t->rows ? " rows: the limit of a page, <code>--format "
					     "csv</code> lists all</p>\n"
					   : " rows (<code>--limit</code>)</p>\n");
	}
}

static void add_footer(struct buf *b, const struct table *t, uint64_t rows)
{
	if (t->rows == 0) {
		buf_adds(b, "<p class=\"empty\">no rows</p>\n");
	} else if (t->total_rows > rows) {
		buf_adds(b, "<p class=\"more\">the first ");
		units_add_count(b, (int64_t)rows);
		buf_adds(b, t->total_is_least ? " of more than " : " of ");
		units_add_count(b, (int64_t)t->total_rows);
		add_rest(b, t, rows);
	}
}

static void add_fact_row(struct buf *b, const struct table *t, const struct cell *cells)
{
	buf_adds(b, "<dl class=\"facts\">\n");
	for (size_t c = 0; c < t->column_count; c++) {
		if (!is_shown(&t->columns[c]) || cells[c].kind == CELL_NULL)
			continue;
		buf_adds(b, "<div><dt>");
		html_add_text(b, str_of(t->columns[c].title));
		buf_adds(b, "</dt>");
		add_cell(b, "dd", t, c, &cells[c]);
		buf_adds(b, "</div>\n");
	}
	buf_adds(b, "</dl>\n");
}

/* Each row is a list of what is known. */
static void add_facts(struct buf *b, const struct table *t, struct cell *cells)
{
	for (uint64_t i = 0; i < t->rows; i++) {
		t->row(t->ctx, i, cells);
		add_fact_row(b, t, cells);
	}
}

static int add_grid(struct out *o, const struct table *t, struct cell *cells, struct err *e)
{
	uint64_t rows = t->rows < MAX_ROWS ? t->rows : MAX_ROWS;

	buf_adds(&o->text, "<div class=\"scroll\" tabindex=\"0\"><table>\n");
	add_header(&o->text, t);
	if (add_rows(o, t, rows, cells, e) < 0)
		return -1;
	buf_adds(&o->text, "</table></div>\n");
	add_footer(&o->text, t, rows);
	return 0;
}

int html_add_table(struct out *o, const struct table *t, const char *id, struct err *e)
{
	struct cell *cells = mem_zalloc(t->column_count, sizeof(*cells));
	int status = 0;

	buf_addf(&o->text, "<div class=\"table\" id=\"%s\" data-name=\"%s\">\n", id, t->name);
	if (t->title) {
		buf_adds(&o->text, "<h3>");
		html_add_text(&o->text, str_of(t->title));
		buf_adds(&o->text, "</h3>\n");
	}
	if (t->facts && t->rows > 0)
		add_facts(&o->text, t, cells);
	else
		status = add_grid(o, t, cells, e);
	buf_adds(&o->text, "</div>\n");
	free(cells);
	return status;
}
