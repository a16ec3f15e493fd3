/* Which kernels take the time? */
#include "base/mem.h"
#include "tui/views/table_view.h"

static int open_view(struct app *a, struct view *v, struct err *e)
{
	return table_view_open(a, v, "kernels", "kernels", e);
}

/* The timeline, with all launches of the chosen kernel marked. */
static int show_launches(struct app *a, struct view *v, struct err *e)
{
	const struct table_pane *p = &table_view(v)->pane;
	const uint64_t row = table_pane_chosen(p);
	struct view *timeline = &a->views[VIEW_TIMELINE];
	SCOPED_BUF name = {0};

	if (row == UINT64_MAX)
		return 0;
	/* As it is: names have signs that mean something in a pattern. */
	buf_adds(&name, "\\Q");
	buf_addstr(&name, table_cell(p->table, row, "kernel").s);
	buf_adds(&name, "\\E");
	if (app_jump(a, VIEW_TIMELINE, a->window, e) < 0)
		return -1;
	return timeline->kind->search ? timeline->kind->search(a, timeline, buf_str(&name).s, e)
				      : 0;
}

static int request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		   struct err *e)
{
	return r == REQUEST_OPEN ? show_launches(a, v, e) : table_view_request(a, v, r, k, e);
}

const struct view_kind view_kernels = {
	.name = "kernels", .open = open_view, .request = request, TABLE_VIEW};
