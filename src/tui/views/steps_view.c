/* How long did each step take? */
#include "tui/views/table_view.h"

static int open_view(struct app *a, struct view *v, struct err *e)
{
	return table_view_open(a, v, "iters", "iterations", e);
}

/* The timeline, at the chosen step. */
static int show_step(struct app *a, struct view *v, struct err *e)
{
	const struct table_pane *p = &table_view(v)->pane;
	const uint64_t row = table_pane_chosen(p);
	struct selection step = {.kind = SELECTED_TIME};

	if (row == UINT64_MAX)
		return 0;
	step.span = (struct span){table_cell(p->table, row, "from_ns").i,
				  table_cell(p->table, row, "to_ns").i};
	return app_go_to_own(a, step.span, step, e);
}

static int request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		   struct err *e)
{
	return r == REQUEST_OPEN ? show_step(a, v, e) : table_view_request(a, v, r, k, e);
}

const struct view_kind view_steps = {
	.name = "steps", .open = open_view, .request = request, TABLE_VIEW};
