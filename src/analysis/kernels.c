/* Which kernels took the GPU's time? */
#include "analysis/hidden_graphs.h"
#include "analysis/kernel_names.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "trace/keep.h"

#include <stdlib.h>

/* Exact times of each kernel, and on which device, where that was asked for. */
struct kernel_sums {
	struct group_key *keys;
	struct summary *sums;
	size_t count;
	uint64_t without_times;
};

/* What the trace keeps for others who ask, and the question that it answers. */
struct kept_sums {
	struct kernel_sums sums;
	struct params asked;
};

static const char kept_key;

static void free_sums(struct kernel_sums *s)
{
	free(s->keys);
	free(s->sums);
}

static void free_kept(void *p)
{
	struct kept_sums *k = p;

	free_sums(&k->sums);
	free(k);
}

static int sum_up(struct trace *t, const struct params *p, struct kernel_sums *ret, struct err *e)
{
	struct kernel_names names;
	struct grouping g;
	int result;

	*ret = (struct kernel_sums){0};
	if (kernel_names_read(t, p, NULL, &names, e) < 0)
		return -1;
	result = grouping_make(t, TRACE_KERNELS, names.of_kernel, p, &g, e);
	kernel_names_free(&names);
	if (result < 0)
		return -1;
	ret->count = g.count;
	ret->without_times = g.without_times;
	ret->sums = mem_alloc(g.count, sizeof(*ret->sums));
	summarize(g.duration_ns, g.group, t->events[TRACE_KERNELS].count, g.count, ret->sums);
	ret->keys = g.keys;
	g.keys = NULL;
	grouping_free(&g);
	return 0;
}

/* With one device, sums by device are those over all. */
static bool is_of_one_device(const struct kernel_sums *s)
{
	for (size_t i = 1; i < s->count; i++) {
		if (s->keys[i].device != s->keys[0].device)
			return false;
	}
	return true;
}

static bool has_answer(const struct kept_sums *k, const struct params *p)
{
	return k && params_same_question(&k->asked, p) && k->asked.naming == p->naming &&
	       (p->by == PARAM_BY_DEVICE || (!p->by && is_of_one_device(&k->sums)));
}

/* The sums are the caller's, or, with *ret_kept, the trace's. */
static int read_sums(struct trace *t, const struct params *p, struct kernel_sums *ret,
		     bool *ret_kept, struct err *e)
{
	struct kept_sums *kept;

	kept = trace_kept(t, &kept_key);
	*ret_kept = has_answer(kept, p);
	if (*ret_kept) {
		*ret = kept->sums;
		return 0;
	}
	if (sum_up(t, p, ret, e) < 0)
		return -1;
	if (!t->shares_joins || kept || p->by != PARAM_BY_DEVICE)
		return 0;
	kept = mem_alloc(1, sizeof(*kept));
	*kept = (struct kept_sums){*ret, *p};
	trace_keep(t, &kept_key, kept, free_kept);
	*ret_kept = true;
	return 0;
}

static int add_table(struct trace *t, const struct params *p, struct report *r,
		     const struct kernel_sums *s, struct err *e)
{
	struct time_row *rows = mem_zalloc(s->count, sizeof(*rows));
	struct time_table table = {
		.name = "kernels",
		.kind = "kernel",
		.name_column = {"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
		.rows = rows,
		.count = s->count,
	};
	int result;

	for (size_t i = 0; i < s->count; i++) {
		rows[i].name = trace_name(t, s->keys[i].name);
		rows[i].key = s->keys[i];
		rows[i].s = s->sums[i];
	}
	result = time_table_report(r, t, p, &table, e);
	free(rows);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const struct params *p,
	       struct report *r, struct err *e)
{
	struct kernel_sums sums;
	bool kept;
	int result;

	if (window_report(r, self, t, p, e) < 0 || read_sums(t, p, &sums, &kept, e) < 0)
		return -1;
	result = add_table(t, p, r, &sums, e);
	warn_without_times(r, sums.without_times, TRACE_KERNELS);
	if (!kept)
		free_sums(&sums);
	return result < 0 ? -1 : warn_of_hidden_graphs(t, r, e);
}

const struct analysis analysis_kernels = {
	.name = "kernels",
	.title = "Kernels",
	.order = "total time",
	.summary = "GPU kernels by total time, with percentiles",
	.needs = NEEDS(TRACE_KERNELS),
	.params = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_BY | PARAM_LIMIT | PARAM_SORT,
	.run = run,
};
