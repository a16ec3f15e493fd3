/* What went on when? */
#include "tui/app.h"

static int open_view(struct app *a, struct view *v, struct err *e)
{
	(void)a;
	(void)v;
	(void)e;
	return 0;
}

static void draw(struct app *a, struct view *v, struct canvas *c, struct area area)
{
	(void)a;
	(void)v;
	canvas_put(c, area.row, area.col, area.cols, str_of("the timeline"), LOOK_PLAIN);
}

static int request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		   struct err *e)
{
	(void)a;
	(void)v;
	(void)k;
	(void)e;
	return r == REQUEST_CLOSE ? 0 : 1;
}

static void close_view(struct app *a, struct view *v)
{
	(void)a;
	(void)v;
}

const struct view_kind view_timeline = {
	.name = "timeline",
	.open = open_view,
	.draw = draw,
	.request = request,
	.close = close_view,
};
