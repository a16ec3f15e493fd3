/* Is a run there twice? */
#include "commands/diff/same_run.h"

bool runs_are_same(const struct account *a, const struct account *b)
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
			if (runs_are_same(runs[i], runs[k]))
				return err_set(e, ERR_INPUT,
					       "'%s' is the same run as '%s', to the nanosecond: "
					       "it counts once",
					       runs[i]->name, runs[k]->name);
		}
	}
	return 0;
}

void runs_warn_of_both(struct report *r, const struct sides *s)
{
	const struct side_runs *before = &s->of[BEFORE], *after = &s->of[AFTER];

	if (before->run_count == 1 && after->run_count == 1)
		return;
	for (size_t i = 0; i < before->run_count; i++) {
		for (size_t k = 0; k < after->run_count; k++) {
			if (runs_are_same(before->runs[i], after->runs[k]))
				report_warning(r,
					       "'%s' before is the same run as '%s' after: it says "
					       "nothing of a change",
					       before->runs[i]->name, after->runs[k]->name);
		}
	}
}
