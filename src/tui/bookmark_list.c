/* Which bookmarks are there? */
#include "tui/bookmark_list.h"

#include "base/mem.h"
#include "text/units.h"
#include "tui/list.h"

#include <stdlib.h>

static int64_t middle(struct span s)
{
	return s.start_ns + sat_sub(s.end_ns, s.start_ns) / 2;
}

int bookmark_set(struct app *a, struct err *e)
{
	struct view *v = app_view(a);
	struct bookmark one = {.at_ns = middle(a->window), .window = a->window};

	if (v->kind->mark)
		v->kind->mark(a, v, &one);
	bookmarks_add(&a->bookmarks, &one);
	free(one.row);
	free(one.kernel);
	free(one.range);
	app_say(a, "bookmark set, one of %zu: ' lists them", a->bookmarks.count);
	return bookmarks_write(&a->bookmarks, a->window, e);
}

static int go_to(struct app *a, size_t i, struct err *e)
{
	struct selection found = {.kind = SELECTED_TIME};
	const struct bookmark *one;

	if (i >= a->bookmarks.count) {
		app_say(a, "there are %zu bookmarks: B sets one", a->bookmarks.count);
		return 0;
	}
	one = &a->bookmarks.all[i];
	found.span = (struct span){one->at_ns, one->at_ns};
	link_free(&a->link);
	a->link.row = mem_strdup(one->row);
	if (app_go_to(a, one->window, &found, e) < 0)
		return -1;
	app_say(a, "bookmark %zu of %zu", i + 1, a->bookmarks.count);
	return 0;
}

int bookmark_cycle(struct app *a, bool back, struct err *e)
{
	const struct bookmarks *b = &a->bookmarks;
	const int64_t now = a->selection.kind ? a->selection.span.start_ns : middle(a->window);
	size_t i = 0;

	if (!b->count)
		return go_to(a, 0, e);
	if (back) {
		while (i < b->count && b->all[i].at_ns < now)
			i++;
		return go_to(a, i ? i - 1 : b->count - 1, e);
	}
	while (i < b->count && b->all[i].at_ns <= now)
		i++;
	return go_to(a, i < b->count ? i : 0, e);
}

static int remove_chosen(struct app *a, struct list *l, struct err *e)
{
	if (l->chosen >= a->bookmarks.count)
		return 0;
	bookmarks_remove(&a->bookmarks, l->chosen);
	return bookmarks_write(&a->bookmarks, a->window, e);
}

/* The list goes before the jump, whose view may show something else over itself. */
static int leave_to(struct app *a, size_t i, struct err *e)
{
	app_pop(a);
	return go_to(a, i, e);
}

static int key(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	struct list *l = o->state;

	l->count = a->bookmarks.count;
	if (k->code >= '1' && k->code <= '9')
		return leave_to(a, k->code - '1', e);
	switch (k->code) {
	case K_ENTER:
		return leave_to(a, l->chosen, e);
	case K_UP:
	case K_DOWN:
		list_request(l, k->code == K_UP ? REQUEST_UP : REQUEST_DOWN, k);
		return 0;
	case K_DELETE:
		return remove_chosen(a, l, e);
	default:
		return k->code == '\'' ? OVERLAY_CLOSES : OVERLAY_PASSES;
	}
}

static void draw_row(const struct app *a, struct canvas *c, struct area at, size_t i, bool chosen)
{
	const struct bookmark *one = &a->bookmarks.all[i];
	SCOPED_BUF text = {0};

	buf_addf(&text, "%2zu  ", i + 1);
	units_add_time(&text, one->at_ns);
	buf_addf(&text, "  %s  %s  %s", one->row, one->kernel, one->range);
	canvas_put_padded(c, at.row, at.col, at.cols, buf_str(&text),
			  LOOK(chosen ? ROLE_CURSOR : ROLE_PLAIN));
}

static void draw(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	struct list *l = o->state;
	const struct area in = {area.row + 1, area.col + 2, area.rows - 2, area.cols - 4};

	canvas_box(c, area, " Bookmarks: 1-9 or Enter goes there, Delete removes, Escape closes ");
	l->count = a->bookmarks.count;
	list_place(l, in.row, in.rows);
	for (size_t i = 0; i < list_shown(l); i++)
		draw_row(a, c, (struct area){in.row + (int)i, in.col, 1, in.cols}, l->first + i,
			 l->first + i == l->chosen);
	if (!l->count)
		canvas_put(c, in.row, in.col, in.cols,
			   str_of("none yet: B in the timeline sets one"), LOOK(ROLE_DIM));
}

static void close_list(struct overlay *o)
{
	free(o->state);
}

static const struct overlay_kind overlay_bookmarks = {
	.draw = draw,
	.key = key,
	.close = close_list,
};

void bookmark_list_show(struct app *a)
{
	app_push(a, &overlay_bookmarks, mem_zalloc(1, sizeof(struct list)));
}
