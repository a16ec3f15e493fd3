/* Lines of text over a view. */
#include "tui/text_box.h"

#include "base/mem.h"
#include "text/text.h"

#include <stdlib.h>

enum { LABEL_WIDTH = 14, BOX_MOST = 100 };

/* Lines of text over the view. */
struct text_box {
	const char *title;
	struct buf text;
	size_t top;
	bool is_long; /* there is more than was last shown */
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

static void draw(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	struct text_box *d = o->state;
	const int cols = area.cols > BOX_MOST ? BOX_MOST : area.cols - 2;
	struct area box = {area.row + 1, area.col + (area.cols - cols) / 2, area.rows - 2, cols};
	struct area in = {box.row + 1, box.col + 2, box.rows - 2, box.cols - 4};
	struct pen counting = {c, in, SIZE_MAX, 0}, pen = {c, in, d->top, 0};
	SCOPED_BUF title = {0};

	(void)a;
	put_all(&counting, buf_str(&d->text));
	if (counting.line < (size_t)(in.rows > 0 ? in.rows : 0)) {
		in.rows = (int)counting.line;
		box.rows = in.rows + 2;
	}
	d->is_long = counting.line > d->top + (size_t)(in.rows > 0 ? in.rows : 0);
	buf_addf(&title, "%s: %sEnter closes", d->title,
		 d->is_long || d->top ? "Up and Down scroll, " : "");
	canvas_box(c, box, title.s);
	put_all(&pen, buf_str(&d->text));
}

static int key(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	struct text_box *d = o->state;

	(void)a;
	(void)e;
	if (k->code == K_DOWN)
		d->top += d->is_long;
	else if (k->code == K_UP)
		d->top -= d->top > 0;
	else
		return OVERLAY_PASSES;
	return OVERLAY_TAKEN;
}

static void close_box(struct overlay *o)
{
	struct text_box *d = o->state;

	buf_free(&d->text);
	free(d);
}

static const struct overlay_kind kind = {.draw = draw, .key = key, .close = close_box};

void text_box_show(struct app *a, const char *title, struct str text)
{
	struct text_box *d = mem_zalloc(1, sizeof(*d));

	d->title = title;
	buf_addstr(&d->text, text);
	app_push(a, &kind, d);
}
