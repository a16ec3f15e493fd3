/* Rules about the kernels themselves, and about communication. */
#include "analysis/findings/explain.h"

#include "analysis/metrics/metric_sums.h"

#include "base/mem.h"

#include <stdlib.h>

/* How many kernels a finding names: its evidence holds as many besides the figures. */
enum { NAMED = 4 };

/* The rows of narrow kernels, those that lose most first. */
struct narrow {
	const struct time_sum *rows[NAMED];
	size_t named, count;
	uint64_t launches;
	int64_t all_ns, named_ns; /* lost, on all devices */
	bool *is_narrow;	  /* by name */
};

static void rank_row(struct narrow *n, const struct time_sum *row)
{
	size_t at = n->named;

	while (at > 0 && n->rows[at - 1]->total_ns < row->total_ns)
		at--;
	if (at == NAMED)
		return;
	n->named += n->named < NAMED;
	for (size_t i = n->named - 1; i > at; i--)
		n->rows[i] = n->rows[i - 1];
	n->rows[at] = row;
}

static struct narrow rank_narrow(const struct explain *x)
{
	struct narrow n = {.is_narrow = mem_zalloc(x->trace->names.count + 1, sizeof(bool))};

	for (size_t i = 0; i < x->sums[SUM_EXPOSED].count; i++) {
		const struct time_sum *row = &x->sums[SUM_EXPOSED].rows[i];

		if (row->group != SLICE_NARROW)
			continue;
		n.count++;
		n.all_ns = sat_add(n.all_ns, row->total_ns);
		if (row->name != NAME_NONE)
			n.is_narrow[row->name] = true;
		rank_row(&n, row);
	}
	for (size_t i = 0; i < n.named; i++)
		n.named_ns = sat_add(n.named_ns, n.rows[i]->total_ns);
	for (size_t i = 0; i < x->kernel_count; i++)
		n.launches += n.is_narrow[x->kernels[i].name] ? x->kernels[i].count : 0;
	return n;
}

/* Nobody else is to blame where one has more than half of it. */
static bool is_chief(const struct narrow *n)
{
	return n->count == 1 || n->rows[0]->total_ns > n->all_ns / 2;
}

static const char *narrow_title(struct explain *x, const struct narrow *n)
{
	const char *name = find_kernel_code(x, n->rows[0]->name);

	if (is_chief(n))
		return arena_printf(
			&x->report->arena,
			"%s has fewer blocks than the GPU has SMs, and nothing overlaps it", name);
	return arena_printf(
		&x->report->arena,
		"%zu kernels have fewer blocks than the GPU has SMs, and nothing overlaps them",
		n->count);
}

static void add_narrow_facts(struct explain *x, struct finding *f, const struct narrow *n,
			     int64_t lost_ns)
{
	const struct time_sum *top = n->rows[0];
	const char *where = x->timeline.count > 1 ? ", on all GPUs" : "";
	struct metric_average counters;

	find_kernel(x, f, n->count > 1 ? "largest such kernel" : "kernel", top->name);
	find_count(f, "launches", n->launches);
	if (explain_kernel_counters(x, top->name, &counters))
		explain_add_counter(f, "SMs active", counters.value[METRIC_SMS_ACTIVE]);
	find_time(f, "time lost to empty SMs", lost_ns);
	find_evidence_in(f, "longest stretch",
			 find_places_of_group(f, &x->sums[SUM_EXPOSED], SLICE_NARROW).time);
	for (size_t i = 1; i < n->named; i++) {
		find_time(f,
			  arena_printf(&x->report->arena, "time lost in %s%s",
				       find_kernel_code(x, n->rows[i]->name), where),
			  n->rows[i]->total_ns);
	}
	if (n->count > n->named)
		find_time(f,
			  arena_printf(&x->report->arena, "time lost in %zu more%s",
				       n->count - n->named, where),
			  n->all_ns - n->named_ns);
}

/* Kernels that leave most of the device empty: they are one cause, however many names it has. */
static bool find_narrow(struct explain *x, const struct narrow *n)
{
	int64_t lost_ns = time_sums_group(&x->sums[SUM_EXPOSED], SLICE_NARROW, NULL);
	int64_t ns = find_within_waits(x, lost_ns);
	struct finding *f;

	/* A few short ones are what they are; those that take the time of the run are worth work.
	 */
	if (!n->count || !is_share(ns, x->window_ns, 0.05))
		return false;
	f = find_cost(x, "narrow_kernel", ns, "%s", narrow_title(x, n));
	if (!f)
		return false;
	f->bound = arena_printf(&x->report->arena, "GPU-bound by %s, which leave%s SMs empty",
				is_chief(n) ? find_kernel_code(x, n->rows[0]->name)
					    : "kernels with few blocks",
				is_chief(n) ? "s" : "");
	f->how = "time when nothing overlapped them, times the share of SMs without a block; at "
		 "most the host's waiting time";
	add_narrow_facts(x, f, n, lost_ns);
	find_advice(f, "increase their parallelism: split the reduction or the sequence across "
		       "blocks, or use a larger batch");
	find_advice(f, "or run them on a separate stream, overlapped with other work");
	f->unless = "the algorithm is sequential, and nothing else could run in the meantime";
	return true;
}

enum kernel_kind explain_kernel_kind(const struct explain *x, uint32_t name)
{
	enum kernel_kind kind = kernel_kind(trace_name(x->trace, name));

	return x->trace->comm && op_is_comm(x->trace, trace_name(x->trace, name)) ? KERNEL_COMM
										  : kind;
}

void explain_add_longest_launch(const struct explain *x, struct finding *f, uint32_t name)
{
	struct ops_found found = find_ops(x, f, TRACE_KERNELS, name);

	if (found.count)
		find_evidence_at(f, "longest launch", found.longest_ns, found.longest_at_ns);
}

/* `told`: by name, what other findings are about. */
static void find_dominant(struct explain *x, const bool *told)
{
	const struct kernel_time *top = x->kernel_count ? &x->kernels[0] : NULL;
	enum kernel_kind kind;
	struct finding *f;

	if (!top || x->kernel_count < 2 || top->count < 10 || told[top->name] ||
	    !is_share(top->total_ns, x->kernel_ns, 0.5))
		return;
	kind = explain_kernel_kind(x, top->name);
	/* A model is made of matrix products and attention: that they take the time is no news. */
	if (kind != KERNEL_OTHER)
		return;
	/* A kernel that takes half of a GPU that is mostly idle is not what holds the run up. */
	if (!is_share(x->kernel_ns / (int64_t)x->timeline.count, x->window_ns, 0.25))
		return;
	f = find_fact(x, "dominant_kernel", SEVERITY_LOW,
		      "One kernel takes at least half of the kernel time, and is not a matrix "
		      "multiplication");
	find_kernel(x, f, "kernel", top->name);
	find_share(f, "share of kernel time", top->total_ns, x->kernel_ns);
	find_count(f, "launches", top->count);
	explain_add_longest_launch(x, f, top->name);
	find_inspect(x, f, "it");
	f->unless = "the kernel already runs at the hardware's limit";
}

/* What limits the cost, where something does. */
static const char *comm_how(const struct explain *x, int64_t cost_ns, int64_t exposed_ns)
{
	if (cost_ns >= exposed_ns)
		return "exposed communication of the worst-affected GPU";
	if (cost_ns >= x->slack_ns)
		return "exposed communication of the worst-affected GPU; at most the time by which "
		       "the window exceeds the compute time of the busiest GPU";
	return "exposed communication of the worst-affected GPU; at most the host's waiting time";
}

static void find_comm(struct explain *x)
{
	size_t top = 0;
	int64_t ns = time_sums_group(&x->sums[SUM_EXPOSED], SLICE_COMM, &top), all_ns = 0;
	struct finding *f;

	ns = sat_sub(ns, x->late_ns);
	if (ns <= 0)
		return;
	f = find_lost(x, "exposed_comm", find_within_waits(x, ns),
		      "Exposed communication: no compute overlaps it");
	if (!f)
		return;
	for (size_t d = 0; d < x->timeline.count; d++)
		all_ns = sat_add(all_ns, x->timeline.devices[d].comm_ns);
	f->how = comm_how(x, f->recoverable_ns, ns);
	find_kernel(x, f, "longest such kernel", x->sums[SUM_EXPOSED].rows[top].name);
	find_time(f, "exposed on the worst-affected GPU", ns);
	if (x->late_ns)
		find_time(f, "without that: waiting for ranks that arrive later", x->late_ns);
	find_time(f, "communication on all GPUs", all_ns);
	find_evidence_in(f, "longest exposed stretch",
			 find_places_of_group(f, &x->sums[SUM_EXPOSED], SLICE_COMM).time);
	find_advice(f, "start communication as soon as its data is ready, on a separate stream "
		       "(bucketed all-reduce, prefetched all-gather)");
	f->unless = "nothing else could be computed before its data has arrived";
	if (!x->late_ns) {
		find_advice(f, "check whether one rank is late: a collective lasts until the last "
			       "rank has joined (gpuwhy stragglers)");
		f->unless = "the kernels are waiting for a slower rank, which is then the cause";
	}
}

void explain_kernels(struct explain *x)
{
	struct narrow narrow = rank_narrow(x);

	if (!find_narrow(x, &narrow))
		memset(narrow.is_narrow, 0, x->trace->names.count);
	explain_blocks(x, narrow.is_narrow);
	explain_counters(x, narrow.is_narrow);
	find_dominant(x, narrow.is_narrow);
	find_comm(x);
	free(narrow.is_narrow);
}
