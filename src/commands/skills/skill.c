/* gpuwhy skill: questions by name, the program's and the user's own. */
#include "commands/skills/skill.h"

#include "base/mem.h"
#include "text/nearest.h"

static int list(struct invocation *inv, const char *const *words, struct err *e)
{
	struct skill_set s;

	(void)words;
	(void)e;
	skill_set_read(&s, &skill_args(inv)->paths);
	skill_set_check(&s);
	skill_list_report(&s, &inv->report);
	skill_set_free(&s);
	return 0;
}

/* With a trace it is run, without it is described. */
static int find_and_use(struct invocation *inv, const char *const *words, struct err *e)
{
	struct skill_set s;
	struct skill found;
	int result;

	inv->trace_path = words[1];
	skill_set_read(&s, &skill_args(inv)->paths);
	result = skill_set_find(&s, words[0], &found, e);
	if (result == 0 && words[1])
		result = skill_run(inv, &found, e);
	else if (result == 0)
		skill_info_report(&found, &inv->report);
	skill_set_free(&s);
	return result;
}

static const struct verb {
	const char *name, *takes;
	size_t least, most;
	int (*run)(struct invocation *inv, const char *const *words, struct err *e);
} verbs[] = {
	{"list", "", 0, 0, list},
	{"info", " NAME", 1, 1, find_and_use},
	{"run", " NAME TRACE", 2, 2, find_and_use},
	{"add", " FILE", 1, 1, skill_add},
	{"remove", " NAME", 1, 1, skill_remove},
	{"check", " FILE [TRACE]", 1, 2, skill_check},
};

/* Whether it runs a skill. */
static bool takes_trace(const struct verb *v)
{
	return v->least == 2;
}

const char *skill_verb_at(size_t i)
{
	return i < ARRAY_LEN(verbs) ? verbs[i].name : NULL;
}

/* "gpuwhy skill list | info NAME | …" */
static int hint_verbs(struct err *e)
{
	struct buf b = {0};

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		buf_addf(&b, "%s%s%s", i ? " | " : "", verbs[i].name, verbs[i].takes);
	err_hint(e, "gpuwhy skill %s", b.s);
	buf_free(&b);
	return -1;
}

static int find_verb(const struct string_list *o, const struct verb **ret, struct err *e)
{
	const char *word = o->count ? o->all[0] : "";
	struct nearest n = {word, NULL, 3};

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		*ret = &verbs[i];
		if (strcmp(word, verbs[i].name) == 0)
			return 0;
		nearest_try(&n, verbs[i].name);
	}
	if (!o->count)
		err_set(e, ERR_USAGE, "skill needs an action");
	else
		err_set(e, ERR_USAGE, "skill has no action '%s'", word);
	if (n.found && word[0])
		return err_hint(e, "did you mean 'skill %s'?", n.found);
	return hint_verbs(e);
}

static int check_words(const struct invocation *inv, const struct verb *v, struct err *e)
{
	const struct string_list *o = &inv->words;
	size_t words = o->count - 1;

	if (words < v->least)
		return err_set(e, ERR_USAGE, "missing argument: gpuwhy skill %s%s", v->name,
			       v->takes);
	if (words > v->most)
		return err_set(e, ERR_USAGE, "unexpected argument '%s': gpuwhy skill %s%s",
			       o->all[v->most + 1], v->name, v->takes);
	if (skill_args(inv)->params.count && !takes_trace(v))
		return err_set(e, ERR_USAGE, "-p applies to skill run");
	return 0;
}

static int run(struct invocation *inv, struct err *e)
{
	const struct string_list *o = &inv->words;
	const char *words[2] = {NULL, NULL};
	const struct verb *v;

	if (find_verb(o, &v, e) < 0 || check_words(inv, v, e) < 0)
		return -1;
	/* What a skill makes is known when it is run. */
	if (!takes_trace(v) && invocation_check_format(inv, false, e) < 0)
		return -1;
	for (size_t i = 1; i < o->count; i++)
		words[i - 1] = o->all[i];
	if (v->run(inv, words, e) < 0)
		return -1;
	return invocation_present(inv, e);
}

static int add_param(void *args, const char *name, const char *value, struct err *e)
{
	struct skill_args *a = args;
	const char *equals = strchr(value, '=');

	if (!equals || equals == value)
		return option_bad_value(name, value, "KEY=VALUE", e);
	string_list_add(&a->params, value);
	return 0;
}

/* An option of some analysis is a parameter here. */
static int explain_unknown(const char *name, const char *value, struct err *e)
{
	for (size_t i = 0; analysis_at(i); i++) {
		const struct option_parts p = {.count = 1,
					       .all = {{analysis_at(i)->options, NULL}}};
		const struct option *opt =
			p.all[0].group ? parts_find(&p, name, strlen(name)) : NULL;

		if (opt && opt->help)
			return err_hint(e, "use -p for parameters of a skill: -p %s=%s", name,
					!option_values(opt) ? "true"
					: value		    ? value
					: opt->value	    ? opt->value
							    : "VALUE");
	}
	return -1;
}

static void release(void *args)
{
	struct skill_args *a = args;

	string_list_free(&a->params);
}

static const struct option options[] = {
	{.type = OPTION_CUSTOM,
	 .name = "param",
	 .letter = 'p',
	 .value = "KEY=VALUE",
	 .set = add_param,
	 .help = "set a parameter of the skill; repeatable"},
	{.type = OPTION_COUNT,
	 .name = "max-rows",
	 .value = "N",
	 OPT_GIVEN(struct skill_args, rows.limit, rows.has_limit, uint64_t),
	 .most = UINT64_MAX,
	 .help = "same as --limit"},
	OPT_LIST("skill-path", struct skill_args, paths, "DIR", "a folder", ACCESS_READS,
		 "folder with your own skills; repeatable"),
	OPT_SECONDS("timeout", struct skill_args, timeout_s, "SECONDS",
		    "stop the query after this time"),
	OPT_INCLUDE(struct skill_args, rows, struct row_choice, limit_options),
	OPT_END(),
};
static const struct option_group skill_options = {options, sizeof(struct skill_args), NULL,
						  release};

const struct command command_skill = {
	.name = "skill",
	.operand =
		"list | info NAME | run NAME TRACE | add FILE | remove NAME | check FILE [TRACE]",
	.summary = "run analyses, and your own SQL with parameters, by name",
	.detail = "Every analysis is a skill, under its own name and under names from other tools "
		  "(top_kernels, gpu_idle_gaps, …); -p sets its options by long name: -p limit=5 "
		  "-p trim='1 2'. SQL skills are included too, and you can add your own: a .sql "
		  "file with a header comment (see docs/skills.md). They are found in the folders "
		  "of --skill-path, in ./.gpuwhy/skills and in ~/.config/gpuwhy/skills, where "
		  "`skill add` installs them. Parameters are bound, never pasted into the SQL, and "
		  "the SQL cannot write.",
	.example = "gpuwhy skill run kernel_stragglers trace.sqlite -p factor=5",
	.options = &skill_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.may_be_tree = true,
	.explain_unknown = explain_unknown,
	.complete = skill_complete,
	.run = run,
};
