/* What does a view do that shows a table? */
#include "tui/views/table_view.h"

#include "base/mem.h"

#include <stdlib.h>

int table_view_open(struct app *a, struct view *v, const char *analysis, const char *table,
		    struct err *e)
{
	struct table_view *t = mem_zalloc(1, sizeof(*t));
	const struct table *found;
	int result = answer_make(&t->answer, app_capture(a), analysis, NULL, e);

	if (result == 0) {
		found = report_find_table(&t->answer.report, table);
		if (found)
			table_pane_make(&t->pane, found, &t->answer.report);
		else
			result = err_set(e, ERR_INPUT, "the trace has no %s", table);
	}
	v->state = t;
	if (result < 0)
		table_view_close(a, v);
	return result;
}

/* The whole name of the chosen kernel, which rows have no room for. */
static void draw_name(const struct table_pane *p, struct canvas *c, struct area area)
{
	const uint64_t row = table_pane_chosen(p);
	struct cell name;

	for (int col = 0; col < area.cols; col++)
		canvas_glyph(c, area.row, area.col + col, 0x2500, LOOK(ROLE_HEAD));
	if (row == UINT64_MAX)
		return;
	name = table_cell(p->table, row, p->table->columns[0].key);
	if (name.kind == CELL_TEXT)
		canvas_put_wrapped(c, area, area.row + 1, name.s, LOOK_PLAIN);
}

void table_view_draw(struct app *a, struct view *v, struct canvas *c, struct area area)
{
	enum { NAME_ROWS = 4, LEAST_ROWS = 14 };
	struct table_view *t = table_view(v);
	const bool names = t->pane.table->columns[0].unit == UNIT_KERNEL && area.rows >= LEAST_ROWS;
	const int rows = area.rows - 1 - (names ? NAME_ROWS : 0);

	(void)a;
	canvas_put_padded(c, area.row, area.col, area.cols, str_of(answer_heading(&t->answer)),
			  LOOK(ROLE_DIM));
	table_pane_draw(&t->pane, c, (struct area){area.row + 1, area.col, rows, area.cols});
	if (names)
		draw_name(&t->pane, c,
			  (struct area){area.row + 1 + rows, area.col, NAME_ROWS, area.cols});
}

int table_view_request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		       struct err *e)
{
	return table_pane_request(&table_view(v)->pane, a, r, k, e);
}

void table_view_status(struct app *a, struct view *v, struct buf *b)
{
	(void)a;
	table_pane_status(&table_view(v)->pane, b);
}

int table_view_search(struct app *a, struct view *v, const char *text, struct err *e)
{
	(void)a;
	return table_pane_filter(&table_view(v)->pane, text, e);
}

void table_view_close(struct app *a, struct view *v)
{
	struct table_view *t = table_view(v);

	(void)a;
	table_pane_free(&t->pane);
	answer_free(&t->answer);
	free(t);
	v->state = NULL;
}
