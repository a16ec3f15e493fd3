/* What does a typed command do? */
#include "tui/commands.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/output.h"
#include "options/option.h"
#include "report/report.h"
#include "tui/duration.h"
#include "tui/export_part.h"
#include "tui/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct typed {
	const char *name;
	const char *value; /* what it takes, for help */
	int (*run)(struct app *a, const char *value, struct err *e);
	bool writes_screen; /* with what was said last */
};

/* The moment comes to the middle of the window; +10ms is from its start on. */
static int run_goto(struct app *a, const char *value, struct err *e)
{
	struct selection found = {.kind = SELECTED_TIME};
	int64_t at_ns, half_ns;

	if (duration_parse(value, &at_ns, e) < 0)
		return -1;
	if (*value == '+')
		at_ns = sat_add(at_ns, a->window.start_ns);
	at_ns = at_ns < a->limits.start_ns ? a->limits.start_ns : at_ns;
	at_ns = at_ns > a->limits.end_ns ? a->limits.end_ns : at_ns;
	half_ns = sat_sub(a->window.end_ns, a->window.start_ns) / 2;
	found.span = (struct span){at_ns, at_ns};
	if (app_go_to(a, (struct span){sat_sub(at_ns, half_ns), sat_add(at_ns, half_ns)}, &found,
		      e) < 0)
		return -1;
	a->selection.kind = SELECTED_NONE;
	return 0;
}

static int run_trim(struct app *a, const char *value, struct err *e)
{
	struct scope s = a->scope;
	SCOPED char *first = mem_strdup(value);
	char *second = strchr(first, ' ');

	s.has_iteration = s.in_iteration = s.has_trim = false;
	if (*value) {
		if (!second)
			return err_set(e, ERR_USAGE, "trim takes two times: trim 1.5s 2s");
		*second++ = '\0';
		if (duration_parse(first, &s.from_ns, e) < 0 ||
		    duration_parse(second, &s.to_ns, e) < 0)
			return -1;
		if (s.to_ns <= s.from_ns)
			return err_set(e, ERR_USAGE, "trim ends before it begins");
		s.has_trim = true;
	}
	return app_set_scope(a, &s, e);
}

static int run_iteration(struct app *a, const char *value, struct err *e)
{
	struct scope s = app_capture(a)->scope;
	struct selection found = {.kind = SELECTED_TIME};
	struct report notes = {0};
	int result;

	if (option_parse_number("iteration", value, 0, UINT32_MAX, "the number of a step",
				&s.iteration, e) < 0)
		return -1;
	s.has_iteration = true;
	s.has_trim = false;
	result = iteration_window(a->trace, &s, false, &notes, e);
	report_free(&notes);
	found.span = (struct span){s.from_ns, s.to_ns};
	return result < 0 ? -1 : app_go_to_own(a, found.span, found, e);
}

/* A view that has nothing to show of it stays where it was. */
static int use_capture(struct app *a, size_t capture, struct err *e)
{
	const size_t before = a->capture;
	struct view *timeline = &a->views[VIEW_TIMELINE];
	struct err ignored = {0};

	app_use_capture(a, capture);
	if (app_show(a, a->current, e) < 0) {
		app_use_capture(a, before);
		a->quit = app_show(a, a->current, &ignored) < 0;
		return -1;
	}
	if (timeline->is_open && timeline->kind->use_capture)
		timeline->kind->use_capture(a, timeline);
	return 0;
}

static int run_trace(struct app *a, const char *value, struct err *e)
{
	const struct traces *t = a->traces;
	SCOPED_BUF names = {0};

	for (size_t i = 0; i < t->count && t->count > 1; i++) {
		if (t->all[i].is_asked && strcmp(t->all[i].name, value) == 0)
			return use_capture(a, i, e);
		buf_addf(&names, "%s%s", i ? ", " : "", t->all[i].name);
	}
	if (t->count == 1)
		return err_set(e, ERR_USAGE, "there is one trace alone");
	err_set(e, ERR_USAGE, "no trace is called '%s'", value);
	return err_hint(e, "%s", names.s);
}

static int run_export(struct app *a, const char *value, struct err *e)
{
	if (*value && access(value, F_OK) == 0)
		return err_set(e, ERR_USAGE, "'%s' is there already: name another file", value);
	return export_part(a, value, e);
}

static int run_search(struct app *a, const char *value, struct err *e)
{
	struct view *v = app_view(a);

	if (!v->kind->search)
		return err_set(e, ERR_USAGE, "%s cannot be searched", v->kind->name);
	return v->kind->search(a, v, value, e);
}

static int write_screen(struct app *a, const char *path, bool looks, bool overwrites, struct err *e)
{
	SCOPED_BUF text = {0};

	if (!*path)
		return err_set(e, ERR_USAGE, "name a file: write screen.txt");
	if (!overwrites && access(path, F_OK) == 0)
		return err_set(e, ERR_USAGE, "'%s' is there already: write! overwrites it", path);
	for (size_t i = 0; i < a->traces->count; i++) {
		if (output_spare_trace(path, a->traces->all[i].trace->path, e) < 0)
			return -1;
	}
	app_draw(a);
	canvas_write(&a->canvas, &text);
	if (looks)
		canvas_write_looks(&a->canvas, &text);
	if (file_write(path, buf_str(&text), e) < 0)
		return -1;
	app_say(a, "wrote %s", path);
	return 0;
}

static int run_write(struct app *a, const char *value, struct err *e)
{
	return write_screen(a, value, false, false, e);
}

static int run_write_looks(struct app *a, const char *value, struct err *e)
{
	return write_screen(a, value, true, true, e);
}

static int run_overwrite(struct app *a, const char *value, struct err *e)
{
	return write_screen(a, value, false, true, e);
}

static int run_quit(struct app *a, const char *value, struct err *e)
{
	(void)value;
	(void)e;
	a->quit = true;
	return 0;
}

static const struct typed commands[] = {
	{"goto", "TIME", run_goto, false},
	{"trim", "[FROM TO]", run_trim, false},
	{"iteration", "N", run_iteration, false},
	{"trace", "NAME", run_trace, false},
	{"search", "TEXT", run_search, false},
	{"export", "FILE", run_export, false},
	{"write", "FILE", run_write, true},
	{"write!", "FILE", run_overwrite, true},
	{"write-looks", "FILE", run_write_looks, true},
	{"q", "", run_quit, false},
	{"quit", "", run_quit, false},
};

static const char *name_at(size_t i)
{
	return i < ARRAY_LEN(commands) ? commands[i].name : NULL;
}

static int refuse(struct str name, struct err *e)
{
	SCOPED_BUF all = {0};

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		buf_addf(&all, "%s%s%s%s", i ? ", " : "", commands[i].name,
			 *commands[i].value ? " " : "", commands[i].value);
	err_set(e, ERR_USAGE, "there is no command '%.*s'", STR_FMT(name));
	return err_hint(e, "%s", all.s);
}

int commands_run(struct app *a, const char *line, struct err *e)
{
	const struct str all = str_trimmed(str_of(line));
	struct str name = {all.s, 0}, value;
	SCOPED char *text = NULL;

	while (name.len < all.len && !str_is_space(name.s[name.len]))
		name.len++;
	value = str_trimmed((struct str){all.s + name.len, all.len - name.len});
	text = mem_zalloc(value.len + 1, 1);
	if (value.len)
		memcpy(text, value.s, value.len);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (!str_eq(name, str_of(commands[i].name)))
			continue;
		if (!commands[i].writes_screen)
			buf_clear(&a->message);
		return commands[i].run(a, text, e);
	}
	return name.len ? refuse(name, e) : 0;
}

static int answer(struct app *a, struct view *v, const char *text, struct err *e)
{
	(void)v;
	return commands_run(a, text, e);
}

void commands_ask(struct app *a)
{
	struct prompt *p = mem_zalloc(1, sizeof(*p));

	*p = (struct prompt){.label = ":",
			     .done = answer,
			     .keeps_message = true,
			     .history = &a->history,
			     .word_at = name_at};
	prompt_show(a, p);
}
