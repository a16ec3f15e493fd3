/* Which keys are there in this view? */
#include "tui/help.h"

#include "base/mem.h"

#include <stdlib.h>

struct help {
	int first; /* the line that is at the top */
	int lines, shown;
};

static void scroll(struct help *h, int by)
{
	h->first += by;
	if (h->first > h->lines - h->shown)
		h->first = h->lines - h->shown;
	if (h->first < 0)
		h->first = 0;
}

static int key(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	struct help *h = o->state;

	(void)e;
	switch (k->code) {
	case K_UP:
	case K_WHEEL_UP:
	case 'k':
		scroll(h, -1);
		return 0;
	case K_DOWN:
	case K_WHEEL_DOWN:
	case 'j':
		scroll(h, 1);
		return 0;
	case K_PAGE_UP:
		scroll(h, -h->shown);
		return 0;
	case K_PAGE_DOWN:
	case ' ':
		scroll(h, h->shown);
		return 0;
	case K_HOME:
		scroll(h, -h->lines);
		return 0;
	case K_END:
		scroll(h, h->lines);
		return 0;
	default:
		return keymap_find(&a->keymap, a->current, k) == REQUEST_HELP ? OVERLAY_CLOSES
									      : OVERLAY_PASSES;
	}
}

static int widest_keys(const struct app *a)
{
	SCOPED_BUF keys = {0};
	size_t widest = 0;

	for (enum request r = 1; r < REQUEST_COUNT; r++) {
		buf_clear(&keys);
		keymap_add_keys(&keys, &a->keymap, r, a->current);
		if (keys.len > widest)
			widest = keys.len;
	}
	return (int)widest;
}

static void draw_line(struct canvas *c, struct area in, int row, struct str keys, int width,
		      const char *text)
{
	if (row < in.row || row >= in.row + in.rows)
		return;
	canvas_put_padded(c, row, in.col, width, keys,
			  (struct look){.ink = ROLE_HEAD, .marks = LOOK_BOLD});
	canvas_put_padded(c, row, in.col + width + 2, in.cols - width - 2, str_of(text),
			  LOOK_PLAIN);
}

/* What is this view's own comes first: the rest is the same everywhere. */
static void draw_lines(struct app *a, struct help *h, struct canvas *c, struct area in, int width,
		       bool own)
{
	SCOPED_BUF keys = {0};

	for (enum request r = 1; r < REQUEST_COUNT; r++) {
		buf_clear(&keys);
		keymap_add_keys(&keys, &a->keymap, r, a->current);
		if (!keys.len || (request_text(r)->views != EVERY_VIEW) != own)
			continue;
		draw_line(c, in, in.row + h->lines++ - h->first, buf_str(&keys), width,
			  request_text(r)->help);
	}
}

/* What colours stand for, or letters where there are none. */
static void draw_legend(struct app *a, struct help *h, struct canvas *c, struct area in)
{
	const struct view_kind *v = app_view(a)->kind;
	const char *rows = NULL;
	struct legend l;

	for (size_t i = 0; v->legend && v->legend(i, &l); i++) {
		const bool is_first = l.rows != rows;
		int row = in.row + h->lines + is_first - h->first;

		if (is_first && row - 1 >= in.row && row - 1 < in.row + in.rows)
			canvas_put(c, row - 1, in.col, in.cols, str_of(l.rows), LOOK(ROLE_HEAD));
		h->lines += 1 + is_first;
		rows = l.rows;
		if (row < in.row || row >= in.row + in.rows)
			continue;
		canvas_glyph(c, row, in.col + 2, c->mono || c->ascii ? (uint32_t)l.letter : 0x2588,
			     LOOK(l.role));
		canvas_put(c, row, in.col + 4, in.cols - 4, str_of(l.name), LOOK_PLAIN);
	}
}

static void draw(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	struct help *h = o->state;
	const struct area in = {area.row + 1, area.col + 2, area.rows - 2, area.cols - 4};
	const int all = widest_keys(a), width = all > in.cols / 3 ? in.cols / 3 : all;
	SCOPED_BUF title = {0};

	buf_addf(&title, " Keys of %s: Up and Down scroll, Escape closes ",
		 app_view(a)->kind->name);
	canvas_box(c, area, title.s);
	h->shown = in.rows;
	h->lines = 0;
	draw_lines(a, h, c, in, width, true);
	draw_lines(a, h, c, in, width, false);
	draw_legend(a, h, c, in);
	scroll(h, 0);
}

static void close_help(struct overlay *o)
{
	free(o->state);
}

static const struct overlay_kind overlay_help = {
	.draw = draw,
	.key = key,
	.close = close_help,
};

void help_show(struct app *a)
{
	app_push(a, &overlay_help, mem_zalloc(1, sizeof(struct help)));
}
