/* Which options of an analysis are parameters of the skill that it is? */
#include "commands/skills/skill.h"

/*
 * What an analysis is told lies in its params. A flag elsewhere makes the command do something else
 * than that analysis: list what is known without a trace, write a page of its own.
 */
static bool is_told(const struct option *opt)
{
	const size_t begin = offsetof(struct options, params);

	return opt->value || opt->set ||
	       (opt->at >= begin && opt->at < begin + sizeof(struct params));
}

const struct option *skill_option_next(const struct analysis *a, size_t *at)
{
	const struct option *opt;

	while ((opt = option_at(*at))) {
		++*at;
		if (opt->accepted_by & a->params && opt->help && is_told(opt))
			return opt;
	}
	return NULL;
}

int skill_option_check(const struct analysis *a, const char *name, struct err *e)
{
	const struct option *opt;

	for (size_t i = 0; (opt = option_at(i)); i++) {
		if (!(opt->accepted_by & a->params) || is_told(opt) || strcmp(opt->name, name) != 0)
			continue;
		err_set(e, ERR_USAGE,
			"%s is not a parameter of the skill %s: it gives another answer", name,
			a->name);
		return err_hint(e, "gpuwhy %s --%s gives it", a->name, name);
	}
	return 0;
}
