/* skill_run: what does an analysis, or a skill of SQL, say of a trace? */
#include "cli/named_analysis.h"
#include "commands/skills/skill.h"
#include "mcp/call.h"
#include "mcp/work.h"
#include "text/decimal.h"
#include "text/units.h"

#include <inttypes.h>

enum { MOST_SECONDS = 20, FEW_ROWS = 10 };

/* A value as an option takes it; false: it is none. */
static bool add_value(struct buf *b, const struct json *v)
{
	int64_t whole;

	switch (json_read_kind(v)) {
	case JSON_KIND_TEXT:
		buf_addstr(b, json_read_string(v));
		return !memchr(json_read_string(v).s, '\0', json_read_string(v).len);
	case JSON_KIND_NUMBER:
		if (json_read_whole(v, &whole))
			decimal_add_int(b, whole);
		else
			units_add_real(b, json_read_number(v));
		return true;
	case JSON_KIND_BOOL:
		buf_adds(b, json_read_is_true(v) ? "true" : "false");
		return true;
	default:
		return false;
	}
}

/* Sets a parameter, by its name, to a text that lives as long as the call. */
typedef int set_fn(struct call *c, const char *name, const char *value, struct err *e);

static int refuse_value(const char *name, const struct json *v, struct err *e)
{
	return err_set(e, ERR_USAGE,
		       "the parameter %s takes a text, a number, true or false, or an array of "
		       "these, not %s",
		       name, json_read_kind_name(v));
}

/* [1.5, 2.5] of a window is its two values; of an option that may be given again, each. */
static int set_array(struct call *c, const char *name, const struct json *v, bool joins,
		     set_fn *set, struct err *e)
{
	SCOPED_BUF text = {0};

	for (size_t i = 0; i < json_read_length(v); i++) {
		if (joins && i)
			buf_addc(&text, ',');
		if (!add_value(&text, json_read_element(v, i)))
			return refuse_value(name, json_read_element(v, i), e);
		if (joins)
			continue;
		if (set(c, name, arena_strdup(&c->arena, buf_str(&text).s), e) < 0)
			return -1;
		buf_clear(&text);
	}
	return joins ? set(c, name, arena_strdup(&c->arena, buf_str(&text).s), e) : 0;
}

static bool is_list(const struct call *c, const char *name)
{
	const struct analysis *a = c->inv.analysis;
	const struct option_parts parts = {.count = 1, .all = {{a ? a->options : NULL, NULL}}};
	const struct option *o = a && a->options ? parts_find(&parts, name, strlen(name)) : NULL;

	return o && o->type == OPTION_LIST;
}

static int set_params(struct call *c, set_fn *set, struct err *e)
{
	const struct json *params = c->arguments ? json_read_member(c->arguments, "params") : NULL;
	struct json_member m = {0};

	while (params && json_read_next(params, &m)) {
		const char *name = arena_str(&c->arena, m.key).s;
		SCOPED_BUF text = {0};

		if (json_read_kind(m.value) == JSON_KIND_ARRAY) {
			if (set_array(c, name, m.value, !is_list(c, name), set, e) < 0)
				return -1;
			continue;
		}
		if (!add_value(&text, m.value))
			return refuse_value(name, m.value, e);
		if (set(c, name, arena_strdup(&c->arena, buf_str(&text).s), e) < 0)
			return -1;
	}
	return 0;
}

/* "-p limit=5": what a person would type. */
static void reproduce_param(struct call *c, const char *name, const char *value)
{
	call_reproduce_add(c, "-p");
	call_reproduce_add(c, arena_printf(&c->arena, "%s=%s", name, value));
}

static int set_option(struct call *c, const char *name, const char *value, struct err *e)
{
	reproduce_param(c, name, value);
	return named_analysis_set(&c->inv, name, value, e);
}

static int set_sql_param(struct call *c, const char *name, const char *value, struct err *e)
{
	struct skill_args *a = c->inv.args;

	(void)e;
	reproduce_param(c, name, value);
	string_list_add(&a->params, arena_printf(&c->arena, "%s=%s", name, value));
	return 0;
}

/* People are shown few rows unless they say how many. */
static void reproduce_rows(struct call *c)
{
	const struct report *r = &c->inv.report;
	uint64_t most = 0;

	for (size_t i = 0; i < r->block_count; i++) {
		const struct table *t = r->blocks[i].table;

		if (t && t->rows > most)
			most = t->rows;
	}
	if (c->limits_rows && most > FEW_ROWS)
		reproduce_param(c, "limit", arena_printf(&c->arena, "%" PRIu64, most));
}

static int run_analysis(struct call *c, const struct analysis *a, struct err *e)
{
	int result;

	call_begin(c, a->name, NULL, a);
	if (set_params(c, set_option, e) < 0 ||
	    (c->inv.asked && args_check(a->options, c->inv.asked, a->name, e) < 0))
		return -1;
	result = call_run_analysis(c, e);
	reproduce_rows(c);
	return result;
}

static int run_file(struct call *c, const struct skill_file *f, struct err *e)
{
	struct skill_args *a;
	struct open_trace *t;
	int result;

	call_begin(c, "skill", command_find("skill"), NULL);
	a = c->inv.args;
	a->timeout_s = MOST_SECONDS;
	a->rows = (struct row_choice){.has_limit = true, .limit = call_rows(c)};
	if (set_params(c, set_sql_param, e) < 0 || call_open_trace(c, NULL, &t, e) < 0)
		return -1;
	c->inv.trace = open_trace_of(t);
	result = skill_answer_file(&c->inv, f, work_stop(), e);
	c->inv.trace = NULL;
	return result;
}

static int run(struct call *c, struct err *e)
{
	static const struct string_list none = {0};
	const char *name = argument_text(c->arguments, "skill");
	struct skill_set s;
	struct skill found;
	int result;

	skill_set_read(&s, &none);
	call_reproduce(c, "skill", "run", name, call_trace_word(c), NULL);
	result = skill_set_find(&s, name, &found, e);
	if (result == 0)
		c->next = arena_printf(&c->arena,
				       "call skill_list with skill \"%s\": it lists its parameters",
				       name);
	if (result == 0)
		result = found.analysis ? run_analysis(c, found.analysis, e)
					: run_file(c, found.file, e);
	skill_set_free(&s);
	return result;
}

static const struct tool_param params[] = {
	PARAM_TRACE,
	{.type = PARAM_TEXT,
	 .name = "skill",
	 .is_required = true,
	 .help = "Its name, as skill_list has it: findings, kernels, idle, iters, nccl, memory, …"},
	{.type = PARAM_OPTIONS,
	 .name = "params",
	 .help = "Its parameters: those of most skills are described here, skill_list lists all."},
	PARAM_CURSOR,
	PARAM_LAST(),
};

const struct mcp_tool tool_skill_run = {
	.name = "skill_run",
	.title = "Run a skill",
	.description = "Runs one analysis on a trace, with its parameters. `findings` tells what "
		       "costs time and why; `summary` where the time went; `kernels`, `nvtx`, "
		       "`iters`, `idle`, `nccl`, `overlap`, `memory`, … the details. Parameters "
		       "that name files are refused.",
	.params = params,
	.next = "call skill_list with `query`, words of what you look for: it lists skills and "
		"their parameters",
	.run = run,
};
