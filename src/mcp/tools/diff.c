/* diff: did it get faster, and because of what? */
#include "mcp/call.h"
#include "mcp/work.h"

enum { MOST_RUNS = 16 };

static int add_file(struct call *c, const char *name, struct err *e)
{
	const char *path;

	if (call_find_file(c, name, &path, e) < 0)
		return -1;
	string_list_add(&c->inv.words, path);
	return 0;
}

/* The run that the argument `one` names, then those of `more`. */
static int add_side(struct call *c, const char *one, const char *more, struct err *e)
{
	const struct json *others = json_read_member(c->arguments, more);

	if (add_file(c, argument_text(c->arguments, one), e) < 0)
		return -1;
	for (size_t i = 0; others && i < json_read_length(others); i++) {
		if (add_file(c, json_read_string(json_read_element(others, i)).s, e) < 0)
			return -1;
	}
	return 0;
}

static int set_option(struct call *c, const char *name, struct err *e)
{
	const char *value = argument_text(c->arguments, name);

	if (!value)
		return 0;
	call_reproduce_add(c, arena_printf(&c->arena, "--%s=%s", name, value));
	return group_set(c->inv.spec->options, c->inv.args, "diff", name, value, e);
}

static int set_options(struct call *c, struct err *e)
{
	return set_option(c, "by", e) < 0 || set_option(c, "tolerance", e) < 0 ? -1 : 0;
}

static void reproduce_words(struct call *c, size_t before)
{
	for (size_t i = 0; i < c->inv.words.count; i++) {
		if (i == before)
			call_reproduce_add(c, "--");
		call_reproduce_add(c, c->inv.words.all[i]);
	}
}

static int run(struct call *c, struct err *e)
{
	size_t before;

	call_begin(c, "diff", command_find("diff"), NULL);
	c->inv.input = (struct input_args){.exported_only = true, .stop = work_stop()};
	call_reproduce(c, "diff", NULL);
	if (set_options(c, e) < 0 || add_side(c, "before", "more_before", e) < 0)
		return -1;
	before = c->inv.words.count;
	if (add_side(c, "trace", "more_traces", e) < 0)
		return -1;
	c->inv.words_after = c->inv.words.count - before;
	reproduce_words(c, before);
	return c->inv.spec->answer(&c->inv, e);
}

static const char *const views[] = {"row",  "class", "range", "kernel",	 "category", "host",
				    "kind", "run",   "step",  "finding", NULL};

static const struct tool_param params[] = {
	{.type = PARAM_TEXT,
	 .name = "trace",
	 .is_required = true,
	 .help = "The trace of the run after the change, below the roots."},
	{.type = PARAM_TEXT,
	 .name = "before",
	 .is_required = true,
	 .help = "The trace of the run before it."},
	{.type = PARAM_TEXTS,
	 .name = "more_traces",
	 .least = 0,
	 .most = MOST_RUNS,
	 .help = "Traces of further runs after the change: without some the verdict is mostly "
		 "\"cannot tell\", since runs of one program differ."},
	{.type = PARAM_TEXTS,
	 .name = "more_before",
	 .least = 0,
	 .most = MOST_RUNS,
	 .help = "The same before it."},
	{.type = PARAM_TEXT, .name = "by", .words = views, .help = "Show the change by this."},
	{.type = PARAM_TEXT,
	 .name = "tolerance",
	 .help = "Changes of up to so many percent are none; \"2\" unless said."},
	PARAM_CURSOR,
	PARAM_LAST(),
};

const struct mcp_tool tool_diff = {
	.name = "diff",
	.title = "Compare runs",
	.description = "Compares runs before and after a change: did a step get faster, by how "
		       "much, because of what, and how sure is that. The changes of rows add up "
		       "to that of the step.",
	.params = params,
	.next = "call trace_info without `trace`: it lists the traces that can be compared",
	.run = run,
};
