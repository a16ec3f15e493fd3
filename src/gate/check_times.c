/* Which parts of the step take longer than their rules allow? */
#include "base/mem.h"
#include "base/sort.h"
#include "gate/checks.h"

#include <math.h>
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
	gate_judge_times(x, rule, rule->names.text, sum_class(x->diff, rule->names.text));
	return 0;
}

/* A row of kernels by the name that it has now, or had. */
struct named_row {
	const char *name;
	const struct diff_row *row;
};

static int by_name(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct named_row *)a)->name, ((const struct named_row *)b)->name);
}

static int list_rows(struct gating *x, const struct rule *rule, struct named_row *ret,
		     size_t *ret_count)
{
	*ret_count = 0;
	for (size_t i = 0; i < x->diff->row_count; i++) {
		const struct diff_row *row = &x->diff->rows[i];
		const struct leaf *l = diff_row_leaf(row);
		int matches = 0;

		if (l->class != LEAF_IDLE)
			matches = name_matches_kernel(&rule->names, l->name, x->e);
		/* What is called otherwise now is still what the rule means. */
		if (matches == 0 && row->leaf[BEFORE] && row->leaf[BEFORE]->class != LEAF_IDLE)
			matches = name_matches_kernel(&rule->names, row->leaf[BEFORE]->name, x->e);
		if (matches < 0)
			return -1;
		if (matches)
			ret[(*ret_count)++] = (struct named_row){l->name, row};
	}
	sort_stable(ret, *ret_count, sizeof(*ret), by_name, NULL);
	return 0;
}

/* Rows of one name are one check. */
static void judge_kernels(struct gating *x, const struct rule *rule, const struct named_row *rows,
			  size_t count)
{
	const struct sides *s = &x->diff->sides;
	const size_t runs = s->of[BEFORE].run_count + s->of[AFTER].run_count;
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		double *sum = mem_zalloc(runs, sizeof(*sum));

		for (end = i; end < count && by_name(&rows[i], &rows[end], NULL) == 0; end++) {
			SCOPED double *means = diff_row_means(x->diff, rows[end].row);

			for (size_t r = 0; r < runs; r++)
				sum[r] += means[r];
		}
		gate_judge_times(x, rule, rows[i].name, sum);
	}
}

int gate_check_kernels(struct gating *x, const struct rule *rule)
{
	SCOPED struct named_row *rows = mem_alloc(x->diff->row_count, sizeof(*rows));
	size_t count;

	if (list_rows(x, rule, rows, &count) < 0)
		return -1;
	judge_kernels(x, rule, rows, count);
	if (!count)
		gate_add_nothing(x, rule, "no kernel");
	return 0;
}
