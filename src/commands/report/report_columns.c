/* Which columns of a table say nothing to people? */
#include "base/mem.h"
#include "commands/report/report_parts.h"
#include "report/cell_text.h"

#include <stdlib.h>

/* Also what is so little that people see 0.0% of it. */
static bool is_nothing(const struct table *t, const struct column *column, const struct cell *c)
{
	SCOPED_BUF shown = {0};

	if (c->kind == CELL_NULL)
		return true;
	if (c->kind == CELL_TEXT)
		return false;
	cell_add_shown(&shown, t, column, c);
	return strcspn(shown.s, "123456789") == shown.len;
}

/* What counts or measures; 0 of these is none of it. An identifier or a point in time may be 0. */
static bool is_amount(const struct column *c)
{
	return c->unit != UNIT_ID && c->unit != UNIT_TIME_NS && c->unit != UNIT_BOOL;
}

/* What tells rows apart, or does not; but the list of processes has what each is known by. */
static bool is_place(const struct table *t, const struct column *c)
{
	if (strcmp(c->key, "pid") == 0)
		return t->rows == t->total_rows && strcmp(t->name, "processes") != 0;
	if (strcmp(c->key, "tid") == 0)
		return t->rows == t->total_rows && strcmp(t->name, "code") == 0;
	return strcmp(c->key, "device") == 0;
}

static bool is_same(const struct cell *a, const struct cell *b)
{
	return a->kind == b->kind && (a->kind != CELL_INT || a->i == b->i);
}

/* All that could be known is. */
static bool is_all(const struct column *column, const struct cell *c)
{
	return strcmp(column->key, "launched_pct") == 0 && c->kind == CELL_REAL && c->r == 100;
}

/* What each column would be left out for, as far as the rows that were seen tell. */
static void look_at(const struct table *t, bool *drops, struct cell *first, struct cell *cells)
{
	for (uint64_t i = 0; i < t->rows; i++) {
		t->row(t->ctx, i, cells);
		for (size_t c = 0; c < t->column_count; c++) {
			const struct column *column = &t->columns[c];

			if (i == 0)
				first[c] = cells[c];
			if (is_place(t, column))
				drops[c] &= is_same(&first[c], &cells[c]);
			else
				drops[c] &= is_all(column, &cells[c]) ||
					    (is_amount(column) && is_nothing(t, column, &cells[c]));
		}
	}
}

/* Names of which there is nothing at all say that: then all of the nothing stays. */
static bool leaves_figures(const struct table *t, const bool *drops)
{
	for (size_t c = 0; c < t->column_count; c++) {
		const struct column *column = &t->columns[c];

		if (!drops[c] && column->show != MACHINE_ONLY && column->unit != UNIT_NAME &&
		    column->unit != UNIT_KERNEL)
			return true;
	}
	return false;
}

void view_drop_columns(struct report *view, struct table *t)
{
	struct column *columns = arena_alloc(&view->arena, t->column_count, sizeof(*columns));
	struct cell *cells = mem_zalloc(2 * t->column_count, sizeof(*cells));
	bool *drops = mem_alloc(t->column_count, sizeof(*drops));

	memcpy(columns, t->columns, t->column_count * sizeof(*columns));
	memset(drops, true, t->column_count * sizeof(*drops));
	look_at(t, drops, cells + t->column_count, cells);
	for (size_t c = 0; t->rows && c < t->column_count; c++) {
		if (drops[c] && (is_place(t, &columns[c]) || leaves_figures(t, drops)))
			columns[c].show = MACHINE_ONLY;
	}
	t->columns = columns;
	free(drops);
	free(cells);
}
