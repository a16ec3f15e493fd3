/* How wide is each column of a table on a terminal? */
#include "report/layout.h"

#include "base/mem.h"
#include "report/cells.h"
#include "text/text.h"

#include <stdlib.h>

enum {
	MEASURED_ROWS = 2000, /* later rows that are wider run over their column */
	MAX_ALIGNED = 200,    /* so does text that is wider than this */
	READABLE_TEXT = 28,
};

void layout_begin(struct layout *l, const struct table *t, const struct style *style)
{
	*l = (struct layout){.table = t, .style = style};
	l->columns = mem_alloc(t->column_count, sizeof(const struct column *));
	l->cell_of = mem_alloc(t->column_count, sizeof(*l->cell_of));
	l->widths = mem_zalloc(t->column_count, sizeof(*l->widths));
	l->cells = mem_zalloc(t->column_count, sizeof(*l->cells));
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY)
			continue;
		l->columns[l->count] = &t->columns[c];
		l->cell_of[l->count++] = c;
	}
	if (t->tree)
		tree_lines_make(&l->lines, t);
}

void layout_end(struct layout *l)
{
	tree_lines_free(&l->lines);
	free(l->columns);
	free(l->cell_of);
	free(l->widths);
	free(l->cells);
	buf_free(&l->text);
}

void layout_read_row(struct layout *l, uint64_t i)
{
	l->table->row(l->table->ctx, i, l->cells);
	l->row = i;
}

struct str layout_cell_text(struct layout *l, size_t column)
{
	const struct cell *cell = &l->cells[l->cell_of[column]];

	buf_clear(&l->text);
	if (l->table->tree && l->cell_of[column] == 0)
		tree_lines_add(&l->lines, l->row, &l->text);
	else
		buf_addn(&l->text, ' ', 2 * (size_t)cell->depth);
	if (l->table->nsys)
		cell_add_nsys(&l->text, l->columns[column], cell);
	else
		cell_add_human(&l->text, l->columns[column], cell);
	return buf_str(&l->text);
}

size_t layout_gap(const struct layout *l, size_t column)
{
	return column > 0 ? 2 : l->table->nsys ? 1 : 0;
}

size_t layout_width(const struct layout *l)
{
	size_t total = 0;

	for (size_t c = 0; c < l->count; c++)
		total += layout_gap(l, c) + l->widths[c];
	return total;
}

static void measure_row(struct layout *l, bool *has_any)
{
	for (size_t c = 0; c < l->count; c++) {
		size_t width = text_width(layout_cell_text(l, c));

		has_any[c] |= l->cells[l->cell_of[c]].kind != CELL_NULL;
		if (width > MAX_ALIGNED)
			width = MAX_ALIGNED;
		if (width > l->widths[c])
			l->widths[c] = width;
	}
}

/* The column that can best spare some width; l->count when none can. */
static size_t widest_text(const struct layout *l)
{
	size_t widest = l->count;

	for (size_t c = 0; c < l->count; c++) {
		if (!column_is_text(l->columns[c]) || l->widths[c] <= LAYOUT_MIN_TEXT)
			continue;
		if (widest == l->count || l->widths[c] > l->widths[widest])
			widest = c;
	}
	return widest;
}

/* How wide the table is when no text column is wider than `text_width`. */
static size_t squeezed_width(const struct layout *l, size_t text_width)
{
	size_t total = 0;

	for (size_t c = 0; c < l->count; c++) {
		bool squeezable = column_is_text(l->columns[c]) && l->widths[c] > text_width;

		total += layout_gap(l, c) + (squeezable ? text_width : l->widths[c]);
	}
	return total;
}

static void remove_column(struct layout *l, size_t column)
{
	for (size_t c = column; c + 1 < l->count; c++) {
		l->columns[c] = l->columns[c + 1];
		l->cell_of[c] = l->cell_of[c + 1];
		l->widths[c] = l->widths[c + 1];
	}
	l->count--;
}

static void leave_out(struct layout *l, size_t column)
{
	remove_column(l, column);
	l->left_out++;
}

static void drop_columns(struct layout *l, enum column_show which, size_t text_width)
{
	for (size_t c = l->count; c > 0 && squeezed_width(l, text_width) > l->style->width; c--) {
		if (l->columns[c - 1]->show == which)
			leave_out(l, c - 1);
	}
}

static void drop_all(struct layout *l, enum column_show which)
{
	for (size_t c = l->count; c > 0; c--) {
		if (l->columns[c - 1]->show == which)
			leave_out(l, c - 1);
	}
}

static void fit(struct layout *l)
{
	if (squeezed_width(l, READABLE_TEXT) > l->style->width)
		drop_all(l, SHOW_IF_ALL);
	/* Names that can be read are worth more than a column that can be done without. */
	drop_columns(l, SHOW_IF_ROOM, READABLE_TEXT);
	drop_columns(l, SHOW_PREFERRED, LAYOUT_MIN_TEXT);
	for (size_t total = layout_width(l); total > l->style->width; total--) {
		size_t widest = widest_text(l);

		if (widest == l->count)
			return;
		l->widths[widest]--;
	}
}

/* Where later rows were not looked at, one of them may have something. */
static void drop_empty(struct layout *l, const bool *has_any)
{
	const struct table *t = l->table;

	if (!t->drops_empty || t->rows == 0 || t->rows > MEASURED_ROWS)
		return;
	for (size_t c = l->count; c > 0; c--) {
		if (!has_any[c - 1])
			remove_column(l, c - 1);
	}
}

void layout_measure(struct layout *l)
{
	bool *has_any = mem_zalloc(l->count, sizeof(*has_any));

	for (size_t c = 0; c < l->count; c++)
		l->widths[c] = text_width(str_of(l->columns[c]->title));
	for (uint64_t i = 0; i < l->table->rows && i < MEASURED_ROWS; i++) {
		layout_read_row(l, i);
		measure_row(l, has_any);
	}
	drop_empty(l, has_any);
	free(has_any);
	if (l->style->width > 0)
		fit(l);
}
