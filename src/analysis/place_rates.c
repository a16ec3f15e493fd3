/* How often does each process launch work on each GPU? */
#include "analysis/launch_rates.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "trace/keep.h"

#include <stdlib.h>

/* What the trace keeps for others who ask, and the question that it answers. */
struct kept_rates {
	struct place_rates rates;
	struct params asked;
};

static const char kept_key;

static void free_kept(void *p)
{
	struct kept_rates *k = p;

	free(k->rates.all);
	free(k);
}

void place_rates_make(const struct launch_list *l, const struct launch_rate *rates,
		      struct place_rates *ret)
{
	*ret = (struct place_rates){.count = l->places.count};
	ret->all = mem_alloc(ret->count, sizeof(*ret->all));
	for (size_t i = 0; i < ret->count; i++)
		ret->all[i] = (struct place_rate){l->places.all[i], rates[i]};
}

void place_rates_keep(struct trace *t, const struct params *p, struct place_rates *r)
{
	struct kept_rates *k;

	if (!t->shares_joins || trace_kept(t, &kept_key))
		return;
	r->shared = true;
	k = mem_alloc(1, sizeof(*k));
	*k = (struct kept_rates){*r, *p};
	trace_keep(t, &kept_key, k, free_kept);
}

int place_rates_read(struct trace *t, const struct launches *joined, const struct params *p,
		     struct place_rates *ret, struct err *e)
{
	const struct kept_rates *kept = trace_kept(t, &kept_key);
	struct launch_list list;
	struct launch_rate *rates;

	*ret = (struct place_rates){0};
	if (kept && params_same_question(&kept->asked, p)) {
		*ret = kept->rates;
		return 0;
	}
	if (launch_list_make(t, joined, p, &list, e) < 0)
		return -1;
	rates = launch_rates_measure(t, &list);
	place_rates_make(&list, rates, ret);
	free(rates);
	launch_list_free(&list);
	return 0;
}

void place_rates_free(struct place_rates *r)
{
	if (!r->shared)
		free(r->all);
	*r = (struct place_rates){0};
}
