/* What do the launches of a kernel come to together? */
#include "analysis/counters/ncu_groups.h"

#include "base/mem.h"
#include "base/pairs.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

/*
 * The least time that the device would need for what a launch does: bytes at DRAM's peak,
 * operations at their paths' peaks, all at once. NAN where a figure is unknown.
 */
static double ncu_least_ns(const struct ncu_kernel *k, int *ret_ceiling)
{
	double least = 1e9 * k->dram_bytes / k->peak_dram_bytes_per_s;

	*ret_ceiling = NCU_CEILING_NONE;
	if (isnan(k->flops) || !isfinite(least))
		return NAN;
	*ret_ceiling = NCU_CEILING_DRAM;
	for (int p = 0; p < NCU_PATHS; p++) {
		double ns = 1e9 * k->ops[p] / k->peak_ops_per_s[p];

		if (!(k->ops[p] > 0))
			continue;
		if (!isfinite(ns)) {
			*ret_ceiling = NCU_CEILING_NONE;
			return NAN;
		}
		if (ns > least) {
			least = ns;
			*ret_ceiling = p;
		}
	}
	return least;
}

const char *ncu_ceiling_name(int ceiling)
{
	return ceiling == NCU_CEILING_NONE   ? NULL
	       : ceiling == NCU_CEILING_DRAM ? "DRAM"
					     : ncu_path_name((enum ncu_path)ceiling);
}

enum ncu_path ncu_main_path(const double *ops)
{
	enum ncu_path most = NCU_PATHS;

	for (int p = 0; p < NCU_PATHS; p++) {
		if (ops[p] > 0 && (most == NCU_PATHS || ops[p] > ops[most]))
			most = (enum ncu_path)p;
	}
	return most;
}

/* A mean by time, so far: of one value it is that value. */
struct weighted {
	double mean, weight;
};

enum { SM, MEMORY, DRAM, L2, L1, OCCUPANCY, THEORETICAL, MEANS };

static void weigh(struct weighted *w, double value, double by)
{
	if (isnan(value))
		return;
	/* A launch whose time is unknown says something, too, where no other does. */
	by = by > 0 ? by : 1e-9;
	w->weight += by;
	w->mean += (value - w->mean) * (by / w->weight);
}

static double mean(const struct weighted *w)
{
	return w->weight > 0 ? w->mean : NAN;
}

static void weigh_launch(struct weighted *w, const struct ncu_kernel *k)
{
	weigh(&w[SM], k->pct.sm, k->duration_ns);
	weigh(&w[MEMORY], k->pct.memory, k->duration_ns);
	weigh(&w[DRAM], k->pct.dram, k->duration_ns);
	weigh(&w[L2], k->pct.l2, k->duration_ns);
	weigh(&w[L1], k->pct.l1, k->duration_ns);
	weigh(&w[OCCUPANCY], k->occupancy_pct, k->duration_ns);
	weigh(&w[THEORETICAL], k->theoretical_pct, k->duration_ns);
}

/* What has a time takes longer than what has none. */
static bool takes_longer(const struct ncu_kernel *k, const struct ncu_kernel *than)
{
	return k->duration_ns > than->duration_ns ||
	       (isnan(than->duration_ns) && !isnan(k->duration_ns));
}

static void add_launch(struct ncu_group *g, const struct ncu_kernel *k)
{
	int ceiling;

	g->launches++;
	g->duration_ns += k->duration_ns;
	g->flops += k->flops;
	g->dram_bytes += k->dram_bytes;
	g->least_ns += ncu_least_ns(k, &ceiling);
	for (int p = 0; p < NCU_PATHS; p++)
		g->ops[p] += k->ops[p];
	if (!g->longest || takes_longer(k, g->longest)) {
		g->longest = k;
		g->ceiling = ceiling;
	}
}

static void finish(struct ncu_group *g, const struct weighted *w)
{
	g->pct = (struct ncu_shares){mean(&w[SM]), mean(&w[MEMORY]), mean(&w[DRAM]), mean(&w[L2]),
				     mean(&w[L1])};
	g->occupancy_pct = mean(&w[OCCUPANCY]);
	g->theoretical_pct = mean(&w[THEORETICAL]);
	g->bound = ncu_bound_of(&g->pct, &g->margin);
	if (isnan(g->least_ns))
		g->ceiling = NCU_CEILING_NONE;
}

/* Groups are by device and name, whatever bytes these have; or each launch is one. */
static size_t number_kernels(struct ncu_groups *g, const struct ncu_report *r, bool each_launch)
{
	struct strtab texts = {0};
	struct pairs pairs = {0};
	size_t count;

	g->of_kernel = mem_alloc(r->count, sizeof(*g->of_kernel));
	for (size_t i = 0; i < r->count; i++) {
		const struct ncu_kernel *k = &r->kernels[i];
		uint32_t device = strtab_add(&texts, k->device_name);
		uint32_t name = strtab_add(&texts, k->name);

		g->of_kernel[i] = each_launch ? (uint32_t)i : pairs_number(&pairs, device, name);
	}
	count = each_launch ? r->count : pairs_count(&pairs);
	strtab_free(&texts);
	pairs_free(&pairs);
	return count;
}

static int by_value(const void *a, const void *b, void *ctx)
{
	const double *values = ctx;
	double x = values[*(const uint32_t *)a], y = values[*(const uint32_t *)b];

	x = isnan(x) ? -1 : x;
	y = isnan(y) ? -1 : y;
	return (x < y) - (x > y);
}

uint32_t *ncu_order(const double *values, size_t count)
{
	uint32_t *order = mem_alloc(count, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	sort_stable(order, count, sizeof(*order), by_value, (void *)values);
	return order;
}

static void sort_by_time(struct ncu_groups *g, size_t kernels)
{
	double *ns = mem_alloc(g->count, sizeof(*ns));
	uint32_t *place = mem_alloc(g->count, sizeof(*place)), *order;
	struct ncu_group *sorted = mem_alloc(g->count, sizeof(*sorted));

	for (size_t i = 0; i < g->count; i++)
		ns[i] = g->all[i].duration_ns;
	order = ncu_order(ns, g->count);
	for (size_t i = 0; i < g->count; i++) {
		sorted[i] = g->all[order[i]];
		place[order[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < kernels; i++)
		g->of_kernel[i] = place[g->of_kernel[i]];
	free(g->all);
	free(order);
	free(place);
	free(ns);
	g->all = sorted;
}

void ncu_groups_make(struct ncu_groups *g, const struct ncu_report *r, bool each_launch)
{
	struct weighted(*means)[MEANS];

	*g = (struct ncu_groups){0};
	g->count = number_kernels(g, r, each_launch);
	g->all = mem_zalloc(g->count, sizeof(*g->all));
	means = mem_zalloc(g->count, sizeof(*means));
	for (size_t i = 0; i < r->count; i++) {
		const struct ncu_kernel *k = &r->kernels[i];
		struct ncu_group *group = &g->all[g->of_kernel[i]];

		group->name = k->name;
		group->device_name = k->device_name;
		add_launch(group, k);
		weigh_launch(means[g->of_kernel[i]], k);
		g->duration_ns += isnan(k->duration_ns) ? 0 : k->duration_ns;
	}
	for (size_t i = 0; i < g->count; i++)
		finish(&g->all[i], means[i]);
	free(means);
	sort_by_time(g, r->count);
}

void ncu_groups_free(struct ncu_groups *g)
{
	free(g->all);
	free(g->of_kernel);
}
