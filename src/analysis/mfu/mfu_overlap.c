/* How much of the time of stages is in more than one of them? */
#include "analysis/mfu/mfu_overlap.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdlib.h>

static int compare_starts(const void *a, const void *b, void *ctx)
{
	const struct mfu_instance *x = *(const struct mfu_instance *const *)a;
	const struct mfu_instance *y = *(const struct mfu_instance *const *)b;

	(void)ctx;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* The instances of all stages, by process and when their own time begins. */
static const struct mfu_instance **list_all(const struct mfu_phases *p, size_t *ret_count)
{
	const struct mfu_instance **all;
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		count += p->all[i].stage.count;
	all = mem_alloc(count, sizeof(struct mfu_instance *));
	*ret_count = 0;
	for (size_t i = 0; i < p->count; i++) {
		for (size_t k = 0; k < p->all[i].stage.count; k++)
			all[(*ret_count)++] = &p->all[i].stage.instances[k];
	}
	sort_stable(all, count, sizeof(struct mfu_instance *), compare_starts, NULL);
	return all;
}

double mfu_phases_overlap(const struct mfu_phases *p)
{
	int64_t added = 0, together = 0, reach = INT64_MIN;
	size_t count;
	const struct mfu_instance **all = list_all(p, &count);

	for (size_t i = 0; i < count; i++) {
		const struct mfu_instance *x = all[i];

		if (i && all[i - 1]->process != x->process)
			reach = INT64_MIN;
		added = sat_add(added, sat_sub(x->to_ns, x->from_ns));
		if (x->to_ns <= reach)
			continue;
		together = sat_add(together,
				   sat_sub(x->to_ns, x->from_ns > reach ? x->from_ns : reach));
		reach = x->to_ns;
	}
	free(all);
	return together > 0 ? (double)added / (double)together : 1;
}
