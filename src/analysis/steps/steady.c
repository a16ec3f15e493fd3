/* Which steps are warm? */
#include "analysis/steps/steady.h"

#include "analysis/numbers/summary.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 1000000 }; /* in which a period is looked for */

static const double slow = 2;	      /* times what warm steps take */
static const double nearly_all = 0.8; /* of the steps that follow: one may be slow, too */

/* From each step's start to the next one's: what happens between two belongs to the first. */
static int64_t *list_periods(const struct iteration *steps, size_t count)
{
	int64_t *ns = mem_alloc(count, sizeof(*ns));

	for (size_t i = 0; i + 1 < count; i++)
		ns[i] = sat_sub(steps[i + 1].from_ns, steps[i].from_ns);
	ns[count - 1] = iteration_ns(&steps[count - 1]);
	return ns;
}

/* The time that this share of them takes at most. */
static double time_at(const int64_t *ns, size_t count, double share)
{
	int64_t *sorted = mem_alloc(count, sizeof(*sorted));
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));
	double at;

	memcpy(sorted, ns, count * sizeof(*sorted));
	sort_i64(sorted, scratch, count);
	at = quantile(sorted, count, share);
	free(scratch);
	free(sorted);
	return at;
}

/* Where slow steps end: as few as may be are fast before it, or slow after it. */
static size_t find_turn(const int64_t *ns, size_t count, double slow_ns)
{
	size_t errors = 0, fewest, turn = 0;

	for (size_t i = 0; i < count; i++)
		errors += (double)ns[i] > slow_ns;
	fewest = errors;
	for (size_t i = 0; i + 2 < count; i++) {
		errors = (double)ns[i] > slow_ns ? errors - 1 : errors + 1;
		if (errors < fewest) {
			fewest = errors;
			turn = i + 1;
		}
	}
	return turn;
}

/* How many are slower than nearly all that come after them. */
static size_t count_leading(const int64_t *ns, size_t count)
{
	size_t n = 0;

	while (n + 2 < count &&
	       (double)ns[n] > slow * time_at(&ns[n + 1], count - n - 1, nearly_all))
		n++;
	return n;
}

size_t steady_count_cold(const struct iteration *steps, size_t count)
{
	const size_t late = (count + 2) / 3; /* the last third is warm, if anything is */
	int64_t *ns;
	size_t turn;

	if (count < 3)
		return 0;
	ns = list_periods(steps, count);
	turn = find_turn(ns, count, slow * time_at(&ns[count - late], late, 0.5));
	if (!turn || time_at(ns, turn, 0.5) <= slow * time_at(&ns[turn], count - turn, nearly_all))
		turn = count_leading(ns, count);
	free(ns);
	return turn;
}

static const char *describe(const struct iterations *it, size_t count, size_t cold,
			    struct arena *arena)
{
	const char *what = it->name ? arena_printf(arena, "'%s'", it->name) : it->what;

	if (!cold)
		return arena_printf(arena, "all %zu %s", count, what);
	if (cold == 1)
		return arena_printf(arena, "%zu of %zu %s, first step skipped as warm-up",
				    count - 1, count, what);
	return arena_printf(arena, "%zu of %zu %s, first %zu steps skipped as warm-up",
			    count - cold, count, what, cold);
}

int steady_find(struct trace *t, const struct scope *p, struct arena *arena, struct steady *ret,
		struct err *e)
{
	const struct iteration_lane *lane;
	const struct iteration *steps;
	struct iterations it;
	size_t cold;

	*ret = (struct steady){0};
	if (iterations_read_quickly(t, p, KERNELS_MAX, &it, e) < 0)
		return e->absent ? 0 : -1;
	lane = &it.lanes[it.main_lane];
	steps = lane_steps(&it, lane);
	cold = steady_count_cold(steps, lane->count);
	*ret = (struct steady){
		.found = true,
		.from_ns = steps[cold].from_ns,
		.to_ns = steps[lane->count - 1].to_ns,
		.how = describe(&it, lane->count, cold, arena),
	};
	iterations_free(&it);
	return 0;
}
