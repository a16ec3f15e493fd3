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

/* A row of kernels by the name that it has now, or had; or one kernel of a block. */
struct named_row {
	const char *name;
	const struct diff_row *row;
	const struct side_leaf *leaf; /* of the side after; NULL: all of the row */
};

struct named_rows {
	struct named_row *all;
	size_t count, cap;
};

static int by_name(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct named_row *)a)->name, ((const struct named_row *)b)->name);
}

static void add_named(struct named_rows *to, struct named_row one)
{
	MEM_GROW(to->all, to->cap, to->count + 1);
	to->all[to->count++] = one;
}

/* Whether the rule means any leaf of a side; `ret`, unless it is NULL, has those. */
static int match_leaves(struct gating *x, const struct rule *rule, const struct diff_row *row,
			enum side side, struct named_rows *ret)
{
	int found = 0;

	for (size_t i = 0; i < row->match->count[side]; i++) {
		const struct side_leaf *l =
			&x->diff->sides.of[side].leaves[row->match->leaves[side][i]];
		const int matches = l->key->class == LEAF_IDLE
					    ? 0
					    : name_matches_kernel(&rule->names, l->key->name, x->e);

		if (matches < 0)
			return -1;
		found |= matches;
		if (matches && ret)
			add_named(ret, (struct named_row){l->key->name, row, l});
	}
	return found;
}

/*
 * What is called otherwise now, or was replaced, is still what the rule means. What took the place
 * of something else is new by its own name: the others of its block are not meant.
 */
static int list_row(struct gating *x, const struct rule *rule, const struct diff_row *row,
		    struct named_rows *ret)
{
	int found = match_leaves(x, rule, row, BEFORE, NULL);

	if (found == 0 && row->match->how == MATCH_BLOCK)
		return match_leaves(x, rule, row, AFTER, ret);
	if (found == 0)
		found = match_leaves(x, rule, row, AFTER, NULL);
	if (found > 0)
		add_named(ret, (struct named_row){diff_row_leaf(row)->name, row, NULL});
	return found;
}

static int list_rows(struct gating *x, const struct rule *rule, struct named_rows *ret)
{
	for (size_t i = 0; i < x->diff->row_count; i++) {
		if (list_row(x, rule, &x->diff->rows[i], ret) < 0)
			return -1;
	}
	sort_stable(ret->all, ret->count, sizeof(*ret->all), by_name, NULL);
	return 0;
}

/* What it took in each run, in ns of a step; for free(). */
static double *means_of(const struct diff *d, const struct named_row *n)
{
	const size_t before = d->sides.of[BEFORE].run_count;
	const struct side_runs *after = &d->sides.of[AFTER];
	double *means;

	if (!n->leaf)
		return diff_row_means(d, n->row);
	means = mem_zalloc(before + after->run_count, sizeof(*means));
	for (size_t r = 0; r < after->run_count; r++)
		means[before + r] = (double)n->leaf->of_run[r] / (double)after->runs[r]->step_count;
	return means;
}

/* Rows of one name are one check. */
static void judge_kernels(struct gating *x, const struct rule *rule, const struct named_rows *rows)
{
	const struct sides *s = &x->diff->sides;
	const size_t runs = s->of[BEFORE].run_count + s->of[AFTER].run_count;
	size_t end;

	for (size_t i = 0; i < rows->count; i = end) {
		double *sum = mem_zalloc(runs, sizeof(*sum));

		for (end = i;
		     end < rows->count && by_name(&rows->all[i], &rows->all[end], NULL) == 0;
		     end++) {
			SCOPED double *means = means_of(x->diff, &rows->all[end]);

			for (size_t r = 0; r < runs; r++)
				sum[r] += means[r];
		}
		gate_judge_times(x, rule, rows->all[i].name, sum);
	}
}

int gate_check_kernels(struct gating *x, const struct rule *rule)
{
	struct named_rows rows = {0};
	const int result = list_rows(x, rule, &rows);

	if (result == 0 && rows.count)
		judge_kernels(x, rule, &rows);
	else if (result == 0)
		gate_add_nothing(x, rule, "no kernel");
	free(rows.all);
	return result;
}
