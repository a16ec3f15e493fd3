/* What does a gap cost, and whose fault is it? */
#include "analysis/findings/collect.h"

#include "base/mem.h"
#include "base/saturate.h"

enum { LEAD_NS = 10000000 }; /* a queue holds about a thousand launches of some 10 µs */

static void add_calls(struct collector *c, uint32_t cause, uint32_t range, uint32_t stack,
		      int64_t ns)
{
	if (c->x->code.stacks.count && ns > 0)
		code_sums_add(&c->calls, cause, range, stack, ns);
}

/* What the gap costs, and whose call that is. */
static void add_cost(struct collector *c, enum gap_cause cause, uint32_t range, uint32_t stack,
		     int64_t ns)
{
	collect_add_gap(c, SUM_CAUSES, cause, range, &c->cursor->gap, ns);
	add_calls(c, cause, range, stack, ns);
}

static void add_ender(struct collector *c, uint32_t range, const struct gap *gap)
{
	const struct events *ev = &c->x->trace->events[TRACE_KERNELS];
	uint32_t name = ev->duration_ns[gap->row] <= TINY_NS ? ev->name[gap->row] : NAME_NONE;

	time_sums_add(&c->sums[SUM_ENDERS], range, name, gap->device, gap_ns(gap));
}

/* A gap that has another cause may begin with a wait all the same. */
static void add_sync_part(struct collector *c, const struct gap *gap)
{
	if (!gap->ns[BLAME_SYNC])
		return;
	collect_add_gap(c, SUM_WAITS, WAITS_SYNC, 0, gap, gap->ns[BLAME_SYNC]);
	add_calls(c, CAUSE_SYNC, NAME_NONE, collect_blamed_stack(c, CAUSE_SYNC),
		  gap->ns[BLAME_SYNC]);
	time_sums_add(&c->sums[SUM_WAITS], WAITS_TOUCHED, 0, gap->device, gap_ns(gap));
}

/* Without the wait the thread would have been that much earlier, and no more. */
static int64_t sync_cost(const struct gap *gap)
{
	int64_t waited = sat_add(gap->waited_ns, gap->ns[BLAME_SYNC]);

	return waited < gap_ns(gap) ? waited : gap_ns(gap);
}

/* As far as it is no copy's wait, which the copy's finding has. */
static bool follows_sync(const struct gap *gap)
{
	return gap->before_kind == TRACE_KERNELS && gap->kind == TRACE_KERNELS &&
	       (gap->ns[BLAME_SYNC] || (gap->waited_ns && !gap->waited_for_copy));
}

/* What would go away with the cause. What the profiler took goes away without it. */
static int64_t gap_cost(const struct gap *gap)
{
	int64_t ns = gap->cause == CAUSE_SYNC	       ? sync_cost(gap)
		     : gap->cause == CAUSE_SLOW_LAUNCH ? gap->ns[BLAME_LAUNCH]
						       : gap_ns(gap);
	int64_t most = gap_ns(gap) - gap->profiler_ns - gap_held_ns(gap);

	/* From one kernel to the next takes a GPU its time: that much is no loss. */
	if (gap->cause == CAUSE_QUEUED)
		return gap_held_ns(gap);
	ns = ns < most ? ns : most;
	return ns > 0 ? ns : 0;
}

/* The sort of a copy right before the gap, or else of the one that ends it. */
static uint32_t gap_sort(const struct explain *x, const struct gap *gap)
{
	if (gap->before_kind == TRACE_MEMCPYS)
		return x->copy_sort[gap->before_row];
	return gap->kind == TRACE_MEMCPYS ? x->copy_sort[gap->row] : COPY_UNSORTED;
}

/*
 * Whether the gap would not be there if the copies around it were one: whatever the host did to
 * get from the one to the next, unless that is worth a word of its own.
 */
static bool is_between_copies(const struct explain *x, const struct gap *gap)
{
	uint32_t sort;

	if (gap->before_kind != TRACE_MEMCPYS || gap->kind != TRACE_MEMCPYS ||
	    gap->cause == CAUSE_STALL || gap->cause == CAUSE_ALLOC ||
	    gap->cause == CAUSE_SLOW_LAUNCH || gap->cause == CAUSE_CALLS || gap_held_ns(gap))
		return false;
	sort = x->copy_sort[gap->row];
	return sort != COPY_UNSORTED && sort == x->copy_sort[gap->before_row] &&
	       x->copy_times[sort].one_by_one;
}

/*
 * Code that is loaded for a kernel that has run before is made anew. A kernel that has never run
 * is loaded when it is first needed, which is a cost of starting.
 */
static bool loads_again(const struct explain *x, const struct gap *gap)
{
	const uint32_t name = gap->kind == TRACE_KERNELS
				      ? collect_kernel_name(x->trace, TRACE_KERNELS, gap->row)
				      : NAME_NONE;

	if (!gap->loads_code)
		return false;
	return name == NAME_NONE ? x->scope.chosen == SPAN_WARM
				 : x->first_run_ns[name] < gap->start_ns;
}

static void add_stall(struct collector *c, struct stalls *s, const struct gap *gap, uint32_t range)
{
	MEM_GROW(s->all, s->cap, s->count + 1);
	s->all[s->count++] = (struct stall){gap->start_ns, gap->end_ns, c->cursor->thread,
					    gap->device,   range,	loads_again(c->x, gap)};
}

static void add_loads(const struct explain *x, struct module_loads *l, const struct gap *gap)
{
	if (!loads_again(x, gap) || !is_share(gap->loads_ns, gap->ns[BLAME_ALLOC], 0.5))
		return;
	l->gaps++;
	l->ns = sat_add(l->ns, gap_cost(gap));
}

/* What calls that are the gap's cause cost, by the time of each in it. */
static void share_cost(struct collector *c, enum blame blame, struct span call, int64_t ns)
{
	const struct gap *gap = &c->cursor->gap;
	const double part = (double)ns / (double)gap->ns[blame];

	if (c->x->code.stacks.count && gap->ns[blame])
		add_calls(c, gap->cause, NAME_NONE, collect_stack_in_call(c, call),
			  sat_of_double(part * (double)gap_cost(gap)));
}

static void add_alloc_call(void *ctx, uint32_t name, struct span call, int64_t ns)
{
	struct collector *c = ctx;

	time_sums_add(&c->sums[SUM_ALLOC_CALLS], 0, name, c->cursor->gap.device, ns);
	share_cost(c, BLAME_ALLOC, call, ns);
}

static void add_slow_call(void *ctx, uint32_t name, struct span call, int64_t ns)
{
	(void)name;
	share_cost(ctx, BLAME_CUDA, call, ns);
}

/* What has another cause would still be there without the wait. */
static void add_sync_between(struct collector *c, const struct gap *gap)
{
	const int64_t most_ns = gap_ns(gap) - gap->profiler_ns - gap_held_ns(gap);
	const int64_t ns = sync_cost(gap) < most_ns ? sync_cost(gap) : most_ns;
	const bool is_its = gap->cause == CAUSE_SYNC || gap->cause == CAUSE_LAUNCH_BOUND;

	if (!follows_sync(gap))
		return;
	collect_add_gap(c, SUM_WAITS, WAITS_KERNELS, 0, gap, is_its && ns > 0 ? ns : 0);
	if (is_its)
		add_calls(c, CALLS_BETWEEN, NAME_NONE, collect_blamed_stack(c, CAUSE_SYNC), ns);
}

/* Every gap uses up some of the lead that waits cost. Of two the one that costs more is told of. */
static void follow_lead(struct collector *c, const struct gap *gap, uint32_t range)
{
	const int64_t waited_ns = gap->waited_for_copy ? 0 : gap->waited_ns;
	struct lead *l = &c->leads[gap->device];

	if (l->thread != c->cursor->thread || waited_ns > l->ns)
		*l = (struct lead){waited_ns < LEAD_NS ? waited_ns : LEAD_NS, gap->start_ns,
				   c->cursor->thread, range,
				   waited_ns ? collect_blamed_stack(c, CAUSE_SYNC) : STACK_NONE};
	l->ns = l->ns > gap_ns(gap) ? l->ns - gap_ns(gap) : 0;
}

/* What a launch that comes late costs is the wait's, as far as the lead would have hidden it. */
static void add_late_launch(struct collector *c, const struct gap *gap, uint32_t range)
{
	const struct lead *l = &c->leads[gap->device];
	const int64_t cost_ns = gap_cost(gap);
	const bool is_after = l->thread == c->cursor->thread && l->since_ns < gap->start_ns;
	const int64_t lead_ns = is_after ? l->ns : 0;
	const int64_t waits_ns = lead_ns < cost_ns ? lead_ns : cost_ns;

	if (waits_ns)
		add_cost(c, CAUSE_SYNC, l->range, l->stack, waits_ns);
	if (waits_ns == cost_ns)
		return;
	add_cost(c, CAUSE_LAUNCH_BOUND, range, collect_blamed_stack(c, CAUSE_LAUNCH_BOUND),
		 cost_ns - waits_ns);
	if (gap->kind == TRACE_KERNELS && c->x->trace->events[TRACE_KERNELS].name)
		add_ender(c, range, gap);
}

static void add_slow_launch(struct collector *c, const struct gap *gap, uint32_t range)
{
	const uint32_t kernel = collect_kernel_name(c->x->trace, gap->kind, gap->row);

	collect_add_gap(c, SUM_SLOW_LAUNCHES, range, kernel, gap, gap_cost(gap));
	if (c->x->code.stacks.count)
		code_sums_add(&c->slow_calls, range, kernel,
			      collect_blamed_stack(c, CAUSE_SLOW_LAUNCH), gap_cost(gap));
}

static void add_copy_gap(struct collector *c, enum copy_gap sort, uint32_t copies, uint32_t range)
{
	const struct gap *gap = &c->cursor->gap;
	const int64_t ns = gap_ns(gap) - gap->profiler_ns;

	collect_add_gap(c, SUM_COPY_GAPS + (int)sort, copies, range, gap, ns);
	add_calls(c, CALLS_COPIES + copies, NAME_NONE,
		  collect_blamed_stack(c, sort == GAP_BETWEEN ? CAUSE_LAUNCH_BOUND : CAUSE_COPY),
		  ns);
}

static void add_cause(struct collector *c, const struct gap *gap, uint32_t range)
{
	const struct explain *x = c->x;

	add_sync_between(c, gap);
	if (gap->cause != CAUSE_SYNC)
		add_sync_part(c, gap);
	if (gap->cause == CAUSE_QUEUED && !gap_held_ns(gap))
		collect_add_gap(c, SUM_WAITS, WAITS_PAUSED, 0, gap, gap_ns(gap));
	if (gap->cause == CAUSE_SLOW_LAUNCH) {
		add_slow_launch(c, gap, range);
		return;
	}
	if (collect_is_charged(gap->cause))
		collect_charge_ranges(c, gap, gap_cost(gap));
	else if (gap->cause == CAUSE_LAUNCH_BOUND)
		add_late_launch(c, gap, range);
	else
		add_cost(c, gap->cause, range, collect_blamed_stack(c, gap->cause), gap_cost(gap));
	if (gap->cause == CAUSE_STALL)
		add_stall(c, &c->stalls, gap, range);
	if (gap->cause == CAUSE_MANAGED)
		add_stall(c, &c->managed, gap, range);
	if (gap->cause == CAUSE_ALLOC) {
		c->beside_ns = sat_add(c->beside_ns, gap->ns[BLAME_LAUNCH]);
		add_loads(x, &c->loads, gap);
		gap_judge_calls(&x->judge, c->cursor, BLAME_ALLOC, add_alloc_call, c);
	}
	if (gap->cause == CAUSE_CALLS) {
		time_sums_add(&c->sums[SUM_SLOW_CALLS], 0,
			      x->judge.calls.origins[gap->slow_call].name, gap->device,
			      gap_cost(gap));
		if (x->code.stacks.count)
			gap_judge_calls(&x->judge, c->cursor, BLAME_CUDA, add_slow_call, c);
	}
	if (gap->cause == CAUSE_COPY)
		add_copy_gap(c, GAP_IN_CALLS, gap_sort(x, gap), range);
}

/* Nearly always that of the gap before. */
static uint32_t name_range(struct collector *c, uint32_t range)
{
	if (c->range != range || !c->has_range) {
		c->range = range;
		c->range_name = explain_folded_range(c->x, range);
		c->has_range = true;
	}
	return c->range_name;
}

void collect_take_gap(struct collector *c, const struct slice *s)
{
	const struct explain *x = c->x;
	const struct gap *gap = gap_judge_slice(&x->judge, c->cursor, s);
	const uint32_t range = name_range(c, gap->range);

	if (collect_is_sampled_host(c, gap))
		c->cursor->gap.cause = CAUSE_STALL;
	if (gap->ns[BLAME_OVERHEAD])
		collect_add_gap(c, SUM_CAUSES, CAUSE_OVERHEAD, range, gap, gap->ns[BLAME_OVERHEAD]);
	if (gap->cause == CAUSE_OVERHEAD)
		return;
	if (is_between_copies(x, gap))
		add_copy_gap(c, GAP_BETWEEN, x->copy_sort[gap->row], range);
	else
		add_cause(c, gap, range);
	collect_add_code(c, gap, range);
	follow_lead(c, gap, range);
}
