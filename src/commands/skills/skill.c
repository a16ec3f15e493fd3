/* gpuwhy skill: questions by name, the program's and the user's own. */
#include "commands/skills/skill.h"

#include "base/mem.h"
#include "cli/output.h"
#include "text/nearest.h"

static int list(struct invocation *inv, const char *const *words, struct err *e)
{
	struct skill_set s;

	(void)words;
	(void)e;
	skill_set_read(&s, &inv->options);
	skill_set_check(&s);
	skill_list_report(&s, &inv->report);
	skill_set_free(&s);
	return 0;
}

static int info(struct invocation *inv, const char *const *words, struct err *e)
{
	struct skill_set s;
	struct skill found;
	int result;

	skill_set_read(&s, &inv->options);
	result = skill_set_find(&s, words[0], &found, e);
	if (result == 0)
		skill_info_report(&found, &inv->report);
	skill_set_free(&s);
	return result;
}

static int run_named(struct invocation *inv, const char *const *words, struct err *e)
{
	struct skill_set s;
	struct skill found;
	int result;

	inv->options.trace = words[1];
	skill_set_read(&s, &inv->options);
	result = skill_set_find(&s, words[0], &found, e);
	if (result == 0)
		result = skill_run(inv, &found, e);
	skill_set_free(&s);
	return result;
}

static int add(struct invocation *inv, const char *const *words, struct err *e)
{
	return skill_add(inv, words[0], e);
}

static int remove_named(struct invocation *inv, const char *const *words, struct err *e)
{
	return skill_remove(inv, words[0], e);
}

static int check(struct invocation *inv, const char *const *words, struct err *e)
{
	return skill_check(inv, words[0], words[1], e);
}

static const struct verb {
	const char *name, *takes;
	size_t least, most;
	int (*run)(struct invocation *inv, const char *const *words, struct err *e);
} verbs[] = {
	{"list", "", 0, 0, list},
	{"info", " NAME", 1, 1, info},
	{"run", " NAME TRACE", 2, 2, run_named},
	{"add", " FILE", 1, 1, add},
	{"remove", " NAME", 1, 1, remove_named},
	{"check", " FILE [TRACE]", 1, 2, check},
};

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

static int find_verb(const struct options *o, const struct verb **ret, struct err *e)
{
	const char *word = o->word_count ? o->words[0] : "";
	struct nearest n = {word, NULL, 3};

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		*ret = &verbs[i];
		if (strcmp(word, verbs[i].name) == 0)
			return 0;
		nearest_try(&n, verbs[i].name);
	}
	if (!o->word_count)
		err_set(e, ERR_USAGE, "skill needs an action");
	else
		err_set(e, ERR_USAGE, "skill has no action '%s'", word);
	if (n.found && word[0])
		return err_hint(e, "did you mean 'skill %s'?", n.found);
	return hint_verbs(e);
}

static int check_words(const struct options *o, const struct verb *v, struct err *e)
{
	size_t words = o->word_count - 1;

	if (words < v->least)
		return err_set(e, ERR_USAGE, "missing argument: gpuwhy skill %s%s", v->name,
			       v->takes);
	if (words > v->most)
		return err_set(e, ERR_USAGE, "unexpected argument '%s': gpuwhy skill %s%s",
			       o->words[v->most + 1], v->name, v->takes);
	if (o->skill_param_count && v->run != run_named)
		return err_set(e, ERR_USAGE, "-p applies to skill run");
	return 0;
}

static int run(struct invocation *inv, struct err *e)
{
	const struct options *o = &inv->options;
	const char *words[2] = {NULL, NULL};
	const struct verb *v;

	if (find_verb(o, &v, e) < 0 || check_words(o, v, e) < 0)
		return -1;
	if (v->run != run_named && options_check(&inv->options, "skill", 0, e) < 0)
		return -1;
	for (size_t i = 1; i < o->word_count; i++)
		words[i - 1] = o->words[i];
	if (v->run(inv, words, e) < 0)
		return -1;
	return output_report(&inv->report, presenter_find(invocation_format(inv)), o->output,
			     o->colour, e);
}

const struct command command_skill = {
	.name = "skill",
	.operand =
		"list | info NAME | run NAME TRACE | add FILE | remove NAME | check FILE [TRACE]",
	.summary = "questions by name: every analysis, and SQL of your own with parameters",
	.detail =
		"Every analysis is a skill, under its own name and those that others use "
		"(top_kernels,\n"
		"gpu_idle_gaps, …); its options are set with -p by their long names: -p limit=5\n"
		"-p trim='1 2'. Further ones ship, and a .sql file with an opening comment is one: "
		"docs/\n"
		"skills.md says how to write it. They are found in the folders of --skill-path, "
		"in\n"
		"./.gpuwhy/skills and in ~/.config/gpuwhy/skills, where `skill add` puts them.\n"
		"Parameters are bound, never pasted into the SQL, which can only read.",
	.example = "gpuwhy skill run kernel_stragglers trace.sqlite -p factor=5",
	.accepts = PARAM_LIMIT | OPT_TRACE | OPT_OUTPUT | OPT_WORDS | OPT_SKILL | OPT_TIMEOUT,
	.run = run,
};
