/* gpuwhy timeline and gpuwhy tui: the trace in the terminal. */
#include "base/mem.h"
#include "base/progress.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "commands/shown.h"
#include "tui/app.h"
#include "tui/terminal/screen.h"
#include "tui/terminal/script.h"

#include <stdio.h>
#include <stdlib.h>

struct tui_args {
	struct shown_args shown;
	const char *script, *bookmarks, *at;
	int cols, rows; /* of the script's screen */
	bool ascii, mono, no_mouse, keys;
};

static int write_keys(struct err *e)
{
	struct keymap map;
	struct output out;
	SCOPED_BUF text = {0};
	int result;

	keymap_make(&map);
	result = keymap_read_user(&map, e);
	keymap_write(&map, &text);
	keymap_free(&map);
	if (result < 0 || output_open(&out, NULL, e) < 0)
		return -1;
	result = out.sink.write(out.sink.ctx, text.s, text.len);
	return output_close(&out, result == 0, e);
}

/* The keys of the table: a manual page is not one user's. */
static bool key_at(size_t i, struct buf *keys, struct buf *text)
{
	const enum request r = (enum request)(i + 1);
	struct keymap map;

	if (r >= REQUEST_COUNT)
		return false;
	keymap_make(&map);
	keymap_add_keys(keys, &map, r, VIEW_COUNT);
	keymap_add_help(text, r);
	keymap_free(&map);
	return true;
}

static int open_terminal(const struct tui_args *o, struct terminal **ret, struct err *e)
{
	const char *no_colour = getenv("NO_COLOR");
	const bool mono = o->mono || (no_colour && *no_colour);
	int result;

	if (!o->script)
		return screen_open(ret, o->ascii, mono, !o->no_mouse, e);
	result = script_open(ret, o->script, o->cols ? o->cols : 80, o->rows ? o->rows : 24, e);
	(*ret)->ascii = o->ascii;
	(*ret)->mono = mono;
	return result;
}

static void close_terminal(const struct tui_args *o, struct terminal *t)
{
	if (o->script)
		script_close(t);
	else
		screen_close(t);
}

static int run_app(const struct tui_args *o, struct shown *s, enum view_id first, struct err *e)
{
	struct terminal *terminal = NULL;
	struct app app = {0};
	int result = open_terminal(o, &terminal, e);

	if (result == 0) {
		result = app_open(&app, &s->traces, &o->shown.scope, terminal, e);
		app.ncu = s->ncu;
		app.comm = o->shown.comm.comm;
		if (result == 0 && (o->bookmarks || !o->script))
			result = app_read_bookmarks(&app, o->bookmarks, e);
		if (result == 0 && o->at)
			result = app_begin_at(&app, o->at, e);
		if (result == 0)
			result = app_run(&app, first, e);
		app_close(&app);
	}
	close_terminal(o, terminal);
	return result;
}

static int run(struct invocation *inv, enum view_id first, struct err *e)
{
	const struct tui_args *o = inv->args;
	struct shown s;
	int result;

	if (o->keys)
		return write_keys(e);
	if (!inv->words.count)
		return invocation_open_trace(inv, e);
	if ((!o->script && screen_check(inv->command, e) < 0) ||
	    invocation_settle_words(inv, 0, e) < 0)
		return -1;
	result = shown_open(&s, inv, &o->shown, e);
	if (result == 0 && s.compares)
		result = traces_align_sides(&s.traces, e);
	for (size_t i = 0; result == 0 && i < s.traces.count; i++) {
		struct trace *t = s.traces.all[i].trace;

		t->uses_cache = t->keeps_answers = true;
	}
	if (result == 0) {
		progress_watch();
		result = run_app(o, &s, first, e);
	}
	shown_close(&s);
	return result;
}

static int run_timeline(struct invocation *inv, struct err *e)
{
	return run(inv, VIEW_TIMELINE, e);
}

static int run_tui(struct invocation *inv, struct err *e)
{
	return run(inv, VIEW_TREE, e);
}

static int set_size(void *args, const char *name, const char *value, struct err *e)
{
	struct tui_args *a = args;
	char rest;

	if (sscanf(value, "%4dx%4d%c", &a->cols, &a->rows, &rest) != 2 || a->cols < 1 ||
	    a->rows < 1 || a->cols > 1000 || a->rows > 1000)
		return option_bad_value(name, value, "COLUMNSxROWS, such as 120x40", e);
	return 0;
}

static int check(const void *args, const char *command, struct err *e)
{
	const struct tui_args *a = args;

	(void)command;
	if (a->cols && !a->script)
		return err_set(e, ERR_USAGE, "--size is for --script: a terminal has its own");
	return 0;
}

static const struct option_group tui_options = {
	.options =
		(const struct option[]){
			OPT_INCLUDE(struct tui_args, shown, struct shown_args, shown_options),
			OPT_FILE("script", struct tui_args, script, "FILE", "a file name",
				 ACCESS_READS, "press the keys in FILE, without a terminal"),
			OPT_CUSTOM("size", "COLSxROWS", set_size,
				   "size of the script's screen (default 80x24)"),
			OPT_FILE("bookmarks", struct tui_args, bookmarks, "FILE", "a file name",
				 ACCESS_WRITES, "read and write bookmarks there, for a colleague"),
			OPT_TEXT("at", struct tui_args, at, "PLACE", "a place",
				 "begin at a place that Y in the timeline told"),
			OPT_FLAG("ascii", struct tui_args, ascii, "draw with ASCII alone"),
			OPT_FLAG("mono", struct tui_args, mono, "no colours, as with NO_COLOR"),
			OPT_FLAG("no-mouse", struct tui_args, no_mouse,
				 "leave the mouse to the terminal"),
			OPT_FLAG("keys", struct tui_args, keys, "print all keys and exit"),
			OPT_END(),
		},
	.size = sizeof(struct tui_args),
	.check = check,
};

const struct command command_timeline = {
	.name = "timeline",
	.operand = "TRACE…",
	.summary = "GPUs, streams, ranges and calls over time, in the terminal",
	.detail = "Needs a terminal; F1 shows the keys, q leaves. Several traces are shown as one "
		  "job; A -- B are two runs, whose first warm steps begin together; either may be "
		  "a job.",
	.example = "gpuwhy timeline trace.sqlite --trim 1.5 2.0",
	.options = &tui_options,
	.common = COMMON_TRACE,
	.has_words = true,
	.has_sides = true,
	.own_format = true,
	.key_at = key_at,
	.run = run_timeline,
};

const struct command command_tui = {
	.name = "tui",
	.operand = "TRACE…",
	.summary = "NVTX ranges with their GPU work as a tree, in the terminal",
	.detail = "Needs a terminal; F1 shows the keys, q leaves.",
	.example = "gpuwhy tui trace.sqlite --iteration 3",
	.options = &tui_options,
	.common = COMMON_TRACE,
	.has_words = true,
	.has_sides = true,
	.own_format = true,
	.key_at = key_at,
	.run = run_tui,
};
