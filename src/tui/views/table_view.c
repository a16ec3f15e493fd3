/* What does a view do that shows a table? */
#include "tui/views/table_view.h"

#include "base/mem.h"

#include <stdlib.h>

int table_view_open(struct app *a, struct view *v, const char *analysis, const char *table,
		    struct err *e)
{
	struct table_view *t = mem_zalloc(1, sizeof(*t));
	const struct table *found;
	int result = answer_make(&t->answer, a, analysis, e);

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

void table_view_draw(struct app *a, struct view *v, struct canvas *c, struct area area)
{
	struct table_view *t = table_view(v);

	(void)a;
	canvas_put_padded(c, area.row, area.col, area.cols, str_of(answer_heading(&t->answer)),
			  LOOK(ROLE_DIM));
	table_pane_draw(&t->pane, c,
			(struct area){area.row + 1, area.col, area.rows - 1, area.cols});
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
