/* What do the GPUs' own counters say of kernels and copies, where they were sampled? */
#include "analysis/findings/explain.h"

#include "analysis/metrics/metric_groups.h"
#include "analysis/metrics/metric_sums.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/system/labels.h"

#include <math.h>
#include <stdlib.h>

/* Percent of what is possible. */
static const double busy_sms = 50, dram_limit = 75;

/* Of the window: kernels that have less are not worth a finding. */
static const double worth = 0.05;

/* The groups of one sort, by name: that of the GPU on which it has most time. */
struct counted_groups {
	struct metric_groups groups;
	uint32_t *of_name; /* by number in groups.names; UINT32_MAX: none */
	size_t names;
};

struct counted {
	struct gpu_metrics metrics;
	struct counted_groups kernels, copies;
};

static int group(struct explain *x, enum metrics_by by, struct counted_groups *ret, struct err *e)
{
	const struct metric_question q = {
		.metrics = &x->counted->metrics,
		.p = &x->scope,
		.window = {x->timeline.from_ns, x->timeline.to_ns},
		.by = by,
		.arena = &x->report->arena,
	};
	struct metric_groups *g = &ret->groups;

	if (metric_groups_make(x->trace, &q, g, e) < 0)
		return -1;
	ret->names = g->names.count;
	ret->of_name = mem_alloc(ret->names, sizeof(*ret->of_name));
	for (size_t i = 0; i < ret->names; i++)
		ret->of_name[i] = UINT32_MAX;
	for (size_t i = 0; i < g->count; i++) {
		uint32_t *most = &ret->of_name[strtab_add(&g->names, g->all[i].name)];

		if (*most == UINT32_MAX || g->all[i].ns > g->all[*most].ns)
			*most = (uint32_t)i;
	}
	return 0;
}

int explain_counters_read(struct explain *x, struct err *e)
{
	if (!sqlitefile_find_table(x->trace->file, "GPU_METRICS"))
		return 0;
	x->counted = mem_zalloc(1, sizeof(*x->counted));
	if (gpu_metrics_read(x->trace, &x->counted->metrics, e) < 0 ||
	    group(x, METRICS_BY_KERNEL, &x->counted->kernels, e) < 0)
		return -1;
	return group(x, METRICS_BY_COPY, &x->counted->copies, e);
}

void explain_counters_free(struct explain *x)
{
	if (!x->counted)
		return;
	metric_groups_free(&x->counted->kernels.groups);
	free(x->counted->kernels.of_name);
	metric_groups_free(&x->counted->copies.groups);
	free(x->counted->copies.of_name);
	gpu_metrics_free(&x->counted->metrics);
	free(x->counted);
}

/* Whether enough samples lie in the time of the group of that name. */
static bool average_of(struct explain *x, struct counted_groups *c, struct str name,
		       struct metric_average *ret)
{
	const uint32_t number = strtab_add(&c->groups.names, name);
	const struct metric_group *g;

	if (number >= c->names || c->of_name[number] == UINT32_MAX)
		return false;
	g = &c->groups.all[c->of_name[number]];
	*ret = metric_average(&x->counted->metrics.gpus[g->gpu], &c->groups.spans[g->begin],
			      g->end - g->begin);
	return ret->samples >= METRIC_SAMPLES_MIN;
}

bool explain_kernel_counters(struct explain *x, uint32_t kernel, struct metric_average *ret)
{
	return x->counted && average_of(x, &x->counted->kernels, trace_name(x->trace, kernel), ret);
}

static bool copy_counters(struct explain *x, const struct copy_time *c, struct metric_average *ret)
{
	const struct copy_sort sort = {c->copy_kind, c->src_kind, c->dst_kind};
	SCOPED_BUF name = {0};

	if (!x->counted)
		return false;
	metric_add_copy_name(&name, &sort);
	/* A name that is not there is added, and must live as long. */
	return average_of(x, &x->counted->copies, arena_str(&x->report->arena, buf_str(&name)),
			  ret);
}

void explain_add_counter(struct finding *f, const char *label, double pct)
{
	if (!isnan(pct))
		find_evidence(f, label, UNIT_PERCENT, cell_real(pct));
}

double explain_add_link(struct explain *x, struct finding *f, const struct copy_time *c)
{
	struct metric_average a;
	double pct = NAN;

	if (!copy_counters(x, c, &a))
		return NAN;
	switch (c->copy_kind) {
	case COPY_HOST_TO_DEVICE:
		pct = a.value[METRIC_PCIE_RX];
		break;
	case COPY_DEVICE_TO_HOST:
		pct = a.value[METRIC_PCIE_TX];
		break;
	case COPY_DEVICE_TO_DEVICE:
		explain_add_counter(f, "DRAM bandwidth in use", metric_dram(a.value));
		return NAN;
	default:
		return NAN;
	}
	explain_add_counter(f, "PCIe bandwidth in use", pct);
	return pct;
}

/* The kernel's time on the GPU that has most of it. */
static int64_t kernel_ns(struct explain *x, const struct kernel_time *k)
{
	struct counted_groups *c = &x->counted->kernels;
	const uint32_t number = strtab_add(&c->groups.names, trace_name(x->trace, k->name));

	return number < c->names && c->of_name[number] != UINT32_MAX
		       ? c->groups.all[c->of_name[number]].ns
		       : 0;
}

static void tell_dram(struct explain *x, const struct kernel_time *k,
		      const struct metric_average *a)
{
	struct finding *f =
		find_fact(x, "dram_limit", SEVERITY_INFO,
			  "%s runs at %.0f %% of the DRAM's bandwidth: it is as fast as memory is",
			  find_kernel_code(x, k->name), metric_dram(a->value));

	f->how = "nothing can be recovered by tuning it: it waits for nothing but memory";
	f->confidence = CONFIDENCE_HIGH;
	find_kernel(x, f, "kernel", k->name);
	find_share(f, "share of kernel time", k->total_ns, x->kernel_ns);
	explain_add_counter(f, "DRAM read", a->value[METRIC_DRAM_READ]);
	explain_add_counter(f, "DRAM write", a->value[METRIC_DRAM_WRITE]);
	find_count(f, "samples of its counters", a->samples);
	find_advice(f, "only moving fewer bytes makes it faster: fuse it with the kernels before "
		       "and after it, or use smaller types");
}

static void tell_few_sms(struct explain *x, const struct kernel_time *k,
			 const struct metric_average *a)
{
	const double empty = 1 - a->value[METRIC_SMS_ACTIVE] / 100;
	const int64_t ns = kernel_ns(x, k);
	struct finding *f =
		find_cost(x, "few_sms", find_within_waits(x, sat_of_double((double)ns * empty)),
			  "%s keeps %.0f %% of the SMs busy", find_kernel_code(x, k->name),
			  a->value[METRIC_SMS_ACTIVE]);

	if (!f)
		return;
	f->bound = arena_printf(&x->report->arena,
				"GPU-bound by %s, which keeps %.0f %% of the "
				"SMs busy",
				find_kernel_code(x, k->name), a->value[METRIC_SMS_ACTIVE]);
	f->how = "its time, times the share of SMs that the counters say are idle in it; at most "
		 "the host's waiting time";
	find_kernel(x, f, "kernel", k->name);
	find_count(f, "launches", k->count);
	explain_add_counter(f, "SMs active", a->value[METRIC_SMS_ACTIVE]);
	find_count(f, "samples of its counters", a->samples);
	explain_add_longest_launch(x, f, k->name);
	find_advice(f, "share the work out evenly over more blocks: some blocks may run long after "
		       "the others have ended");
	find_advice(f, "or run it on a separate stream, overlapped with other work");
	f->unless = "the algorithm is sequential, and nothing else could run in the meantime";
}

/* Samples of the clock while the SMs are at work, in order of size. */
static int64_t *busy_clocks(const struct measured_gpu *g, struct span window, size_t *ret_count)
{
	size_t columns[METRIC_KINDS], count = 0;
	int64_t *mhz = mem_alloc(g->samples, sizeof(*mhz)), *scratch;

	metric_columns(g, columns);
	for (size_t i = 0; i < g->samples && columns[METRIC_CLOCK] != SIZE_MAX &&
			   columns[METRIC_SMS_ACTIVE] != SIZE_MAX;
	     i++) {
		const double clock =
			metric_sound(METRIC_CLOCK, gpu_metric(g, i, columns[METRIC_CLOCK]));
		const double sms = metric_sound(METRIC_SMS_ACTIVE,
						gpu_metric(g, i, columns[METRIC_SMS_ACTIVE]));

		if (g->at_ns[i] >= window.start_ns && g->at_ns[i] < window.end_ns &&
		    sms >= busy_sms && clock > 0)
			mhz[count++] = llround(clock);
	}
	scratch = mem_alloc(count, sizeof(*scratch));
	sort_i64(mhz, scratch, count);
	free(scratch);
	*ret_count = count;
	return mhz;
}

/* Falls below nine tenths of what it reaches, for a tenth of the time that the SMs are at work. */
static void tell_clock(struct explain *x, uint32_t device, const int64_t *mhz, size_t count)
{
	const int64_t high = mhz[count - 1 - count / 20], low = mhz[count / 20];
	size_t below = 0;
	struct finding *f;

	while (below < count && (double)mhz[below] < 0.9 * (double)high)
		below++;
	if (below * 10 < count)
		return;
	f = find_fact(x, "clock_falls", SEVERITY_LOW,
		      "The GPU's clock falls from %lld to %lld MHz while it computes",
		      (long long)high, (long long)low);
	if (x->timeline.count > 1)
		find_count(f, "device", device);
	find_count(f, "median clock, MHz", (uint64_t)mhz[count / 2]);
	find_share(f, "computing time below 90 % of the highest clock", (int64_t)below,
		   (int64_t)count);
	find_count(f, "samples with busy SMs", count);
	find_advice(f, "nvidia-smi -q -d PERFORMANCE names the reason: the power limit, heat, or "
		       "clocks that somebody set");
	find_advice(f, "compare runs at the same clocks only (nvidia-smi --lock-gpu-clocks)");
	f->unless = "matrix products at full rate reach the power limit: then it is as fast as "
		    "that allows";
}

/* The GPU as answers call it; false: no kernel that is asked about ran on it. */
static bool find_device(const struct explain *x, size_t gpu, uint32_t *ret)
{
	const struct metric_groups *g = &x->counted->kernels.groups;

	for (size_t i = 0; i < g->count; i++) {
		*ret = g->all[i].device;
		if (g->all[i].gpu == gpu)
			return true;
	}
	return false;
}

static void find_clocks(struct explain *x)
{
	enum { ENOUGH = 100 };
	const struct span window = {x->timeline.from_ns, x->timeline.to_ns};

	for (size_t i = 0; i < x->counted->metrics.count; i++) {
		uint32_t device;
		size_t count;
		int64_t *mhz;

		if (!find_device(x, i, &device))
			continue;
		mhz = busy_clocks(&x->counted->metrics.gpus[i], window, &count);
		if (count >= ENOUGH)
			tell_clock(x, device, mhz, count);
		free(mhz);
	}
}

void explain_counters(struct explain *x, bool *told)
{
	if (!x->counted || !x->timeline.count)
		return;
	for (size_t i = 0;
	     i < x->kernel_count && is_share(x->kernels[i].total_ns, x->window_ns, worth); i++) {
		const struct kernel_time *k = &x->kernels[i];
		struct metric_average a;

		if (!is_share(kernel_ns(x, k), x->window_ns, worth) ||
		    !explain_kernel_counters(x, k->name, &a))
			continue;
		if (metric_dram(a.value) >= dram_limit) {
			tell_dram(x, k, &a);
			told[k->name] = true;
		} else if (a.bound == BOUND_FEW_SMS && !told[k->name]) {
			tell_few_sms(x, k, &a);
			told[k->name] = true;
		}
	}
	find_clocks(x);
}
