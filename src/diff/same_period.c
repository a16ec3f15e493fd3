/* Do the kernels of two runs repeat in the same period? */
#include "diff/same_period.h"

#include "base/mem.h"
#include "text/strtab.h"

#include <stdlib.h>

/* Steps of two definitions that launch so much more or less are not the same, nor are kernels. */
static const double alike_ops = 1.5;
/* Of the time of kernels that both runs have: that of those that both launch as often. */
static const double as_often = 0.5;
/* … and of all kernels' time in the run that launches more: a library may do as much in any. */
static const double tells_little = 0.1;

/* A kernel in a step of each run. */
struct repeated {
	double calls[2], ns[2];
};

double ops_of_step(const struct account *a)
{
	uint64_t calls = 0;

	for (size_t k = 0; k < a->kind_count; k++)
		calls += a->kinds[k].calls;
	return (double)calls / (double)a->step_count;
}

static bool are_alike(double x, double y)
{
	return x <= alike_ops * y && y <= alike_ops * x;
}

bool steps_launch_alike(const struct account *a, const struct account *b)
{
	return are_alike(ops_of_step(a), ops_of_step(b));
}

/* Kernels, and graphs that hide theirs, of both runs by name; for free(). */
static struct repeated *list_kernels(const struct account *const runs[2], size_t *ret_count)
{
	struct repeated *all = mem_zalloc(runs[0]->leaf_count + runs[1]->leaf_count, sizeof(*all));
	struct strtab names = {0};

	for (int r = 0; r < 2; r++) {
		for (size_t i = 0; i < runs[r]->leaf_count; i++) {
			const struct leaf *l = &runs[r]->leaves[i];
			const struct leaf_sum sum = leaf_total(runs[r], l);
			struct repeated *x;

			if (l->class == LEAF_IDLE || l->class == LEAF_COPY)
				continue;
			x = &all[strtab_add(&names, str_of(l->name))];
			x->calls[r] += (double)sum.calls / (double)runs[r]->step_count;
			x->ns[r] += (double)sum.work_ns / (double)runs[r]->step_count;
		}
	}
	*ret_count = names.count;
	strtab_free(&names);
	return all;
}

bool periods_are_alike(const struct account *a, const struct account *b)
{
	const int more = ops_of_step(b) > ops_of_step(a);
	double all_ns = 0, common_ns = 0, as_often_ns = 0;
	struct repeated *all;
	size_t count;

	if (steps_launch_alike(a, b))
		return true;
	all = list_kernels((const struct account *const[]){a, b}, &count);
	for (size_t i = 0; i < count; i++) {
		const struct repeated *x = &all[i];

		all_ns += x->ns[more];
		common_ns += x->calls[0] > 0 && x->calls[1] > 0 ? x->ns[more] : 0;
		as_often_ns += are_alike(x->calls[0], x->calls[1]) ? x->ns[more] : 0;
	}
	free(all);
	/* Where none is in common, they are two programs, or all have new names. */
	return !(common_ns > 0) ||
	       (as_often_ns >= as_often * common_ns && as_often_ns >= tells_little * all_ns);
}
