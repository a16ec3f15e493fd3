/* What do the runs of one side say together? */
#include "statistics/side.h"

#include "base/mem.h"
#include "statistics/sorted.h"

#include <math.h>
#include <stdlib.h>

void side_read(const struct run_steps *runs, size_t count, struct side *ret)
{
	size_t told = 0;

	*ret = (struct side){.runs = mem_alloc(count + 1, sizeof(*ret->runs)),
			     .logs = mem_alloc(count + 1, sizeof(*ret->logs))};
	for (size_t i = 0; i < count; i++) {
		struct run *r = &ret->runs[ret->count];

		if (!run_read(&runs[i], r))
			continue;
		ret->logs[ret->count++] = r->log_mean;
		if (!isnan(r->step_variance)) {
			ret->step_variance += r->step_variance;
			told++;
		}
	}
	ret->step_variance /= told ? (double)told : 1;
	ret->sorted = sorted_copy(ret->logs, ret->count);
}

void side_free(struct side *s)
{
	for (size_t i = 0; i < s->count; i++)
		run_free(&s->runs[i]);
	free(s->runs);
	free(s->logs);
	free(s->sorted);
}

struct compare_side side_sum(const struct side *s)
{
	struct compare_side sum = {.runs = s->count};
	double mean = 0, variance = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct run *r = &s->runs[i];

		sum.steps += r->count;
		mean += r->spread.mean;
		variance += r->spread.se * r->spread.se;
		sum.effective_steps += r->spread.effective;
		sum.block = fmax(sum.block, r->spread.block);
	}
	sum.mean_ns = mean / (double)s->count;
	sum.se_ns = sqrt(variance) / (double)s->count;
	return sum;
}

bool side_is_before(const struct side *a, const struct side *b)
{
	if (a->count != b->count)
		return a->count < b->count;
	for (size_t i = 0; i < a->count; i++) {
		if (a->sorted[i] != b->sorted[i])
			return a->sorted[i] < b->sorted[i];
	}
	return false;
}
