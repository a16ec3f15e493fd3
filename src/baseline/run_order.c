/* In which order are runs kept, whoever names them in which? */
#include "baseline/baseline.h"

#include "base/sort.h"

#include <stdlib.h>

static int by_size(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_steps(const struct account *a, const struct account *b)
{
	for (size_t i = 0; i < a->step_count && i < b->step_count; i++) {
		if (a->steps[i].ns != b->steps[i].ns)
			return a->steps[i].ns < b->steps[i].ns ? -1 : 1;
	}
	return by_size(a->step_count, b->step_count);
}

/* By day, so that what is added later mostly stands last, and a review shows it alone. */
static int by_day(const void *p, const void *q, void *ctx)
{
	const struct account *a = *(const struct account *const *)p,
			     *b = *(const struct account *const *)q;
	int order = strcmp(a->facts.date, b->facts.date);

	(void)ctx;
	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = by_steps(a, b);
	return order ? order : by_size(a->leaf_count, b->leaf_count);
}

void baseline_order_runs(const struct account **runs, size_t count)
{
	sort_stable(runs, count, sizeof(void *), by_day, NULL);
}
