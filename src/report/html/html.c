/* How does a report look as a page that one can send to somebody? */
#include "base/mem.h"
#include "report/cell_text.h"
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_finding.h"
#include "report/html/html_page.h"
#include "report/html/html_page_link.h"
#include "report/html/html_text.h"
#include "report/present.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

enum {
	MAX_TEXT = 56,	 /* columns that a cell shows, where it is not a fact by itself */
	LONG_TEXT = 20,	 /* more may take several lines, so that numbers beside it are in sight */
	MAX_WHOLE = 600, /* and that it tells who points at it */
};

static bool is_shown(const struct column *c)
{
	return c->show != MACHINE_ONLY;
}

static void add_tooltip(struct buf *b, struct str whole)
{
	buf_adds(b, " title=\"");
	html_add_brief(b, whole, MAX_WHOLE);
	buf_addc(b, '"');
}

/* A command is there to be copied: all of it. */
static void add_command(struct buf *b, const struct cell *cell, struct str shown)
{
	buf_adds(b, " class=\"long\">");
	if (cell->kind == CELL_TEXT)
		buf_adds(b, "<code class=\"command\">");
	html_add_figures(b, shown);
	if (cell->kind == CELL_TEXT)
		buf_adds(b, "</code>");
}

/* Whoever reads goes there. */
static void add_page(struct buf *b, const struct cell *cell, struct str shown)
{
	buf_addc(b, '>');
	if (cell->kind == CELL_TEXT)
		html_begin_link(b, cell->s);
	html_add_escaped(b, shown);
	if (cell->kind == CELL_TEXT)
		html_end_link(b, cell->s);
}

/* Text as it is shown, and in full where that is not all of it. */
static void add_words(struct buf *b, const struct cell *cell, struct str shown, size_t columns)
{
	struct buf whole = {0};

	if (text_width(shown) > LONG_TEXT)
		buf_adds(b, " class=\"long\"");
	if (cell->kind == CELL_TEXT)
		text_add_safe(&whole, cell->s);
	if (cell->kind == CELL_TEXT &&
	    (!str_eq(buf_str(&whole), shown) || text_width(shown) > columns))
		add_tooltip(b, buf_str(&whole));
	buf_addc(b, '>');
	for (unsigned i = 0; i < cell->depth; i++)
		buf_adds(b, "&emsp;");
	html_add_brief(b, shown, columns);
	buf_free(&whole);
}

/* Numbers are sorted by what they are, not by how they look. */
static void add_number(struct buf *b, const struct column *column, const struct cell *cell,
		       struct str shown)
{
	const bool percent = column->unit == UNIT_PERCENT || column->unit == UNIT_UTILISATION;

	buf_addf(b, " class=\"n%s\"", percent ? " p" : column->unit == UNIT_TIME_NS ? " at" : "");
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

	cell_add_shown(&text, t, column, cell);
	buf_addf(b, "<%s", tag);
	if (column->unit == UNIT_COMMAND)
		add_command(b, cell, buf_str(&text));
	else if (column->unit == UNIT_PAGE)
		add_page(b, cell, buf_str(&text));
	else if (column_is_text(column))
		add_words(b, cell, buf_str(&text), t->facts ? MAX_WHOLE : MAX_TEXT);
	else
		add_number(b, column, cell, buf_str(&text));
	buf_addf(b, "</%s>", tag);
	buf_free(&text);
}

static void add_table_head(struct buf *b, const struct table *t)
{
	buf_adds(b, "<thead><tr>");
	for (size_t c = 0; c < t->column_count; c++) {
		if (!is_shown(&t->columns[c]))
			continue;
		buf_adds(b, column_is_text(&t->columns[c]) ? "<th scope=\"col\""
							   : "<th scope=\"col\" class=\"n\"");
		if (t->sorted_by && strcmp(t->sorted_by, t->columns[c].key) == 0)
			buf_addf(b, " aria-sort=\"%s\"",
				 column_is_text(&t->columns[c]) ? "ascending" : "descending");
		buf_addc(b, '>');
		html_add_text(b, str_of(t->columns[c].title));
		buf_adds(b, "</th>");
	}
	buf_adds(b, "</tr></thead>\n");
}

static int add_rows(struct out *o, const struct table *t, uint64_t rows, struct err *e)
{
	buf_adds(&o->text, "<tbody>\n");
	for (uint64_t i = 0; i < rows; i++) {
		const struct cell *cells = out_row(o, t, i);

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
		html_add_between(b, " rows: ", t->rest, "</p>\n");
	} else {
		buf_adds(b, rows < t->rows ? " rows: the limit of a page, <code>--format "
					     "csv</code> lists all</p>\n"
					   : " rows (<code>--limit</code>)</p>\n");
	}
}

static void add_footer(struct buf *b, const struct table *t, uint64_t rows)
{
	if (t->total_rows <= rows)
		return;
	buf_adds(b, "<p class=\"more\">the first ");
	units_add_count(b, (int64_t)rows);
	buf_adds(b, t->total_is_least ? " of more than " : " of ");
	units_add_count(b, (int64_t)t->total_rows);
	add_rest(b, t, rows);
}

/* A list of what is known. */
static void add_fact_row(struct buf *b, const struct table *t, const struct cell *cells)
{
	buf_adds(b, "<dl class=\"facts\">\n");
	for (size_t c = 0; c < t->column_count; c++) {
		if (!is_shown(&t->columns[c]) || cells[c].kind == CELL_NULL)
			continue;
		html_add_between(b, "<div><dt>", t->columns[c].title, "</dt>");
		add_cell(b, "dd", t, c, &cells[c]);
		buf_adds(b, "</div>\n");
	}
	buf_adds(b, "</dl>\n");
}

static int add_grid(struct out *o, const struct table *t, struct err *e)
{
	uint64_t rows = t->rows < HTML_MAX_ROWS ? t->rows : HTML_MAX_ROWS;

	buf_adds(&o->text, "<div class=\"scroll\" tabindex=\"0\"><table>\n");
	add_table_head(&o->text, t);
	if (add_rows(o, t, rows, e) < 0)
		return -1;
	buf_adds(&o->text, "</table></div>\n");
	add_footer(&o->text, t, rows);
	return 0;
}

static int add_table(struct out *o, const struct table *t, const char *id, struct err *e)
{
	buf_addf(&o->text, "<div class=\"table\" id=\"%s\" data-name=\"%s\">\n", id, t->name);
	if (t->title)
		html_add_between(&o->text, "<h3>", t->title, "</h3>\n");
	for (uint64_t i = 0; t->facts && i < t->rows; i++)
		add_fact_row(&o->text, t, out_row(o, t, i));
	if (t->rows == 0)
		buf_adds(&o->text, "<p class=\"empty\">no rows</p>\n");
	else if (!t->facts && add_grid(o, t, e) < 0)
		return -1;
	buf_adds(&o->text, "</div>\n");
	return 0;
}

/* The title, and smaller what is said about it. */
static void add_heading(struct buf *b, const char *text, const char *id)
{
	struct str title = html_heading_title(text);

	buf_addf(b, "<h2 id=\"%s\">", id);
	html_add_text(b, title);
	if (text[title.len])
		html_add_between(b, " <small>", text + title.len + 2, "</small>");
	buf_adds(b, "</h2>\n");
}

static void add_paragraph(struct buf *b, const char *class, const char *text)
{
	buf_addf(b, "<p class=\"%s\">", class);
	html_add_prose(b, text);
	buf_adds(b, "</p>\n");
}

/* The same with parts that are struck out: each begins and ends with ~~. */
static void add_struck_paragraph(struct buf *b, const char *class, const char *text)
{
	buf_addf(b, "<p class=\"%s\">", class);
	while (*text) {
		const char *begin = strstr(text, "~~"),
			   *end = begin ? strstr(begin + 2, "~~") : NULL;
		SCOPED_BUF before = {0}, struck = {0};

		if (!end || end == begin + 2)
			break;
		buf_add(&before, text, (size_t)(begin - text));
		buf_add(&struck, begin + 2, (size_t)(end - begin - 2));
		html_add_prose(b, buf_str(&before).s);
		buf_adds(b, "<s>");
		html_add_prose(b, struck.s);
		buf_adds(b, "</s>");
		text = end + 2;
	}
	html_add_prose(b, text);
	buf_adds(b, "</p>\n");
}

static int add_block(struct out *o, const struct report *r, size_t i, struct err *e)
{
	const struct block *block = &r->blocks[i];
	const struct block_id id = html_block_id(i);

	if (block->has_strikes) {
		add_struck_paragraph(&o->text, block->kind == BLOCK_LEAD ? "lead" : "note",
				     block->text);
		return 0;
	}
	switch (block->kind) {
	case BLOCK_HEADING:
		add_heading(&o->text, block->text, id.text);
		break;
	case BLOCK_LEAD:
		add_paragraph(&o->text, "lead", block->text);
		break;
	case BLOCK_NOTE:
		add_paragraph(&o->text, "note", block->text);
		break;
	case BLOCK_WARNING:
		add_paragraph(&o->text, "warning", block->text);
		break;
	case BLOCK_FINDING:
		html_add_finding(&o->text, r, i);
		break;
	case BLOCK_ACTION:
		html_add_action(&o->text, r, i);
		break;
	case BLOCK_CHART:
		html_add_chart(&o->text, block->chart, id.text);
		break;
	case BLOCK_TABLE:
		return add_table(o, block->table, id.text, e);
	}
	return 0;
}

static bool is_of(const struct report *r, size_t i, enum block_kind kind)
{
	return i < r->block_count && r->blocks[i].kind == kind;
}

/* Blocks of a kind that follow each other stand in one element: in a list, or side by side. */
static const struct {
	enum block_kind kind;
	const char *begin, *end;
} groups[] = {
	{BLOCK_CHART, "<div class=\"charts\">\n", "</div>\n"},
	{BLOCK_ACTION, "<ol class=\"actions\">\n", "</ol>\n"},
};

static void begin_groups(struct buf *b, const struct report *r, size_t i)
{
	for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
		if (is_of(r, i, groups[g].kind) && !(i && is_of(r, i - 1, groups[g].kind)))
			buf_adds(b, groups[g].begin);
	}
}

static void end_groups(struct buf *b, const struct report *r, size_t i)
{
	for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
		if (is_of(r, i, groups[g].kind) && !is_of(r, i + 1, groups[g].kind))
			buf_adds(b, groups[g].end);
	}
}

/* From a heading to the next. */
static int add_section(struct out *o, const struct report *r, size_t begin, size_t end,
		       struct err *e)
{
	buf_adds(&o->text,
		 r->blocks[begin].detail ? "<section class=\"detail\">\n" : "<section>\n");
	for (size_t i = begin; i < end; i++) {
		begin_groups(&o->text, r, i);
		if (add_block(o, r, i, e) < 0 || out_poll(o, e) < 0)
			return -1;
		end_groups(&o->text, r, i);
	}
	buf_adds(&o->text, "</section>\n");
	return 0;
}

static int add_sections(struct out *o, const struct report *r, struct err *e)
{
	size_t details = 0;

	for (size_t begin = 0, end; begin < r->block_count; begin = end) {
		for (end = begin + 1; end < r->block_count && !is_of(r, end, BLOCK_HEADING); end++)
			;
		if (add_section(o, r, begin, end, e) < 0)
			return -1;
		details += r->blocks[begin].detail;
	}
	if (details)
		buf_addf(&o->text,
			 "<p class=\"paper\">Not on paper: charts, further rows and %zu sections "
			 "with details, which are in the page itself.</p>\n",
			 details);
	return 0;
}

static int add_report(struct out *o, const struct report *r, struct err *e)
{
	html_add_page_begin(&o->text, r);
	if (add_sections(o, r, e) < 0)
		return -1;
	html_add_page_end(&o->text);
	return 0;
}

const struct presenter presenter_html = {
	.name = "html",
	.extension = ".html",
	.for_people = true,
	.add = add_report,
};
