/* Is a run there twice? */
#include "commands/diff/same_run.h"

/* To the nanosecond: no two runs of anything are that much alike. */
static bool is_same_run(const struct account *a, const struct account *b)
{
	if (a->step_count != b->step_count || a->leaf_count != b->leaf_count)
		return false;
	for (size_t i = 0; i < a->step_count; i++) {
		if (a->steps[i].ns != b->steps[i].ns)
			return false;
	}
	for (size_t i = 0; i < a->leaf_count; i++) {
		if (leaf_total(a, &a->leaves[i]).ns != leaf_total(b, &b->leaves[i]).ns)
			return false;
	}
	return true;
}

int runs_check_apart(const struct account *const *runs, size_t count, struct err *e)
{
	for (size_t i = 1; i < count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (is_same_run(runs[i], runs[k]))
				return err_set(e, ERR_INPUT,
					       "'%s' is the same run as '%s', to the nanosecond: "
					       "it counts once",
					       runs[i]->name, runs[k]->name);
		}
	}
	return 0;
}
