/* What do the steps of one run say about its mean? */
#include "statistics/run.h"

#include "base/mem.h"
#include "statistics/few_steps.h"
#include "statistics/portable_math.h"

#include <math.h>
#include <stdlib.h>

/* Thirty years: longer is no duration, and its square is still a number. */
static const double LONGEST_NS = 1e18;

static void find_bound(struct run *r)
{
	if (isnan(r->step_variance)) {
		const struct few_steps few = few_steps_bound(r->ns, r->count, r->spread.effective);

		r->bound_variance = few.variance;
		r->bound_df = few.df;
	} else {
		r->bound_variance = r->step_variance;
		r->bound_df = r->spread.df;
	}
}

bool run_read(const struct run_steps *steps, struct run *ret)
{
	*ret = (struct run){.ns = mem_alloc(steps->count + 1, sizeof(*ret->ns))};
	for (size_t i = 0; i < steps->count; i++) {
		if (steps->ns[i] >= 0 && steps->ns[i] <= LONGEST_NS)
			ret->ns[ret->count++] = steps->ns[i];
	}
	step_bootstrap(ret->ns, ret->count, &ret->spread);
	if (!(ret->spread.mean > 0)) {
		run_free(ret);
		return false;
	}
	ret->log_mean = portable_log(ret->spread.mean);
	ret->step_variance = ret->spread.se / ret->spread.mean;
	ret->step_variance *= ret->step_variance;
	find_bound(ret);
	return true;
}

void run_free(struct run *r)
{
	free(r->ns);
	*r = (struct run){0};
}
