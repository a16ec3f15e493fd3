/* What is known of the picked event? */
#include "tui/timeline/details_text.h"
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"
#include "text/text.h"
#include "tui/commands.h"
#include "tui/loading.h"

#include <stdlib.h>

enum { LABEL_WIDTH = 14, BOX_MOST = 100 };

/* Lines of text over the view. */
struct details {
	struct buf text; /* as details_add() writes it */
	size_t top;
	bool is_long; /* there is more below what was last shown */
};

/* Where lines go: those before `top` are above the box. */
struct pen {
	struct canvas *canvas;
	struct area in;
	size_t top, line;
};

static void put(struct pen *p, int col, struct str text, struct look look)
{
	if (p->line >= p->top && p->line - p->top < (size_t)p->in.rows)
		canvas_put(p->canvas, p->in.row + (int)(p->line - p->top), p->in.col + col,
			   p->in.cols - col, text, look);
}

/* As many lines as the value needs. */
static void put_value(struct pen *p, int col, struct str value, struct look look)
{
	const int room = p->in.cols - col;

	do {
		struct str fits = text_fit(value, room > 1 ? (size_t)room : 2);

		fits.len = fits.len ? fits.len : value.len;
		put(p, col, fits, look);
		value.s += fits.len;
		value.len -= fits.len;
		p->line++;
	} while (value.len);
}

static void put_line(struct pen *p, struct str line)
{
	const char *tab = memchr(line.s, '\t', line.len);
	const size_t label = tab ? (size_t)(tab - line.s) : 0;

	if (!tab) {
		put_value(p, 0, line, (struct look){.marks = LOOK_BOLD});
		return;
	}
	put(p, 0, (struct str){line.s, label}, LOOK(ROLE_DIM));
	put_value(p, LABEL_WIDTH, (struct str){tab + 1, line.len - label - 1}, LOOK_PLAIN);
}

static void put_all(struct pen *p, struct str rest)
{
	while (rest.len) {
		const char *end = memchr(rest.s, '\n', rest.len);
		const size_t len = end ? (size_t)(end - rest.s) : rest.len;

		put_line(p, (struct str){rest.s, len});
		rest.s += len + (end != NULL);
		rest.len -= len + (end != NULL);
	}
}

static void draw_details(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	struct details *d = o->state;
	const int cols = area.cols > BOX_MOST ? BOX_MOST : area.cols - 2;
	const struct area box = {area.row + 1, area.col + (area.cols - cols) / 2, area.rows - 2,
				 cols};
	const struct area in = {box.row + 1, box.col + 2, box.rows - 2, box.cols - 4};
	struct pen counting = {c, in, SIZE_MAX, 0}, pen = {c, in, d->top, 0};

	(void)a;
	put_all(&counting, buf_str(&d->text));
	d->is_long = counting.line > d->top + (size_t)(in.rows > 0 ? in.rows : 0);
	canvas_box(c, box,
		   d->is_long || d->top ? "details: Up and Down scroll, Enter closes"
					: "details: Enter closes");
	put_all(&pen, buf_str(&d->text));
}

static int key_details(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	struct details *d = o->state;

	(void)e;
	if (k->code == K_DOWN)
		d->top += d->is_long;
	else if (k->code == K_UP)
		d->top -= d->top > 0;
	else if (k->code == ':')
		commands_ask(a);
	else
		return 1;
	return 0;
}

static void close_details(struct overlay *o)
{
	struct details *d = o->state;

	buf_free(&d->text);
	free(d);
}

static const struct overlay_kind details_kind = {
	.draw = draw_details, .key = key_details, .close = close_details};

static int open_facts(struct app *a, void *ctx, struct err *e)
{
	struct timeline_state *s = ctx;

	return facts_open(&s->facts, s->set, a->ncu, e);
}

int timeline_facts(struct app *a, struct timeline_state *s, struct err *e)
{
	return s->facts ? 0 : loading_run(a, "joining events", open_facts, s, e);
}

static int describe(struct app *a, struct timeline_state *s, struct buf *b, struct err *e)
{
	const struct lane_event event = picked_event(s);
	struct event_facts x;
	int result;

	if (timeline_facts(a, s, e) < 0)
		return -1;
	result = facts_find(s->facts, &s->set->all[s->picked.track], &event, &x, e);
	if (result == 0)
		details_add(b, &x, a->window);
	event_facts_free(&x);
	return result;
}

int details_show(struct app *a, struct timeline_state *s, struct err *e)
{
	SCOPED_BUF text = {0};
	struct details *d;

	if (!s->picked.any) {
		app_say(a, "no event is selected: Tab selects one");
		return 0;
	}
	if (describe(a, s, &text, e) < 0)
		return -1;
	d = mem_zalloc(1, sizeof(*d));
	d->text = text;
	text = (struct buf){0};
	app_push(a, &details_kind, d);
	return 0;
}
