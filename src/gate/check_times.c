/* Which parts of the step take longer than their rules allow? */
#include "base/mem.h"
#include "base/sort.h"
#include "diff/step_paths.h"
#include "gate/checks.h"
#include "text/strtab.h"

#include <math.h>
#include <stdlib.h>

/* What leaves of each run take, in ns of a step: those that `has` says are meant. */
static double *sum_leaves(const struct diff *d, bool (*has)(const struct leaf *l, const char *name),
			  const char *name)
{
	const size_t before = d->sides.of[BEFORE].run_count;
	double *means = mem_zalloc(before + d->sides.of[AFTER].run_count, sizeof(*means));

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *s = &d->sides.of[side];

		for (size_t i = 0; i < s->leaf_count; i++) {
			if (!has(s->leaves[i].key, name))
				continue;
			for (size_t r = 0; r < s->run_count; r++)
				means[(side ? before : 0) + r] += (double)s->leaves[i].of_run[r] /
								  (double)s->runs[r]->step_count;
		}
	}
	return means;
}

static bool is_of_class(const struct leaf *l, const char *name)
{
	return strcmp(leaf_class_keys[l->class], name) == 0;
}

int gate_check_class(struct gating *x, const struct rule *rule)
{
	gate_judge_times(x, rule, rule->names.text,
			 sum_leaves(x->diff, is_of_class, rule->names.text));
	return 0;
}

static bool is_in_range(const struct leaf *l, const char *path)
{
	return step_path_is_in(l->path, path);
}

/* A range and all around it: "forward / attn" is in "forward", too. */
static void add_paths(struct strtab *paths, struct arena *arena, const char *path)
{
	const char *end = path;

	while (path[0] && (end = strstr(end, " / "))) {
		strtab_keep(paths, arena, (struct str){path, (size_t)(end - path)});
		end += 3;
	}
	if (path[0])
		strtab_keep(paths, arena, str_of(path));
}

static int by_text(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All paths of both sides, each once, in order; for free(). Texts are in the arena. */
static const char **list_paths(const struct diff *d, struct arena *arena, size_t *ret_count)
{
	struct strtab paths = {0};
	const char **all;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < d->sides.of[side].leaf_count; i++)
			add_paths(&paths, arena, d->sides.of[side].leaves[i].key->path);
	}
	*ret_count = paths.count;
	all = mem_alloc(paths.count, sizeof(*all));
	for (size_t i = 0; i < paths.count; i++)
		all[i] = arena_str(arena, paths.items[i]).s;
	strtab_free(&paths);
	sort_stable(all, *ret_count, sizeof(*all), by_text, NULL);
	return all;
}

int gate_check_ranges(struct gating *x, const struct rule *rule)
{
	size_t count, found = 0;
	SCOPED const char **paths = list_paths(x->diff, &x->gate->arena, &count);

	for (size_t i = 0; i < count; i++) {
		const int matches = name_matches(&rule->names, paths[i], x->e);

		if (matches < 0)
			return -1;
		if (!matches)
			continue;
		found++;
		gate_judge_times(x, rule, paths[i], sum_leaves(x->diff, is_in_range, paths[i]));
	}
	if (!found)
		gate_add_nothing(x, rule, "no range");
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
