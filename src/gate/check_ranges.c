/* Which ranges take longer than their rules allow? */
#include "base/mem.h"
#include "gate/checks.h"

#include <math.h>
#include <stdlib.h>

static void judge(struct gating *x, const struct rule *rule, const char *path, const double *means)
{
	double *copy = mem_zalloc(x->ranges.runs, sizeof(*copy));

	if (means)
		memcpy(copy, means, x->ranges.runs * sizeof(*copy));
	gate_judge_times(x, rule, path, copy);
}

/*
 * What happens between steps is no range, and no pattern finds it: "*" stands for what a program
 * names. Its own name does, and where nothing happens then, it takes no time.
 */
static int finds(const struct rule *rule, const char *path, struct err *e)
{
	if (rule->names.pattern && strcmp(path, LEAF_BETWEEN) == 0)
		return 0;
	return name_matches(&rule->names, path, e);
}

int gate_check_ranges(struct gating *x, const struct rule *rule)
{
	const struct range_times *t = &x->ranges;
	size_t found = 0;

	for (size_t i = 0; i < t->paths.count; i++) {
		const char *path = t->paths.items[t->sorted[i]].s;
		const int matches = finds(rule, path, x->e);

		if (matches < 0)
			return -1;
		if (!matches)
			continue;
		found++;
		judge(x, rule, path, t->means + t->sorted[i] * t->runs);
	}
	if (!found && strcmp(rule->names.text, LEAF_BETWEEN) == 0)
		judge(x, rule, LEAF_BETWEEN, NULL);
	else if (!found)
		gate_add_nothing(x, rule, "no range");
	return 0;
}
