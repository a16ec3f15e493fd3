/* What does a key do, and what is on the screen after it? */
#include "tui/app.h"

#include "base/mem.h"
#include "text/text.h"
#include "tui/bookmark_list.h"
#include "tui/commands.h"
#include "tui/help.h"
#include "tui/loading.h"
#include "tui/text_box.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct view_kind *const kinds[VIEW_COUNT] = {
	[VIEW_TIMELINE] = &view_timeline, [VIEW_TREE] = &view_tree,
	[VIEW_KERNELS] = &view_kernels,	  [VIEW_FINDINGS] = &view_findings,
	[VIEW_STEPS] = &view_steps,
};

enum { SHORTEST_NS = 8 };

static int ask_traces(struct app *a, void *asked, struct err *e)
{
	return traces_ask(a->traces, asked, e);
}

/* The first capture that has what was asked for is the current one, if that has it not. */
static int set_scope(struct app *a, const struct scope *s, struct err *e)
{
	struct scope asked = *s;

	if (loading_run(a, "the capture", ask_traces, &asked, e) < 0)
		return -1;
	if (a->traces->left_out)
		app_say(a, "not shown: %s", a->traces->left_out);
	else if (a->traces->clock == CLOCK_STARTS)
		app_say(a, "these captures share no moment: each begins at 0");
	else if (a->traces->clock == CLOCK_STEPS)
		app_say(a, "two runs, aligned at the %s", a->traces->aligned_at);
	a->scope = asked;
	a->limits = traces_span(a->traces);
	if (a->limits.end_ns < a->limits.start_ns)
		a->limits = (struct span){0, SHORTEST_NS};
	a->window = a->limits;
	a->selection = (struct selection){0};
	for (size_t i = 0; i < a->traces->count && !app_capture(a)->is_asked; i++)
		app_use_capture(a, i);
	return 0;
}

void app_resize(struct app *a)
{
	int cols, rows;

	a->terminal->kind->size(a->terminal, &cols, &rows);
	if (cols != a->canvas.cols || rows != a->canvas.rows || !a->canvas.cells)
		canvas_make(&a->canvas, cols, rows);
}

int app_open(struct app *a, struct traces *t, const struct scope *s, struct terminal *terminal,
	     struct err *e)
{
	*a = (struct app){.traces = t, .trace = t->all[0].trace, .terminal = terminal};
	a->canvas.ascii = terminal->ascii;
	a->canvas.mono = terminal->mono;
	for (size_t i = 0; i < VIEW_COUNT; i++)
		a->views[i].kind = kinds[i];
	keymap_make(&a->keymap);
	a->watched = watch_begin(t);
	for (size_t i = 0; i < t->count; i++)
		trace_set_stop(t->all[i].trace, loading_is_given_up);
	app_resize(a);
	return keymap_read_user(&a->keymap, e) < 0 ? -1 : set_scope(a, s, e);
}

int app_read_bookmarks(struct app *a, const char *path, struct err *e)
{
	struct span window = SPAN_NONE;

	a->bookmarks.path = path ? mem_strdup(path) : bookmarks_path(a->traces);
	a->bookmarks.keeps_window = !path;
	if (bookmarks_read(&a->bookmarks, &window, e) < 0) {
		if (path)
			return -1;
		/* Nobody asked for it: it is told, and left as it is for whoever wants to mend it.
		 */
		bookmarks_free(&a->bookmarks);
		app_say_error(a, e);
	}
	if (window.end_ns > window.start_ns && !scope_is_part(&a->scope))
		app_set_window(a, window);
	return 0;
}

int app_begin_at(struct app *a, const char *link, struct err *e)
{
	if (link_parse(&a->link, link, e) < 0)
		return err_wrap(e, "--at");
	if (a->link.unknown) {
		SCOPED_BUF name = {0};

		link_add_escaped(&name, a->link.unknown);
		app_say(a, "--at: nothing is known of '%s'", buf_str(&name).s);
	}
	if (a->link.window.end_ns > a->link.window.start_ns)
		app_set_window(a, a->link.window);
	if (a->link.has_selection)
		a->selection = (struct selection){.kind = SELECTED_TIME, .span = a->link.selection};
	return 0;
}

static void save_view(struct app *a, struct view *v)
{
	SCOPED_BUF words = {0};

	if (!v->is_open || !v->kind->save)
		return;
	v->kind->save(a, v, &words);
	bookmarks_keep_view(&a->bookmarks, v->kind->name, buf_str(&words).s);
}

/* When it is opened again it is as it was. */
static void close_view(struct app *a, struct view *v)
{
	save_view(a, v);
	if (v->is_open)
		v->kind->close(a, v);
	v->is_open = false;
}

void app_close(struct app *a)
{
	while (a->overlay)
		app_pop(a);
	for (size_t i = 0; i < VIEW_COUNT; i++)
		close_view(a, &a->views[i]);
	keymap_free(&a->keymap);
	buf_free(&a->message);
	for (size_t i = 0; i < a->history.count; i++)
		free((char *)a->history.all[i]);
	string_list_free(&a->history);
	bookmarks_free(&a->bookmarks);
	canvas_free(&a->canvas);
	free(a->watched);
	link_free(&a->link);
}

void app_say(struct app *a, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_clear(&a->message);
	buf_adds(&a->message, text);
	a->message_is_error = false;
}

void app_say_error(struct app *a, const struct err *e)
{
	app_say(a, "%s%s%s", e->message, e->hint[0] ? ": " : "", e->hint);
	a->message_is_error = true;
}

/* What a key has asked for and did not get: where the line has no room for it, it is told whole. */
static void explain_error(struct app *a, const struct err *e)
{
	SCOPED_BUF safe = {0};

	app_say_error(a, e);
	if ((int)text_width(buf_str(&a->message)) < a->canvas.cols)
		return;
	text_add_safe(&safe, str_of(e->message));
	if (e->hint[0]) {
		buf_adds(&safe, "\n\nhint\t");
		text_add_safe(&safe, str_of(e->hint));
	}
	text_box_show(a, "message", buf_str(&safe));
}

void app_set_window(struct app *a, struct span w)
{
	const int64_t most = sat_sub(a->limits.end_ns, a->limits.start_ns);
	int64_t length = sat_sub(w.end_ns, w.start_ns);

	if (length < SHORTEST_NS)
		length = SHORTEST_NS;
	if (length > most)
		length = most;
	if (w.start_ns > sat_sub(a->limits.end_ns, length))
		w.start_ns = sat_sub(a->limits.end_ns, length);
	if (w.start_ns < a->limits.start_ns)
		w.start_ns = a->limits.start_ns;
	a->window = (struct span){w.start_ns, sat_add(w.start_ns, length)};
}

static int open_view(struct app *a, void *view, struct err *e)
{
	struct view *v = view;
	const char *words = bookmarks_view(&a->bookmarks, v->kind->name);

	if (v->kind->open(a, v, e) < 0)
		return -1;
	if (words && v->kind->restore)
		v->kind->restore(a, v, words);
	return 0;
}

int app_show(struct app *a, enum view_id view, struct err *e)
{
	struct view *v = &a->views[view];

	if (!v->is_open && loading_run(a, v->kind->name, open_view, v, e) < 0)
		return -1;
	if (!v->is_open)
		v->has_more = v->kind->more != NULL;
	v->is_open = true;
	a->current = view;
	return 0;
}

/* What takes long is read piece by piece: keys are heard in between. */
static void go_on(struct app *a)
{
	struct view *v = app_view(a);
	struct err e = {0};
	const int more = v->kind->more(a, v, &e);

	v->has_more = more > 0;
	if (more < 0)
		app_say_error(a, &e);
}

void app_remember(struct app *a)
{
	if (a->place_count == APP_PLACES)
		memmove(a->places, a->places + 1, --a->place_count * sizeof(*a->places));
	a->places[a->place_count++] = (struct place){a->current, a->window, a->selection};
}

int app_jump(struct app *a, enum view_id view, struct span window, struct err *e)
{
	app_remember(a);
	if (app_show(a, view, e) < 0) {
		a->place_count--;
		return -1;
	}
	app_set_window(a, window);
	return 0;
}

int app_go_to(struct app *a, struct span window, const struct selection *what, struct err *e)
{
	struct view *v = &a->views[VIEW_TIMELINE];

	if (app_jump(a, VIEW_TIMELINE, window, e) < 0)
		return -1;
	a->selection = *what;
	if (v->kind->arrive)
		v->kind->arrive(a, v);
	return 0;
}

int app_go_to_own(struct app *a, struct span window, struct selection what, struct err *e)
{
	const int64_t shift_ns = app_capture(a)->shift_ns;

	what.capture = a->capture;
	what.span = span_shift(what.span, shift_ns);
	return app_go_to(a, span_shift(window, shift_ns), &what, e);
}

/* The timeline shows all of them. */
void app_use_capture(struct app *a, size_t capture)
{
	if (capture == a->capture)
		return;
	for (size_t i = 0; i < VIEW_COUNT; i++) {
		if (i != VIEW_TIMELINE)
			close_view(a, &a->views[i]);
	}
	a->capture = capture;
	a->trace = a->traces->all[capture].trace;
}

static int go_back(struct app *a, struct err *e)
{
	struct place p;

	if (!a->place_count) {
		app_say(a, "there was no jump to go back from");
		return 0;
	}
	p = a->places[--a->place_count];
	if (app_show(a, p.view, e) < 0)
		return -1;
	a->selection = p.selection;
	if (app_view(a)->kind->arrive)
		app_view(a)->kind->arrive(a, app_view(a));
	/* What is selected need not be seen. */
	app_set_window(a, p.window);
	return 0;
}

/* What views have read for the old one goes with them. */
static int open_anew(struct app *a, struct err *e)
{
	/* What lies over a view may hold what is the view's. */
	while (a->overlay)
		app_pop(a);
	for (size_t i = 0; i < VIEW_COUNT; i++)
		close_view(a, &a->views[i]);
	return app_show(a, a->current, e);
}

int app_set_scope(struct app *a, const struct scope *s, struct err *e)
{
	const struct scope before = a->scope;
	const struct span window = a->window;
	const struct selection selection = a->selection;
	struct err ignored = {0};
	const bool is_set = set_scope(a, s, e) == 0;

	if (is_set)
		a->place_count = 0;
	if (is_set && open_anew(a, e) == 0)
		return 0;
	if (set_scope(a, &before, &ignored) < 0 || (is_set && open_anew(a, &ignored) < 0))
		a->quit = true;
	a->window = window;
	a->selection = selection;
	return -1;
}

void app_push(struct app *a, const struct overlay_kind *kind, void *state)
{
	struct overlay *o = mem_zalloc(1, sizeof(*o));

	*o = (struct overlay){kind, state, a->overlay};
	a->overlay = o;
}

void app_pop(struct app *a)
{
	struct overlay *o = a->overlay;

	a->overlay = o->below;
	if (o->kind->close)
		o->kind->close(o);
	free(o);
}

static void redraw(struct app *a)
{
	if (a->terminal->kind->redraw)
		a->terminal->kind->redraw(a->terminal);
}

static void suspend(struct app *a)
{
	if (a->terminal->kind->suspend)
		a->terminal->kind->suspend(a->terminal);
	else
		app_say(a, "there is no terminal to give back");
}

/* What any view may be asked for and does not do itself. */
static int own_request(struct app *a, enum request r, struct err *e)
{
	switch (r) {
	case REQUEST_HELP:
		help_show(a);
		return 0;
	case REQUEST_SHOW_TIMELINE:
		return app_show(a, VIEW_TIMELINE, e);
	case REQUEST_SHOW_TREE:
		return app_show(a, VIEW_TREE, e);
	case REQUEST_SHOW_KERNELS:
		return app_show(a, VIEW_KERNELS, e);
	case REQUEST_SHOW_FINDINGS:
		return app_show(a, VIEW_FINDINGS, e);
	case REQUEST_SHOW_STEPS:
		return app_show(a, VIEW_STEPS, e);
	case REQUEST_BACK:
		return go_back(a, e);
	case REQUEST_BOOKMARK:
		return bookmark_set(a, e);
	case REQUEST_BOOKMARKS:
		bookmark_list_show(a);
		return 0;
	case REQUEST_NEXT_BOOKMARK:
	case REQUEST_PREVIOUS_BOOKMARK:
		return bookmark_cycle(a, r == REQUEST_PREVIOUS_BOOKMARK, e);
	case REQUEST_COMMAND:
		commands_ask(a);
		return 0;
	case REQUEST_REDRAW:
		redraw(a);
		return 0;
	case REQUEST_SUSPEND:
		suspend(a);
		return 0;
	case REQUEST_QUIT:
		a->quit = true;
		return 0;
	default:
		return 1;
	}
}

static void say_unknown(struct app *a, const struct key_event *k)
{
	SCOPED_BUF text = {0};

	if (k->code == K_ESCAPE || key_is_mouse(k))
		return;
	key_add_name(&text, k);
	app_say(a, "%s does nothing here: F1 shows the keys", text.s);
}

static int view_key(struct app *a, const struct key_event *k, struct err *e)
{
	const enum request r = keymap_find(&a->keymap, a->current, k);
	struct view *v = app_view(a);
	enum view_id tab;
	int result;

	if (k->code == K_CLICK && k->row == 0 && frame_tab_at(a, k->col, &tab))
		return app_show(a, tab, e);
	result = r ? v->kind->request(a, v, r, k, e) : 1;

	if (result == 1 && r)
		result = own_request(a, r, e);
	if (result == 1)
		say_unknown(a, k);
	return result;
}

/* Keys that mean no more than that what is open shall close. */
static bool only_closes(const struct app *a, const struct key_event *k)
{
	return k->code == K_ENTER || k->code == K_ESCAPE || k->code == 'q' ||
	       keymap_find(&a->keymap, a->current, k) == REQUEST_CLOSE;
}

/* What lies on top gets its key first; it may have put something else there meanwhile. */
static int overlay_key(struct app *a, const struct key_event *k, struct err *e)
{
	struct overlay *o = a->overlay;
	const int result = o->kind->key(a, o, k, e);

	if (result == OVERLAY_PASSES && keymap_find(&a->keymap, a->current, k) == REQUEST_COMMAND) {
		commands_ask(a);
		return 0;
	}
	if (result == OVERLAY_PASSES && key_is_mouse(k) && k->code != K_CLICK)
		return 0;
	if (result > OVERLAY_TAKEN && a->overlay == o)
		app_pop(a);
	if (result != OVERLAY_PASSES || only_closes(a, k))
		return result < 0 ? -1 : 0;
	return a->overlay ? overlay_key(a, k, e) : view_key(a, k, e);
}

static void say_changed(struct app *a)
{
	SCOPED_BUF text = {0};

	if (!watch_tell(a->watched, a->traces, &text))
		return;
	app_say(a, "%s", text.s);
	a->message_is_error = true;
}

void app_key(struct app *a, const struct key_event *k)
{
	struct err e = {0};
	enum request r;
	int result;

	if (k->code == K_RESIZE || !k->code) {
		app_resize(a);
		return;
	}
	r = keymap_find(&a->keymap, a->current, k);
	/* What a drag has measured is still to be read when the button is let go. */
	if (!(a->overlay ? a->overlay->kind->keeps_message
			 : r == REQUEST_COMMAND || r == REQUEST_RELEASE))
		buf_clear(&a->message);
	if (r == REQUEST_REDRAW || r == REQUEST_SUSPEND)
		result = own_request(a, r, &e);
	else
		result = a->overlay ? overlay_key(a, k, &e) : view_key(a, k, &e);
	if (result < 0)
		explain_error(a, &e);
	else
		say_changed(a);
}

/* What was typed while something was loading comes first. */
static int next_key(struct app *a, struct key_event *ret, struct err *e)
{
	if (!a->typed_count)
		return a->terminal->kind->next(a->terminal, app_view(a)->has_more ? 0 : -1, ret, e);
	*ret = a->typed[0];
	memmove(a->typed, a->typed + 1, --a->typed_count * sizeof(*a->typed));
	return 1;
}

/* Where the user keeps it; that it cannot be kept costs nobody more than a few keys. */
static void keep_window(struct app *a)
{
	struct err ignored = {0};

	if (!a->bookmarks.keeps_window)
		return;
	for (size_t i = 0; i < VIEW_COUNT; i++)
		save_view(a, &a->views[i]);
	bookmarks_write(&a->bookmarks, a->window, &ignored);
}

int app_run(struct app *a, enum view_id first, struct err *e)
{
	int more = 1;

	if (app_show(a, first, e) < 0)
		return -1;
	while (more > 0 && !a->quit) {
		struct key_event k = {0};

		app_draw(a);
		a->terminal->kind->show(a->terminal, &a->canvas);
		more = next_key(a, &k, e);
		if (more > 0 && k.code)
			app_key(a, &k);
		else if (more > 0 && app_view(a)->has_more)
			go_on(a);
	}
	keep_window(a);
	return more < 0 ? -1 : 0;
}
