/* What does each instant of the window cost, and whose fault is it? */
#include "analysis/code/code_times.h"
#include "analysis/findings/explain.h"
#include "analysis/gpu/whole_run.h"
#include "analysis/steps/iteration_times.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

enum {
	LEVELS_UP = 64,	    /* of ranges around the one a thread is in */
	LEAD_NS = 10000000, /* a queue holds about a thousand launches of some 10 µs */
};

/* By memcpy; known once all pieces are walked, each of which has copies of its own. */
struct copy_facts {
	int64_t *exposed_ns;
	uint32_t *device;
};

/* The ranges that the thread was in during one gap. */
struct charge {
	uint32_t range; /* folded */
	int64_t ns;
};

struct charges {
	struct charge *all;
	size_t count, cap;
	uint32_t
		*at; /* by folded name, the last that of no range: its place in `all`, or ID_NONE */
};

/*
 * A host that waits for the GPU loses its lead: without the wait it would be ahead by as long as it
 * waited, until gaps have used that up.
 */
struct lead {
	int64_t ns;	  /* that is left */
	int64_t since_ns; /* of gaps the one before the first op is met last */
	uint32_t thread;
	uint32_t range; /* of the wait, folded */
	uint32_t stack; /* … and who made the call */
};

/* Collects while a piece of the timeline is walked; attribution to ranges comes after. */
struct collector {
	MEM_APART const struct explain *x;
	struct gap_cursor *cursor;
	struct time_sums sums[EXPLAIN_SUMS]; /* as those of struct explain; enders by whole name */
	int64_t beside_ns;		     /* as that of struct explain */
	struct module_loads loads;
	struct stalls stalls, managed;		  /* so are these */
	struct charges charges;			  /* of the gap at hand */
	struct lead *leads;			  /* by device */
	struct code_sums code, calls, slow_calls; /* and these */
	struct thread_samples samples;		  /* of a thread by its key; see samples_here() */
	uint64_t samples_of;
	bool has_samples;
	const struct copy_facts *copies;
};

static uint32_t kernel_name(const struct trace *t, enum trace_kind kind, uint64_t row)
{
	const struct events *ev = &t->events[TRACE_KERNELS];

	return kind == TRACE_KERNELS && ev->name ? ev->name[row] : NAME_NONE;
}

uint32_t explain_folded_range(const struct explain *x, uint32_t range)
{
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	uint32_t name = range == RANGE_NONE
				? NAME_NONE
				: ev->name[x->judge.attribution.forest.ranges[range].row];

	return name == NAME_NONE ? NAME_NONE : x->folded[name];
}

/* Whatever a compiler does inside, it is compiling; ranges that are nested beyond reason are not
 * followed to the end. */
static uint32_t charged_range(const struct explain *x, uint32_t range)
{
	const uint32_t own = explain_folded_range(x, range);

	for (int up = 0; range != RANGE_NONE && up < LEVELS_UP; up++) {
		const uint32_t name = explain_folded_range(x, range);

		if (name != NAME_NONE && x->compiles[name])
			return name;
		range = x->judge.attribution.forest.ranges[range].parent;
	}
	return own;
}

/* Template arguments tell apart what is one kernel to the person who launches it. */
static struct str stem(struct str name)
{
	const char *end = memchr(name.s, '<', name.len);

	return end ? (struct str){name.s, (size_t)(end - name.s)} : name;
}

static void add_gap(struct collector *c, int to, uint32_t group, uint32_t name,
		    const struct gap *gap, int64_t ns)
{
	time_sums_add(&c->sums[to], group, name, gap->device, gap->start_ns, ns);
}

/* Of the thread that launches what ends the gap: that of the gap before, as a rule. */
static struct thread_samples *samples_here(struct collector *c)
{
	const uint64_t key = c->x->trace->thread_keys.keys[c->cursor->thread];

	if (!c->has_samples || c->samples_of != key) {
		c->samples = code_of_thread(&c->x->code, key);
		if (c->x->judge.joined)
			samples_bound(&c->samples, &c->x->long_calls, c->cursor->thread);
		c->samples_of = key;
		c->has_samples = true;
	}
	return &c->samples;
}

static uint32_t stack_in_call(struct collector *c, struct span call)
{
	const struct explain *x = c->x;

	return code_in_call(&x->code, samples_here(c),
			    x->trace->thread_keys.keys[c->cursor->thread], call);
}

/* Who makes the call that the gap at hand is blamed on. */
static uint32_t blamed_stack(struct collector *c, enum gap_cause cause)
{
	struct span call;

	if (!c->x->code.stacks.count || !gap_judge_blamed(c->cursor, cause, &call))
		return STACK_NONE;
	return stack_in_call(c, call);
}

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
	add_gap(c, SUM_CAUSES, cause, range, &c->cursor->gap, ns);
	add_calls(c, cause, range, stack, ns);
}

static void add_ender(struct collector *c, uint32_t range, const struct gap *gap)
{
	const struct events *ev = &c->x->trace->events[TRACE_KERNELS];
	uint32_t name = ev->duration_ns[gap->row] <= TINY_NS ? ev->name[gap->row] : NAME_NONE;

	add_gap(c, SUM_ENDERS, range, name, gap, gap_ns(gap));
}

/* A gap that has another cause may begin with a wait all the same. */
static void add_sync_part(struct collector *c, const struct gap *gap)
{
	if (!gap->ns[BLAME_SYNC])
		return;
	add_gap(c, SUM_WAITS, WAITS_SYNC, 0, gap, gap->ns[BLAME_SYNC]);
	add_calls(c, CAUSE_SYNC, NAME_NONE, blamed_stack(c, CAUSE_SYNC), gap->ns[BLAME_SYNC]);
	add_gap(c, SUM_WAITS, WAITS_TOUCHED, 0, gap, gap_ns(gap));
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

static struct charge *charge_of(struct charges *to, uint32_t range, size_t names)
{
	uint32_t *at;

	if (!to->at)
		to->at = new_ids(names + 1);
	at = &to->at[range == NAME_NONE ? names : range];
	if (*at == ID_NONE) {
		*at = (uint32_t)to->count;
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] = (struct charge){range, 0};
	}
	return &to->all[*at];
}

/* What a gap costs is charged to the ranges its thread was in, by time: none has more than it had.
 */
static void charge_ranges(struct collector *c, const struct gap *gap, int64_t cost_ns)
{
	const struct explain *x = c->x;
	const size_t names = x->folded_names.count;
	const double part = (double)cost_ns / (double)gap_ns(gap);
	struct innermost_cursor at = {0};
	struct charges *charges = &c->charges;

	charges->count = 0;
	for (int64_t from_ns = gap->start_ns; from_ns < gap->end_ns;) {
		const uint32_t range =
			innermost_follow(&x->judge.innermost, c->cursor->thread, from_ns, &at);
		const int64_t to_ns = at.to_ns < gap->end_ns - 1 ? at.to_ns + 1 : gap->end_ns;

		charge_of(charges, charged_range(x, range), names)->ns += to_ns - from_ns;
		from_ns = to_ns;
	}
	for (size_t i = 0; i < charges->count; i++) {
		const struct charge *one = &charges->all[i];
		const int64_t ns = sat_of_double(part * (double)one->ns);

		charges->at[one->range == NAME_NONE ? names : one->range] = ID_NONE;
		/* On its way from one range to the next a thread is in those around, for a moment.
		 */
		if (is_share(one->ns, gap_ns(gap), 0.01) && ns > 0)
			add_gap(c, SUM_CAUSES, gap->cause, one->range, gap,
				charges->count == 1 ? cost_ns : ns);
	}
}

/*
 * Code that is loaded for a kernel that has run before is made anew. A kernel that has never run
 * is loaded when it is first needed, which is a cost of starting.
 */
static bool loads_again(const struct explain *x, const struct gap *gap)
{
	const uint32_t name = gap->kind == TRACE_KERNELS
				      ? kernel_name(x->trace, TRACE_KERNELS, gap->row)
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
		add_calls(c, gap->cause, NAME_NONE, stack_in_call(c, call),
			  sat_of_double(part * (double)gap_cost(gap)));
}

static void add_alloc_call(void *ctx, uint32_t name, struct span call, int64_t ns)
{
	struct collector *c = ctx;

	add_gap(c, SUM_ALLOC_CALLS, 0, name, &c->cursor->gap, ns);
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
	add_gap(c, SUM_WAITS, WAITS_KERNELS, 0, gap, is_its && ns > 0 ? ns : 0);
	if (is_its)
		add_calls(c, CALLS_BETWEEN, NAME_NONE, blamed_stack(c, CAUSE_SYNC), ns);
}

/* Every gap uses up some of the lead that waits cost. Of two the one that costs more is told of. */
static void follow_lead(struct collector *c, const struct gap *gap, uint32_t range)
{
	const int64_t waited_ns = gap->waited_for_copy ? 0 : gap->waited_ns;
	struct lead *l = &c->leads[gap->device];

	if (l->thread != c->cursor->thread || waited_ns > l->ns)
		*l = (struct lead){waited_ns < LEAD_NS ? waited_ns : LEAD_NS, gap->start_ns,
				   c->cursor->thread, range,
				   waited_ns ? blamed_stack(c, CAUSE_SYNC) : STACK_NONE};
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
	add_cost(c, CAUSE_LAUNCH_BOUND, range, blamed_stack(c, CAUSE_LAUNCH_BOUND),
		 cost_ns - waits_ns);
	if (gap->kind == TRACE_KERNELS && c->x->trace->events[TRACE_KERNELS].name)
		add_ender(c, range, gap);
}

/* Whether what a gap costs is charged to all ranges its thread was in. */
static bool is_charged(enum gap_cause cause)
{
	return cause == CAUSE_STALL || cause == CAUSE_MANAGED || cause == CAUSE_ALLOC ||
	       cause == CAUSE_CALLS;
}

static void add_slow_launch(struct collector *c, const struct gap *gap, uint32_t range)
{
	const uint32_t kernel = kernel_name(c->x->trace, gap->kind, gap->row);

	add_gap(c, SUM_SLOW_LAUNCHES, range, kernel, gap, gap_cost(gap));
	if (c->x->code.stacks.count)
		code_sums_add(&c->slow_calls, range, kernel, blamed_stack(c, CAUSE_SLOW_LAUNCH),
			      gap_cost(gap));
}

static void add_copy_gap(struct collector *c, enum copy_gap sort, uint32_t copies, uint32_t range)
{
	const struct gap *gap = &c->cursor->gap;
	const int64_t ns = gap_ns(gap) - gap->profiler_ns;

	add_gap(c, SUM_COPY_GAPS + (int)sort, copies, range, gap, ns);
	add_calls(c, CALLS_COPIES + copies, NAME_NONE,
		  blamed_stack(c, sort == GAP_BETWEEN ? CAUSE_LAUNCH_BOUND : CAUSE_COPY), ns);
}

static void add_cause(struct collector *c, const struct gap *gap, uint32_t range)
{
	const struct explain *x = c->x;

	add_sync_between(c, gap);
	if (gap->cause != CAUSE_SYNC)
		add_sync_part(c, gap);
	if (gap->cause == CAUSE_QUEUED && !gap_held_ns(gap))
		add_gap(c, SUM_WAITS, WAITS_PAUSED, 0, gap, gap_ns(gap));
	if (gap->cause == CAUSE_SLOW_LAUNCH) {
		add_slow_launch(c, gap, range);
		return;
	}
	if (is_charged(gap->cause))
		charge_ranges(c, gap, gap_cost(gap));
	else if (gap->cause == CAUSE_LAUNCH_BOUND)
		add_late_launch(c, gap, range);
	else
		add_cost(c, gap->cause, range, blamed_stack(c, gap->cause), gap_cost(gap));
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
		add_gap(c, SUM_SLOW_CALLS, 0, x->judge.calls.origins[gap->slow_call].name, gap,
			gap_cost(gap));
		if (x->code.stacks.count)
			gap_judge_calls(&x->judge, c->cursor, BLAME_CUDA, add_slow_call, c);
	}
	if (gap->cause == CAUSE_COPY)
		add_copy_gap(c, GAP_IN_CALLS, gap_sort(x, gap), range);
}

struct code_taking {
	struct collector *to;
	uint32_t range; /* of the gap, folded */
	struct innermost_cursor at;
};

/*
 * A stall is charged to the ranges its thread was in, other gaps to one. The middle of a sample's
 * time is nearest to the sample: its beginning may lie before the range that it is in.
 */
static void take_code(void *ctx, uint32_t stack, struct span part)
{
	struct code_taking *t = ctx;
	const struct explain *x = t->to->x;
	const struct gap *gap = &t->to->cursor->gap;
	const int64_t ns = sat_sub(part.end_ns, part.start_ns);
	uint32_t range = t->range;

	if (is_charged(gap->cause))
		range = charged_range(x,
				      innermost_follow(&x->judge.innermost, t->to->cursor->thread,
						       sat_add(part.start_ns, ns / 2), &t->at));
	code_sums_add(&t->to->code, gap->cause, range, stack, ns);
}

static void add_code(struct collector *c, const struct gap *gap, uint32_t range)
{
	struct code_taking taking = {.to = c, .range = range};

	if (!c->x->code.stacks.count || gap->cause == CAUSE_UNKNOWN || gap->cause == CAUSE_END)
		return;
	samples_share(samples_here(c), (struct span){gap->start_ns, gap->end_ns}, take_code,
		      &taking);
}

static void take_nothing(void *ctx, uint32_t stack, struct span part)
{
	(void)ctx;
	(void)stack;
	(void)part;
}

/*
 * After a wait nobody knows whether the thread had much to do, or launched as fast as it could.
 * Samples that lie in the gap do: they say what it did, and that is the cause.
 */
static bool is_sampled_host(struct collector *c, const struct gap *gap)
{
	const int64_t length = gap_ns(gap) - gap->profiler_ns;
	struct thread_samples *samples;

	if (gap->cause != CAUSE_SYNC || !c->x->code.stacks.count ||
	    gap->ns[BLAME_HOST] < length / 4 * 3)
		return false;
	samples = samples_here(c);
	if (!samples->list || gap->ns[BLAME_HOST] / 2 < samples->of->period_ns)
		return false;
	return samples_share(samples, (struct span){gap->start_ns, gap->end_ns}, take_nothing,
			     NULL) >= length / 2;
}

static void take_gap(struct collector *c, const struct slice *s)
{
	const struct explain *x = c->x;
	const struct gap *gap = gap_judge_slice(&x->judge, c->cursor, s);
	uint32_t range = explain_folded_range(x, gap->range);

	if (is_sampled_host(c, gap))
		c->cursor->gap.cause = CAUSE_STALL;
	if (gap->ns[BLAME_OVERHEAD])
		add_gap(c, SUM_CAUSES, CAUSE_OVERHEAD, range, gap, gap->ns[BLAME_OVERHEAD]);
	if (gap->cause == CAUSE_OVERHEAD)
		return;
	if (is_between_copies(x, gap))
		add_copy_gap(c, GAP_BETWEEN, x->copy_sort[gap->row], range);
	else
		add_cause(c, gap, range);
	add_code(c, gap, range);
	follow_lead(c, gap, range);
}

static void take_slice(void *ctx, const struct slice *s)
{
	struct collector *c = ctx;
	const struct trace *t = c->x->trace;
	int64_t ns = s->end_ns - s->start_ns;

	switch (s->kind) {
	case SLICE_IDLE:
		take_gap(c, s);
		break;
	case SLICE_NARROW: /* only the part of the device that lies idle is lost */
		if (s->op->end_ns - s->op->start_ns < SHORT_NS)
			break;
		time_sums_add(&c->sums[SUM_EXPOSED], s->kind,
			      kernel_name(t, s->op->kind, s->op->row), s->device, s->start_ns,
			      ns / FILL_ALL * (FILL_ALL - s->op->fill));
		break;
	case SLICE_COMM:
		time_sums_add(&c->sums[SUM_EXPOSED], s->kind,
			      kernel_name(t, s->op->kind, s->op->row), s->device, s->start_ns, ns);
		break;
	case SLICE_COPY:
		if (s->op->kind == TRACE_MEMCPYS) {
			c->copies->exposed_ns[s->op->row] += ns;
			c->copies->device[s->op->row] = s->device;
		}
		break;
	default:
		break;
	}
}

static size_t copy_index(struct explain *x, uint32_t kind, uint32_t src, uint32_t dst)
{
	for (size_t i = 0; i < x->copy_count; i++) {
		const struct copy_time *c = &x->copy_times[i];

		if (c->copy_kind == kind && c->src_kind == src && c->dst_kind == dst)
			return i;
	}
	MEM_GROW(x->copy_times, x->copy_cap, x->copy_count + 1);
	x->copy_times[x->copy_count] =
		(struct copy_time){.copy_kind = kind, .src_kind = src, .dst_kind = dst};
	return x->copy_count++;
}

/* Before the walk: what a gap beside a copy means depends on how many of its sort there are. */
static void sort_copies(struct explain *x)
{
	const struct events *ev = &x->trace->events[TRACE_MEMCPYS];

	x->copy_count = 0;
	free(x->copy_sort);
	x->copy_sort = mem_alloc(ev->count, sizeof(*x->copy_sort));
	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t ns = explain_op_ns(x, TRACE_MEMCPYS, i);
		bool known =
			ev->copy_kind && ev->src_kind && ev->dst_kind && x->copy_count < COPY_SORTS;
		size_t sort;

		x->copy_sort[i] = COPY_UNSORTED;
		if (!ns)
			continue;
		sort = copy_index(x, known ? ev->copy_kind[i] : ID_NONE,
				  known ? ev->src_kind[i] : ID_NONE,
				  known ? ev->dst_kind[i] : ID_NONE);
		x->copy_sort[i] = (uint8_t)sort;
		x->copy_times[sort].count++;
		x->copy_times[sort].total_ns = sat_add(x->copy_times[sort].total_ns, ns);
		if (ev->bytes && ev->bytes[i] > 0)
			x->copy_times[sort].bytes =
				sat_add(x->copy_times[sort].bytes, ev->bytes[i]);
	}
	for (size_t i = 0; i < x->copy_count; i++)
		x->copy_times[i].one_by_one = copies_are_small(&x->copy_times[i]);
}

/* The stem's number in x->stems of each kernel that ended a gap. */
static uint32_t *find_stems(struct explain *x, const struct time_sums *enders)
{
	uint32_t *stems = mem_alloc(x->trace->names.count, sizeof(*stems));

	for (size_t i = 0; i < enders->count; i++) {
		uint32_t name = enders->rows[i].name;

		if (name != NAME_NONE)
			stems[name] = strtab_add(&x->stems, stem(x->trace->names.items[name]));
	}
	return stems;
}

static void move_stalls(struct stalls *to, struct stalls *from)
{
	for (size_t i = 0; i < from->count; i++) {
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] = from->all[i];
	}
	free(from->all);
}

static void end_piece(struct explain *x, struct collector *c)
{
	uint32_t *stems = find_stems(x, &c->sums[SUM_ENDERS]);

	for (int i = 0; i < EXPLAIN_SUMS; i++) {
		time_sums_add_all(&x->sums[i], &c->sums[i], i == SUM_ENDERS ? stems : NULL);
		time_sums_free(&c->sums[i]);
	}
	x->beside_ns = sat_add(x->beside_ns, c->beside_ns);
	x->loads.gaps += c->loads.gaps;
	x->loads.ns = sat_add(x->loads.ns, c->loads.ns);
	move_stalls(&x->stalls, &c->stalls);
	move_stalls(&x->managed, &c->managed);
	free(c->charges.all);
	free(c->charges.at);
	free(c->leads);
	code_sums_add_all(&x->code_sums, &c->code);
	code_sums_add_all(&x->call_sums, &c->calls);
	code_sums_add_all(&x->slow_call_sums, &c->slow_calls);
	code_sums_free(&c->code);
	code_sums_free(&c->calls);
	code_sums_free(&c->slow_calls);
	free(stems);
}

static void begin_sums(struct time_sums *sums, const struct explain *x)
{
	for (int i = 0; i < EXPLAIN_SUMS; i++)
		sums[i].devices = x->timeline.count;
}

static struct collector *begin_pieces(const struct explain *x, struct copy_facts *copies,
				      struct gap_cursor *cursors, size_t pieces)
{
	const uint64_t count = x->trace->events[TRACE_MEMCPYS].count;
	struct collector *all = mem_zalloc_apart(pieces, sizeof(*all));

	*copies = (struct copy_facts){
		.exposed_ns = mem_zalloc(count, sizeof(*copies->exposed_ns)),
		.device = mem_zalloc(count, sizeof(*copies->device)),
	};
	for (size_t i = 0; i < pieces; i++) {
		struct collector *c = &all[i];

		*c = (struct collector){.x = x, .cursor = &cursors[i], .copies = copies};
		c->leads = mem_zalloc_apart(x->timeline.count, sizeof(*c->leads));
		begin_sums(c->sums, x);
	}
	return all;
}

/* Who made the call that copies. */
static uint32_t copying_stack(const struct explain *x, uint64_t copy)
{
	const struct attribution *a = &x->judge.attribution;
	struct thread_samples samples;
	struct api_call call;
	uint32_t thread;

	if (!x->judge.joined || !attribution_call(a, TRACE_MEMCPYS, copy, &call))
		return STACK_NONE;
	thread = launches_origin(&a->launches, &call).thread;
	if (thread == ID_NONE)
		return STACK_NONE;
	samples = code_of_thread(&x->code, x->trace->thread_keys.keys[thread]);
	return code_in_call(&x->code, &samples, x->trace->thread_keys.keys[thread],
			    (struct span){call.start_ns, api_call_end(&call)});
}

static void add_exposed_copies(struct explain *x, const struct copy_facts *c)
{
	const struct events *ev = &x->trace->events[TRACE_MEMCPYS];

	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t range = RANGE_NONE;

		if (!c->exposed_ns[i])
			continue;
		if (x->judge.joined)
			range = attribution_range(&x->judge.attribution, TRACE_MEMCPYS, i);
		time_sums_add(&x->sums[SUM_COPIES], x->copy_sort[i], explain_folded_range(x, range),
			      c->device[i], ev->start_ns[i], c->exposed_ns[i]);
		if (x->code.stacks.count)
			code_sums_add(&x->call_sums, CALLS_COPIES + x->copy_sort[i], NAME_NONE,
				      copying_stack(x, i), c->exposed_ns[i]);
	}
}

/* By name of a kernel: when it first ran. */
static int64_t *find_first_runs(const struct trace *t)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	int64_t *first = mem_alloc(t->names.count, sizeof(*first));

	for (size_t i = 0; i < t->names.count; i++)
		first[i] = INT64_MAX;
	for (uint64_t i = 0; ev->name && ev->start_ns && i < ev->count; i++) {
		if (ev->name[i] != NAME_NONE && ev->start_ns[i] < first[ev->name[i]])
			first[ev->name[i]] = ev->start_ns[i];
	}
	return first;
}

/* Others will ask about the whole run, each step and lines of code: all in the same walk. */
struct guests {
	struct whole_walk *whole;
	struct step_walk *steps;
	struct code_walk *code;
};

static struct guests begin_guests(const struct explain *x, struct gap_cursor *cursors,
				  size_t pieces)
{
	struct guests g = {0};

	if (!x->trace->keeps_answers)
		return g;
	g.whole = whole_walk_begin(x->trace, &x->ops, &x->scope, &x->judge, cursors, pieces);
	g.steps = step_walk_begin(&x->ops, &x->scope, &x->judge, cursors, pieces);
	g.code = code_walk_begin(x->trace, &x->ops, &x->scope, &x->judge, &x->long_calls, cursors,
				 &x->code, pieces);
	return g;
}

static void end_guests(const struct guests *g)
{
	if (g->whole)
		whole_walk_keep(g->whole);
	if (g->steps)
		step_walk_keep(g->steps);
	if (g->code)
		code_walk_keep(g->code);
}

static void walk_views(const struct explain *x, const struct timeline_view *mine,
		       const struct guests *g, size_t pieces)
{
	const size_t steps = g->steps ? step_walk_views(g->steps, NULL) : 0;
	struct timeline_view *views = mem_alloc(3 + steps, sizeof(*views));
	size_t count = 0;

	views[count++] = *mine;
	if (g->whole)
		views[count++] = whole_walk_view(g->whole);
	if (g->code)
		views[count++] = code_walk_view(g->code);
	if (g->steps)
		count += step_walk_views(g->steps, &views[count]);
	timeline_walk_views(&x->ops, views, count, pieces);
	free(views);
}

int explain_walk(struct explain *x, struct err *e)
{
	struct timeline_view mine;
	size_t pieces = timeline_pieces(&x->ops);
	struct gap_cursor *cursors = mem_zalloc_apart(pieces, sizeof(*cursors));
	struct guests guests;
	struct copy_facts copies;
	struct collector *all;
	int result;

	x->first_run_ns = find_first_runs(x->trace);
	timeline_begin(&x->ops, &x->scope, &x->timeline);
	begin_sums(x->sums, x);
	sort_copies(x);
	all = begin_pieces(x, &copies, cursors, pieces);
	mine = (struct timeline_view){x->trace,	  &x->scope, &x->timeline,
				      take_slice, all,	     sizeof(*all)};
	guests = begin_guests(x, cursors, pieces);
	walk_views(x, &mine, &guests, pieces);
	end_guests(&guests);
	result = gap_judge_check(&x->judge, cursors, pieces, e);
	for (size_t i = 0; i < pieces; i++) {
		end_piece(x, &all[i]);
		gap_cursor_free(&cursors[i]);
	}
	add_exposed_copies(x, &copies);
	free(copies.exposed_ns);
	free(copies.device);
	free(all);
	free(cursors);
	return result;
}
