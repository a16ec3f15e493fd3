/* Which part of the run repeats? */
#include "analysis/steps/steady.h"

#include "analysis/steps/iterations.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

enum { STEPS_MIN = 5 };

static int64_t host_ns(const struct iteration *i)
{
	return sat_sub(i->end_ns, i->start_ns);
}

static double median_ns(const struct iteration *steps, size_t n)
{
	int64_t *times = mem_alloc(n, sizeof(*times));
	double median;

	for (size_t i = 0; i < n; i++)
		times[i] = host_ns(&steps[i]);
	median = sort_median(times, n);
	free(times);
	return median;
}

static void keep_steady(const struct iterations *it, struct arena *arena, struct steady *ret)
{
	const struct iteration_lane *lane = &it->lanes[it->main_lane];
	const struct iteration *steps = lane_steps(it, lane);
	size_t n = lane->count, first = 0;
	double median = median_ns(steps, n);

	while (first < n / 2 && (double)host_ns(&steps[first]) > 2 * median)
		first++;
	ret->found = true;
	ret->from_ns = steps[first].start_ns;
	ret->to_ns = steps[n - 1].end_ns;
	if (first == 1)
		ret->how = arena_printf(arena, "%zu of %zu '%s', first step skipped as warm-up",
					n - first, n, it->name);
	else if (first)
		ret->how =
			arena_printf(arena, "%zu of %zu '%s', first %zu steps skipped as warm-up",
				     n - first, n, it->name, first);
	else
		ret->how = arena_printf(arena, "all %zu '%s'", n, it->name);
}

int steady_find(struct trace *t, const struct scope *p, struct arena *arena, struct steady *ret,
		struct err *e)
{
	struct iterations it;

	*ret = (struct steady){0};
	if (iterations_find_ranges(t, p, STEPS_MIN, &it, e) < 0)
		return -1;
	if (it.count)
		keep_steady(&it, arena, ret);
	iterations_free(&it);
	return 0;
}
