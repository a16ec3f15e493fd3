/* How often does each process launch work on each GPU? */
#include "analysis/host/launch_rates.h"
#include "analysis/kept_answers.h"
#include "base/mem.h"

#include <stdlib.h>

static void free_answer(void *rates)
{
	place_rates_free(rates);
}

static const struct kept_answers kept = {sizeof(struct place_rates), NULL, free_answer};

void place_rates_make(const struct launch_list *l, const struct launch_rate *rates,
		      struct place_rates *ret)
{
	*ret = (struct place_rates){.count = l->places.count};
	ret->all = mem_alloc(ret->count, sizeof(*ret->all));
	for (size_t i = 0; i < ret->count; i++)
		ret->all[i] = (struct place_rate){l->places.all[i], rates[i]};
}

void place_rates_keep(struct trace *t, const struct scope *p, struct place_rates *r)
{
	r->shared = kept_answers_add(&kept, t, p, r);
}

int place_rates_read(struct trace *t, const struct launches *joined, const struct scope *p,
		     struct place_rates *ret, struct err *e)
{
	struct launch_list list;
	struct launch_rate *rates;

	*ret = (struct place_rates){0};
	ret->shared = kept_answers_find(&kept, t, p, ret);
	if (ret->shared)
		return 0;
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
