/* How busy did each kernel keep the SMs, the tensor cores and the memory? */
#include "analysis/kernels/kernel_metrics.h"

#include "analysis/metrics/metric_sums.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

const struct column kernel_metric_columns[KERNEL_METRICS] = {
	{"sms_active_pct", "SMs active %", UNIT_PERCENT, 0, NULL, SHOW},
	{"tensor_pct", "Tensor %", UNIT_PERCENT, 0, NULL, SHOW},
	{"dram_pct", "DRAM %", UNIT_PERCENT, 0, NULL, SHOW},
	{"bound", "Bound by", UNIT_NAME, 0, NULL, SHOW},
};

static void index_groups(struct kernel_metrics *k)
{
	struct metric_groups *g = &k->groups;

	k->names = g->names.count;
	k->first = mem_zalloc(k->names, sizeof(*k->first));
	k->next = mem_zalloc(g->count, sizeof(*k->next));
	for (size_t i = 0; i < g->count; i++) {
		uint32_t *first = &k->first[strtab_add(&g->names, g->all[i].name)];

		k->next[i] = *first;
		*first = (uint32_t)i + 1;
	}
}

int kernel_metrics_read(struct trace *t, const struct scope *p, struct span window,
			struct kernel_metrics *ret, struct err *e)
{
	const struct metric_question q = {
		.metrics = &ret->metrics, .p = p, .window = window, .by = METRICS_BY_KERNEL};

	*ret = (struct kernel_metrics){0};
	if (gpu_metrics_read(t, &ret->metrics, e) < 0)
		return -1;
	if (gpu_metrics_require(&ret->metrics, e) < 0 ||
	    metric_groups_make(t, &q, &ret->groups, e) < 0) {
		kernel_metrics_free(ret);
		return -1;
	}
	index_groups(ret);
	return 0;
}

void kernel_metrics_free(struct kernel_metrics *k)
{
	metric_groups_free(&k->groups);
	gpu_metrics_free(&k->metrics);
	free(k->first);
	free(k->next);
	*k = (struct kernel_metrics){0};
}

/* On several GPUs: by the time that the kernel ran on each, as far as it was measured there. */
struct several {
	double sum[METRIC_KINDS], weight[METRIC_KINDS];
	size_t samples;
};

static void add_average(struct several *to, const struct metric_average *a, double ns)
{
	to->samples += a->samples;
	for (int i = 0; i < METRIC_KINDS; i++) {
		if (isnan(a->value[i]))
			continue;
		to->sum[i] += a->value[i] * ns;
		to->weight[i] += ns;
	}
}

static struct cell known(double value)
{
	return isnan(value) ? cell_null() : cell_real(value);
}

void kernel_metrics_cells(struct kernel_metrics *k, struct str name, uint32_t device,
			  struct cell out[KERNEL_METRICS])
{
	const uint32_t number = strtab_add(&k->groups.names, name);
	struct several all = {0};
	double value[METRIC_KINDS];

	for (uint32_t i = number < k->names ? k->first[number] : 0; i; i = k->next[i - 1]) {
		const struct metric_group *g = &k->groups.all[i - 1];
		struct metric_average a;

		if (!g->ns || (device != ID_NONE && g->device != device))
			continue;
		a = metric_average(&k->metrics.gpus[g->gpu], &k->groups.spans[g->begin],
				   g->end - g->begin);
		if (a.samples >= METRIC_SAMPLES_MIN)
			add_average(&all, &a, (double)g->ns);
	}
	for (int i = 0; i < KERNEL_METRICS; i++)
		out[i] = cell_null();
	out[3] = cell_text(metric_bound_names[BOUND_UNKNOWN]);
	if (!all.samples)
		return;
	for (int i = 0; i < METRIC_KINDS; i++)
		value[i] = all.weight[i] > 0 ? all.sum[i] / all.weight[i] : NAN;
	out[0] = known(value[METRIC_SMS_ACTIVE]);
	out[1] = known(value[METRIC_TENSOR]);
	out[2] = known(metric_dram(value));
	out[3] = cell_text(metric_bound_names[metric_bound(value)]);
}
