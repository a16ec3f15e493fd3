/* Which classes of time take more of the step than their rules allow? */
#include "base/mem.h"
#include "gate/checks.h"

#include <stdlib.h>

/* What leaves of a class take in each run, in ns of a step; for free(). */
static double *sum_class(const struct diff *d, const char *class)
{
	const size_t before = d->sides.of[BEFORE].run_count;
	double *means = mem_zalloc(before + d->sides.of[AFTER].run_count, sizeof(*means));

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *s = &d->sides.of[side];

		for (size_t i = 0; i < s->leaf_count; i++) {
			if (strcmp(leaf_class_keys[s->leaves[i].key->class], class) != 0)
				continue;
			for (size_t r = 0; r < s->run_count; r++)
				means[(side ? before : 0) + r] += (double)s->leaves[i].of_run[r] /
								  (double)s->runs[r]->step_count;
		}
	}
	return means;
}

int gate_check_class(struct gating *x, const struct rule *rule)
{
	gate_judge_times(x, rule, &(struct check_subject){.name = rule->names.text},
			 sum_class(x->diff, rule->names.text));
	return 0;
}
