/* How does a report look on a page of GitHub's? */
#include "base/mem.h"
#include "report/cells.h"
#include "report/finding.h"
#include "report/markdown_text.h"
#include "report/out.h"
#include "report/presenters.h"
#include "text/units.h"

#include <stdlib.h>

static void add_cell(struct buf *b, const struct table *t, const struct column *column,
		     const struct cell *cell, bool in_row)
{
	struct buf text = {0};

	if (t->nsys)
		cell_add_nsys(&text, column, cell);
	else
		cell_add_human(&text, column, cell);
	for (unsigned i = 0; i < cell->depth; i++)
		buf_adds(b, "&emsp;"); /* spaces would not show */
	if (cell->kind == CELL_TEXT)
		markdown_add_literal(b, buf_str(&text), in_row);
	else
		buf_addstr(b, buf_str(&text));
	buf_free(&text);
}

static void add_header(struct buf *b, const struct table *t)
{
	buf_addc(b, '|');
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY)
			continue;
		buf_addc(b, ' ');
		markdown_add_text(b, t->columns[c].title);
		buf_adds(b, " |");
	}
	buf_adds(b, "\n|");
	for (size_t c = 0; c < t->column_count; c++)
		if (t->columns[c].show != MACHINE_ONLY)
			buf_adds(b, column_is_text(&t->columns[c]) ? " --- |" : " ---: |");
	buf_addc(b, '\n');
}

static void add_row(struct buf *b, const struct table *t, const struct cell *cells)
{
	buf_addc(b, '|');
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY)
			continue;
		buf_addc(b, ' ');
		add_cell(b, t, &t->columns[c], &cells[c], true);
		buf_adds(b, " |");
	}
	buf_addc(b, '\n');
}

static void add_footer(struct buf *b, const struct table *t)
{
	uint64_t more = t->total_rows > t->rows ? t->total_rows - t->rows : 0;

	if (more) {
		buf_adds(b, t->total_is_least ? "\n… more than " : "\n… ");
		units_add_count(b, (int64_t)more);
		buf_adds(b, more == 1 ? " more row" : " more rows");
		if (t->rest) {
			buf_adds(b, ": ");
			markdown_add_text(b, t->rest);
			buf_addc(b, '\n');
		} else {
			buf_adds(b, " (`--limit 0` shows all)\n");
		}
	} else if (t->rows == 0) {
		buf_adds(b, "\n(no rows)\n");
	}
}

static int add_rows(struct out *o, const struct table *t, struct cell *cells, struct err *e)
{
	add_header(&o->text, t);
	for (uint64_t i = 0; i < t->rows; i++) {
		t->row(t->ctx, i, cells);
		add_row(&o->text, t, cells);
		if (out_poll(o, e) < 0)
			return -1;
	}
	add_footer(&o->text, t);
	return 0;
}

static void add_fact_row(struct buf *b, const struct table *t, const struct cell *cells)
{
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY || cells[c].kind == CELL_NULL)
			continue;
		buf_adds(b, "- ");
		markdown_add_text(b, t->columns[c].title);
		buf_adds(b, ": ");
		add_cell(b, t, &t->columns[c], &cells[c], false);
		buf_addc(b, '\n');
	}
}

static void add_facts(struct buf *b, const struct table *t, struct cell *cells)
{
	for (uint64_t i = 0; i < t->rows; i++) {
		if (i > 0)
			buf_adds(b, "\n---\n\n");
		t->row(t->ctx, i, cells);
		add_fact_row(b, t, cells);
	}
}

static void add_node(struct buf *b, const struct table *t, const struct cell *cells)
{
	bool any = false;

	buf_addn(b, ' ', 2 * (size_t)cells[0].depth);
	buf_adds(b, "- ");
	add_cell(b, t, &t->columns[0],
		 &(struct cell){.kind = CELL_TEXT, .literal = cells[0].literal, .s = cells[0].s},
		 false);
	for (size_t c = 1; c < t->column_count; c++) {
		if (t->columns[c].show != SHOW || cells[c].kind == CELL_NULL)
			continue;
		buf_adds(b, any ? ", " : ": ");
		any = true;
		markdown_add_text(b, t->columns[c].title);
		buf_addc(b, ' ');
		add_cell(b, t, &t->columns[c], &cells[c], false);
	}
	buf_addc(b, '\n');
}

/* A list in which each node is an item of its parent. */
static int add_nodes(struct out *o, const struct table *t, struct cell *cells, struct err *e)
{
	for (uint64_t i = 0; i < t->rows; i++) {
		t->row(t->ctx, i, cells);
		add_node(&o->text, t, cells);
		if (out_poll(o, e) < 0)
			return -1;
	}
	add_footer(&o->text, t);
	return 0;
}

static int add_table(struct out *o, const struct table *t, struct err *e)
{
	struct cell *cells = mem_zalloc(t->column_count, sizeof(*cells));
	int status = 0;

	if (t->title) {
		buf_adds(&o->text, "### ");
		markdown_add_text(&o->text, t->title);
		buf_adds(&o->text, "\n\n");
	}
	if (t->facts && t->rows > 0)
		add_facts(&o->text, t, cells);
	else if (t->tree)
		status = add_nodes(o, t, cells, e);
	else
		status = add_rows(o, t, cells, e);
	free(cells);
	return status;
}

static int add_block(struct out *o, const struct block *block, struct err *e)
{
	static const char *const prefixes[] = {
		[BLOCK_HEADING] = "## ",
		[BLOCK_NOTE] = "",
		[BLOCK_WARNING] = "> **Warning:** ",
	};

	if (block->kind == BLOCK_TABLE)
		return add_table(o, block->table, e);
	if (block->kind == BLOCK_FINDING) {
		finding_add_markdown(&o->text, block->finding, block->number);
		return 0;
	}
	buf_adds(&o->text, prefixes[block->kind]);
	markdown_add_text(&o->text, block->text);
	buf_addc(&o->text, '\n');
	return 0;
}

static int present(const struct report *r, const struct style *style, struct sink *sink,
		   struct err *e)
{
	struct out o = {.sink = sink};
	bool first = !r->continues;
	int status = 0;

	(void)style;
	if (r->title && first) {
		buf_adds(&o.text, "# ");
		markdown_add_text(&o.text, r->title);
		buf_addc(&o.text, '\n');
		first = false;
	}
	for (size_t i = 0; i < r->block_count && status == 0; i++) {
		if (r->blocks[i].kind == BLOCK_CHART)
			continue;
		if (!first)
			buf_addc(&o.text, '\n');
		first = false;
		status = add_block(&o, &r->blocks[i], e);
	}
	return out_close(&o, status, e);
}

const struct presenter presenter_markdown = {
	.name = "markdown",
	.extension = ".md",
	.in_pieces = true,
	.report = present,
};
