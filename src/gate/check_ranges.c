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
	gate_judge_times(x, rule, &(struct check_subject){.name = path}, copy);
}

static bool is_no_range(const char *path)
{
	return strcmp(path, LEAF_BETWEEN) == 0 || strcmp(path, LEAF_IN_NO_RANGE) == 0;
}

/*
 * What happens between steps, or outside of ranges, is in no range, and no pattern finds it: "*"
 * stands for what a program names. Its own name does, and where nothing happens then, it takes no
 * time.
 */
static int finds(const struct rule *rule, const char *path, struct err *e)
{
	if (rule->names.pattern && is_no_range(path))
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
	if (!found && is_no_range(rule->names.text))
		judge(x, rule, rule->names.text, NULL);
	else if (!found)
		gate_add_nothing(x, rule, "no range");
	return 0;
}
