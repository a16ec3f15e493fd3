/* What is around the view: its name and the others above it, its status and messages below? */
#include "tui/app.h"

#include "text/units.h"

enum { NAME_COLS = 24 }; /* that a trace's name is worth */

/* What the top line calls a view, from col on; how many columns that takes. */
static int add_tab(struct buf *b, const struct app *a, int view)
{
	buf_clear(b);
	buf_addf(b, " F%d %s ", view + 2, a->views[view].kind->name);
	return (int)b->len;
}

bool frame_tab_at(const struct app *a, int col, enum view_id *ret)
{
	SCOPED_BUF name = {0};
	int at = 1;

	for (int i = 0; i < VIEW_COUNT; i++) {
		const int end = at + add_tab(&name, a, i);

		if (col >= at && col < end) {
			*ret = (enum view_id)i;
			return true;
		}
		at = end;
	}
	return false;
}

static void draw_tabs(struct app *a)
{
	struct canvas *c = &a->canvas;
	const struct look plain = {.ink = ROLE_STATUS, .marks = LOOK_REVERSE};
	const struct look chosen = {.ink = ROLE_STATUS, .marks = LOOK_BOLD};
	SCOPED_BUF name = {0};
	int col = 1;

	canvas_fill(c, (struct area){0, 0, 1, c->cols}, plain);
	for (int i = 0; i < VIEW_COUNT; i++) {
		add_tab(&name, a, i);
		col += canvas_put(c, 0, col, c->cols - col, buf_str(&name),
				  i == (int)a->current ? chosen : plain);
	}
	buf_clear(&name);
	if (c->cols - col > NAME_COLS)
		buf_addf(&name, "%s ",
			 a->traces->count > 1 ? app_capture(a)->name
					      : str_last_part(a->trace->path));
	buf_adds(&name, " F1 help ");
	if (c->cols - col > (int)name.len || c->cols - col > NAME_COLS)
		canvas_put_right(c, 0, col + 1, c->cols - col - 1, buf_str(&name), plain);
}

/* "1.204 s + 3.51 ms": when the window begins, and how long it is. */
static void add_window(struct buf *b, struct span w)
{
	units_add_time(b, w.start_ns);
	buf_adds(b, " + ");
	units_add_ns(b, (double)sat_sub(w.end_ns, w.start_ns));
	buf_addc(b, ' ');
}

static void draw_status(struct app *a)
{
	struct canvas *c = &a->canvas;
	struct view *v = app_view(a);
	const struct look plain = {.ink = ROLE_STATUS, .marks = LOOK_REVERSE};
	SCOPED_BUF left = {0};
	SCOPED_BUF right = {0};
	int used;

	buf_addc(&left, ' ');
	if (a->message.len)
		buf_addstr(&left, buf_str(&a->message));
	else if (v->kind->status)
		v->kind->status(a, v, &left);
	/* Tables have the times of their capture's own clock. */
	if (!a->message.len && a->current != VIEW_TIMELINE && app_capture(a)->shift_ns) {
		buf_adds(&left, ", times: add ");
		units_add_ns(&left, (double)app_capture(a)->shift_ns);
		buf_adds(&left, " for the timeline's");
	}
	canvas_fill(c, (struct area){c->rows - 1, 0, 1, c->cols}, plain);
	if (a->message.len) {
		canvas_put_padded(c, c->rows - 1, 0, c->cols, buf_str(&left),
				  a->message_is_error
					  ? (struct look){.ink = ROLE_ERROR, .marks = LOOK_BOLD}
					  : (struct look){.ink = ROLE_STATUS, .marks = LOOK_BOLD});
		return;
	}
	used = canvas_put(c, c->rows - 1, 0, c->cols, buf_str(&left), plain);
	add_window(&right, a->window);
	if (c->cols - used > 30)
		canvas_put_right(c, c->rows - 1, used + 1, c->cols - used - 1, buf_str(&right),
				 plain);
}

static void draw_overlays(struct app *a, struct overlay *o, struct area area)
{
	if (!o)
		return;
	draw_overlays(a, o->below, area);
	o->kind->draw(a, o, &a->canvas, area);
}

void app_draw(struct app *a)
{
	struct canvas *c = &a->canvas;
	const struct area area = {1, 0, c->rows > 2 ? c->rows - 2 : 0, c->cols};

	canvas_clear(c);
	app_view(a)->kind->draw(a, app_view(a), c, area);
	draw_tabs(a);
	draw_status(a);
	draw_overlays(a, a->overlay, area);
}
