/* What does a skill say of a trace? */
#include "commands/skills/skill.h"

#include "base/mem.h"
#include "commands/query/query_run.h"
#include "text/nearest.h"

#include <stdlib.h>

/* "key=value" cut in two. */
struct setting {
	char *key;
	const char *value;
};

static struct setting cut(const char *text)
{
	struct setting s = {.key = mem_strdup(text)};
	char *equals = strchr(s.key, '=');

	*equals = '\0';
	s.value = text + (equals - s.key) + 1;
	return s;
}

/* A flag of the command that makes it do something else than the analysis is no parameter. */
static int refuse_option(const struct analysis *a, const char *name, struct err *e)
{
	const struct command *c = command_find(a->name);
	const struct option_parts own = {.count = 1, .all = {{c ? c->options : NULL, NULL}}};

	if (!c || !c->options || !parts_find(&own, name, strlen(name)))
		return 0;
	err_set(e, ERR_USAGE, "%s is not a parameter of the skill %s: it prints something else",
		name, a->name);
	return err_hint(e, "use gpuwhy %s --%s", a->name, name);
}

static int set_options(struct invocation *inv, const struct analysis *a, struct err *e)
{
	const struct skill_args *told = inv->args;
	struct row_choice *rows =
		inv->asked ? args_part(a->options, inv->asked, &limit_options) : NULL;
	const uint64_t most = told->rows.has_limit ? told->rows.limit : 0; /* --max-rows */
	int result = 0;

	for (size_t i = 0; i < told->params.count && result == 0; i++) {
		struct setting s = cut(told->params.all[i]);

		result = refuse_option(a, s.key, e);
		if (result == 0)
			result = inv->asked ? group_set(a->options, inv->asked, a->name, s.key,
							s.value, e)
					    : err_set(e, ERR_USAGE, "%s has no parameter '%s'",
						      a->name, s.key);
		free(s.key);
	}
	if (rows && told->rows.has_limit)
		rows->has_limit = true;
	if (rows && most && (!rows->limit || rows->limit > most))
		rows->limit = most;
	return result < 0 || !inv->asked ? result : args_check(a->options, inv->asked, a->name, e);
}

static int run_analysis(struct invocation *inv, const struct analysis *a, struct err *e)
{
	inv->analysis = a;
	inv->asked = a->options ? mem_zalloc(1, a->options->size) : NULL;
	if (inv->asked)
		args_init(a->options, inv->asked);
	inv->report.command = a->name;
	if (set_options(inv, a, e) < 0 || invocation_check_format(inv, a->is_tree, e) < 0)
		return -1;
	invocation_default_limit(inv);
	if (invocation_open_trace(inv, e) < 0)
		return -1;
	return analysis_run(a, inv->trace, inv->asked, &inv->report, e);
}

/* The values of a skill's parameters: defaults, and what -p says. */
struct values {
	const struct skill_file *file;
	struct sql_value *all;
	bool *known;
};

static int unknown_param(const struct skill_file *f, const char *key, struct err *e)
{
	struct nearest n = {key, NULL, strlen(key) / 3 + 2};

	for (size_t i = 0; i < f->param_count; i++)
		nearest_try(&n, f->params[i].name);
	err_set(e, ERR_USAGE, "%s has no parameter '%s'", f->name, key);
	if (n.found)
		return err_hint(e, "did you mean '%s'?", n.found);
	return err_hint(e, "gpuwhy skill info %s lists them", f->name);
}

static int set_value(struct values *v, const char *key, const char *value, struct err *e)
{
	const struct skill_file *f = v->file;
	const struct skill_param *p = skill_file_param(f, key);
	size_t i;

	if (!p)
		return unknown_param(f, key, e);
	i = (size_t)(p - f->params);
	if (!skill_value(p->type, str_of(value), &v->all[i]))
		return err_set(e, ERR_USAGE, "%s takes %s for '%s', not '%s'", f->name,
			       skill_type_help(p->type), key, value);
	v->known[i] = true;
	return 0;
}

static int set_values(struct values *v, const struct string_list *told, struct err *e)
{
	const struct skill_file *f = v->file;
	int result = 0;

	for (size_t i = 0; i < f->param_count; i++) {
		v->all[i] = f->params[i].value;
		v->known[i] = f->params[i].has_default;
	}
	for (size_t i = 0; i < told->count && result == 0; i++) {
		struct setting s = cut(told->all[i]);

		result = set_value(v, s.key, s.value, e);
		free(s.key);
	}
	for (size_t i = 0; i < f->param_count && result == 0; i++) {
		if (v->known[i])
			continue;
		err_set(e, ERR_USAGE, "%s needs the parameter '%s': %s", f->name, f->params[i].name,
			f->params[i].help ? f->params[i].help : skill_type_help(f->params[i].type));
		result = err_hint(e, "gpuwhy skill run %s TRACE -p %s=VALUE", f->name,
				  f->params[i].name);
	}
	return result;
}

static int bind(void *ctx, struct sql_query *q, struct err *e)
{
	const struct values *v = ctx;

	for (size_t i = 0; i < sql_parameter_count(q); i++) {
		const char *name = sql_parameter_name(q, i);
		const struct skill_param *p = name ? skill_file_param(v->file, name) : NULL;

		if (!p)
			return err_set(e, ERR_INPUT, "%s: parameter %zu has no known name",
				       v->file->name, i + 1);
		if (sql_bind(q, i, &v->all[p - v->file->params], e) < 0)
			return -1;
	}
	return 0;
}

static struct query_job make_job(struct invocation *inv, struct values *v)
{
	const struct skill_file *f = v->file;

	return (struct query_job){
		.where = f->path ? f->path : f->name,
		.text = f->text,
		.shape = {.name = arena_strdup(&inv->report.arena, f->name),
			  .limit = query_row_limit(inv),
			  .said = f->columns,
			  .said_count = f->column_count},
		.timeout_s = skill_args(inv)->timeout_s,
		.bind = bind,
		.ctx = v,
	};
}

/* `stop` NULL: for the command line, which names the trace. */
static int run_values(struct invocation *inv, struct values *v, bool (*stop)(void), struct err *e)
{
	const struct query_job job = make_job(inv, v);

	if (invocation_check_format(inv, false, e) < 0 ||
	    set_values(v, &skill_args(inv)->params, e) < 0 ||
	    (!stop && invocation_open_trace(inv, e) < 0))
		return -1;
	report_heading(&inv->report, "%s: %s", v->file->name, v->file->summary);
	return stop ? query_answer(inv->trace, &inv->report, &job, stop, e)
		    : query_run_file(inv, &job, e);
}

int skill_answer_file(struct invocation *inv, const struct skill_file *f, bool (*stop)(void),
		      struct err *e)
{
	struct values v = {.file = f};
	int result;

	v.all = mem_zalloc(f->param_count + 1, sizeof(*v.all));
	v.known = mem_zalloc(f->param_count + 1, sizeof(*v.known));
	result = run_values(inv, &v, stop, e);
	free(v.all);
	free(v.known);
	return result;
}

/* Nobody is in a hurry: an answer in words waits for its rows. */
static bool goes_on(void)
{
	return false;
}

int skill_answer_shipped(const char *name, struct trace *t, struct report *r, struct err *e)
{
	struct skill_args args = {.rows = {.has_limit = true}};
	struct invocation inv = {
		.spec = command_find("skill"), .args = &args, .trace = t, .report = *r};
	struct skill_set s;
	int result;

	skill_set_read_shipped(&s);
	result = skill_answer_file(&inv, skill_set_file(&s, name), goes_on, e);
	*r = inv.report;
	skill_set_free(&s);
	return result;
}

int skill_run(struct invocation *inv, const struct skill *s, struct err *e)
{
	return s->analysis ? run_analysis(inv, s->analysis, e)
			   : skill_answer_file(inv, s->file, NULL, e);
}
