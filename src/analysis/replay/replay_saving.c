/* What would be saved, were some ranks like the others? */
#include "analysis/replay/replay_saving.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Times as much as others compute: held up by that, a rank leaves them nothing of their GPU. */
static const double more = 1.05;

/* What ranks compute that share a GPU, of those that are asked about and others. */
struct shared {
	double own_ns, others_ns;
	size_t own, others;
};

static struct shared sum_shared(const struct replay *r, const bool *chosen,
				const struct replay_place *places, uint64_t gpu)
{
	struct shared sum = {0};

	for (uint32_t i = 0; i < r->member_count && gpu; i++) {
		if (places[i].gpu != gpu)
			continue;
		*(chosen[i] ? &sum.own_ns : &sum.others_ns) += places[i].compute_ns;
		++*(chosen[i] ? &sum.own : &sum.others);
	}
	return sum;
}

static bool leaves_more(const struct shared *x)
{
	return x->own && x->others && x->others_ns > 0 &&
	       x->own_ns / (double)x->own <= more * x->others_ns / (double)x->others;
}

/*
 * While a rank is held up by its host, those that share its GPU have more of it; were it on time,
 * all of them would take longer: `stretch` by member. Returns what they compute one after another,
 * on the GPU that has most of that; 0: nobody would take longer.
 */
static double share_out(const struct replay *r, const bool *chosen,
			const struct replay_place *places, double *stretch, bool *ret_shares)
{
	double most_ns = 0;

	for (uint32_t k = 0; k < r->member_count; k++) {
		const struct shared shared =
			sum_shared(r, chosen, places, chosen[k] ? places[k].gpu : 0);

		*ret_shares |= shared.others > 0;
		if (!leaves_more(&shared))
			continue;
		most_ns = fmax(most_ns, shared.own_ns + shared.others_ns);
		for (uint32_t i = 0; i < r->member_count; i++) {
			if (places[i].gpu == places[k].gpu)
				stretch[i] = 1 + shared.own_ns / shared.others_ns;
		}
	}
	return most_ns;
}

/* What is saved lies between what is left where nothing overlaps on a GPU, and the replay. */
void replay_save(const struct replay *r, const uint32_t *who, uint32_t count, const int64_t *lag_ns,
		 const struct replay_place *places, double time_ns, struct replay_saving *ret)
{
	bool *chosen = mem_zalloc(r->member_count, sizeof(*chosen));
	double *stretch = mem_alloc(r->member_count, sizeof(*stretch)), computed_ns = 0;
	const struct replay_change change = {.lag_ns = lag_ns, .stretch = stretch};

	*ret = (struct replay_saving){0};
	for (uint32_t i = 0; i < count; i++)
		chosen[who[i]] = true;
	for (uint32_t i = 0; i < r->member_count; i++)
		stretch[i] = 1;
	if (places)
		computed_ns = share_out(r, chosen, places, stretch, &ret->shares_gpu);
	ret->saved_ns = ret->least_ns = ret->most_ns = replay_saved_share(r, &change) * time_ns;
	if (computed_ns > 0) {
		ret->least_ns = fmin(fmax(time_ns - computed_ns, 0), ret->most_ns);
		ret->saved_ns = (ret->least_ns + ret->most_ns) / 2;
	}
	free(stretch);
	free(chosen);
}
