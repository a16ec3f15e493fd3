/* How many ops of a kind, or of a name, lie in the window, how long are they, and where is the
 * longest?
 */
#include "analysis/findings/explain.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"

#include <stdlib.h>

/* Whether the op is of the device and the process that are asked about. */
static bool asks_for(const struct explain *x, enum trace_kind kind, uint64_t i)
{
	const struct scope *p = &x->scope;
	uint32_t process, device;

	if (!p->has_device && !p->has_pid)
		return true;
	ops_place(&x->ops, kind, i, &process, &device);
	return scope_has_place(p, x->trace, process, device);
}

int64_t explain_op_ns(const struct explain *x, enum trace_kind kind, uint64_t i)
{
	const struct events *ev = &x->trace->events[kind];
	int64_t begin = ev->start_ns[i], end;

	if (ev->duration_ns[i] == DURATION_NONE || ev->duration_ns[i] < 0)
		return 0;
	end = sat_add(begin, ev->duration_ns[i]);
	begin = begin < x->timeline.from_ns ? x->timeline.from_ns : begin;
	end = end > x->timeline.to_ns ? x->timeline.to_ns : end;
	return end > begin && asks_for(x, kind, i) ? end - begin : 0;
}

int64_t explain_op_start(const struct explain *x, enum trace_kind kind, uint64_t i)
{
	const int64_t start_ns = x->trace->events[kind].start_ns[i];

	return start_ns > x->timeline.from_ns ? start_ns : x->timeline.from_ns;
}

struct span explain_op_span(const struct explain *x, enum trace_kind kind, uint64_t i)
{
	const int64_t start_ns = explain_op_start(x, kind, i);

	return (struct span){start_ns, sat_add(start_ns, explain_op_ns(x, kind, i))};
}

struct ops_found explain_find_ops(const struct explain *x, enum trace_kind kind, uint32_t name,
				  struct longest_parts *where)
{
	const struct events *ev = &x->trace->events[kind];
	struct ops_found found = {.longest_ns = -1};

	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t ns =
			name == NAME_NONE || ev->name[i] == name ? explain_op_ns(x, kind, i) : 0;

		found.count += ns > 0;
		if (ns > 0 && where)
			longest_parts_add(where, time_part_all(explain_op_span(x, kind, i)));
		if (ns > 0 && ns > found.longest_ns) {
			found.longest_ns = ns;
			found.longest_at_ns = explain_op_start(x, kind, i);
			found.longest_row = i;
		}
	}
	return found;
}

struct ops_found find_ops(const struct explain *x, struct finding *f, enum trace_kind kind,
			  uint32_t name)
{
	struct longest_parts where = {0};
	const struct ops_found found = explain_find_ops(x, kind, name, &where);

	if (where.count)
		find_places(f, &where);
	longest_parts_free(&where);
	return found;
}

static int compare_kernels(const void *a, const void *b)
{
	const struct kernel_time *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* What kernels add up to, for one worker. */
struct kernel_sums {
	struct kernel_time *by_name;
	int64_t all_ns;
	struct coverage covered;
};

struct kernel_adding {
	const struct explain *x;
	struct kernel_sums *sums; /* one per worker */
};

/* How much of the time is in ranges, as `nvtx` tells it. */
static void add_coverage(const struct explain *x, struct kernel_sums *s, uint64_t i, int64_t ns)
{
	s->covered.all_ns = sat_add(s->covered.all_ns, ns);
	if (x->judge.joined &&
	    attribution_range(&x->judge.attribution, TRACE_KERNELS, i) != RANGE_NONE)
		s->covered.in_ranges_ns = sat_add(s->covered.in_ranges_ns, ns);
}

static void add_some_kernels(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct kernel_adding *a = ctx;
	const struct explain *x = a->x;
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	/* A copy: workers that add to neighbours take the same line from each other at each kernel.
	 */
	struct kernel_sums s = a->sums[worker];

	if (!s.by_name)
		s.by_name = mem_zalloc(x->trace->names.count, sizeof(*s.by_name));
	for (size_t i = begin; i < end; i++) {
		int64_t ns = explain_op_ns(x, TRACE_KERNELS, i);
		struct kernel_time *k;

		add_coverage(x, &s, i, ns);
		if (!ns || ev->name[i] == NAME_NONE)
			continue;
		k = &s.by_name[ev->name[i]];
		k->total_ns = sat_add(k->total_ns, ns);
		k->count++;
		k->tiny += ev->duration_ns[i] <= TINY_NS;
		few_threads_add(&k->few, x, i, ns);
		s.all_ns = sat_add(s.all_ns, ns);
	}
	a->sums[worker] = s;
}

/* Nothing is negative: sums that saturate do so in any order. */
static void add_sums(struct explain *x, struct kernel_time *by_name, struct kernel_sums *s)
{
	x->kernel_ns = sat_add(x->kernel_ns, s->all_ns);
	x->covered.all_ns = sat_add(x->covered.all_ns, s->covered.all_ns);
	x->covered.in_ranges_ns = sat_add(x->covered.in_ranges_ns, s->covered.in_ranges_ns);
	for (size_t i = 0; s->by_name && i < x->trace->names.count; i++) {
		by_name[i].total_ns = sat_add(by_name[i].total_ns, s->by_name[i].total_ns);
		by_name[i].count += s->by_name[i].count;
		by_name[i].tiny += s->by_name[i].tiny;
		few_threads_add_all(&by_name[i].few, &s->by_name[i].few);
	}
	free(s->by_name);
}

void explain_add_kernels(struct explain *x)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	struct kernel_adding a = {x, NULL};
	struct kernel_time *by_name;

	if (!ev->count || !ev->name)
		return;
	a.sums = mem_zalloc(parallel_workers(), sizeof(*a.sums));
	parallel_each(ev->count, PARALLEL_ROWS, add_some_kernels, &a);
	by_name = mem_zalloc(x->trace->names.count, sizeof(*by_name));
	for (unsigned i = 0; i < parallel_workers(); i++)
		add_sums(x, by_name, &a.sums[i]);
	free(a.sums);
	x->kernels = by_name;
	for (size_t i = 0; i < x->trace->names.count; i++) {
		if (by_name[i].count) {
			by_name[x->kernel_count] = by_name[i];
			by_name[x->kernel_count++].name = (uint32_t)i;
		}
	}
	qsort(x->kernels, x->kernel_count, sizeof(*x->kernels), compare_kernels);
}
