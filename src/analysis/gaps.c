/* Where are the gaps, and why? */
#include "analysis/gaps.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

/* Host code of this length at a time is no mere bookkeeping between two launches. */
enum { STALL_NS = 100000 };

/* Kinds without correlation ids cannot be joined; their gaps have no blame. */
static unsigned joinable_kinds(const struct trace *t)
{
	unsigned kinds = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct sqlite_table *table = t->events[kind].table;

		if (table && sqlite_table_find_column(table, "correlationId") >= 0)
			kinds |= 1u << kind;
	}
	return kinds;
}

static int join(struct gaps *g, struct err *e)
{
	struct trace *t = g->trace;

	if (!t->events[TRACE_API].table || !joinable_kinds(t))
		return 0;
	if (attribution_make(t, joinable_kinds(t), &g->attribution, e) < 0)
		return e->absent ? 0 : -1;
	g->joined = true;
	return 0;
}

int gaps_begin(struct gaps *g, struct trace *t, struct err *e)
{
	*g = (struct gaps){.trace = t};
	if (trace_load(t, TRACE_MEMCPYS, COL_BIT(COL_COPY_KIND), e) < 0)
		return -1;
	return join(g, e);
}

static uint8_t copy_kind(const struct trace *t, const struct op *op)
{
	const struct events *ev = &t->events[TRACE_MEMCPYS];

	if (!op || op->kind != TRACE_MEMCPYS || !ev->copy_kind ||
	    ev->copy_kind[op->row] > UINT8_MAX)
		return 0;
	return (uint8_t)ev->copy_kind[op->row];
}

void gaps_take(struct gaps *g, const struct slice *s)
{
	uint8_t before;

	if (s->kind != SLICE_IDLE)
		return;
	before = copy_kind(g->trace, s->before);
	MEM_GROW(g->all, g->cap, g->count + 1);
	g->all[g->count++] = (struct gap){
		.start_ns = s->start_ns,
		.end_ns = s->end_ns,
		.device = s->device,
		.row = s->op ? s->op->row : 0,
		.before_row = s->before ? s->before->row : 0,
		.kind = (uint8_t)(s->op ? s->op->kind : TRACE_KINDS),
		.before_kind = (uint8_t)(s->before ? s->before->kind : TRACE_KINDS),
		.copy = before ? before : copy_kind(g->trace, s->op),
		.range = RANGE_NONE,
	};
}

bool gap_call(const struct gaps *g, const struct gap *gap, struct api_call *ret)
{
	return gap->kind != TRACE_KINDS && g->joined &&
	       attribution_call(&g->attribution, gap->kind, gap->row, ret);
}

int64_t gap_launch_ns(const struct gaps *g, const struct gap *gap)
{
	struct api_call call;

	if (!gap_call(g, gap, &call) || call.start_ns <= gap->start_ns)
		return gap->start_ns;
	return call.start_ns < gap->end_ns ? call.start_ns : gap->end_ns;
}

static int find_causes(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct gaps *g = ctx;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		g->all[i].cause = (uint8_t)gap_cause(g, i);
	return 0;
}

int gaps_blame(struct gaps *g, const struct timeline *l, struct err *e)
{
	g->from_ns = l->from_ns;
	g->to_ns = l->to_ns;
	if (g->joined) {
		if (gaps_add_calls(g, e) < 0)
			return -1;
		gaps_find_ranges(g);
	}
	parallel_for(g->count, PARALLEL_ROWS, find_causes, g, e);
	return 0;
}

void gaps_keep(struct gaps *g, const uint32_t *which, size_t count)
{
	struct gap *kept = mem_alloc(count, sizeof(*kept));
	struct idmap long_gaps = {0};

	for (size_t i = 0; i < count; i++) {
		uint32_t wide = gap_long(g, which[i]);

		kept[i] = g->all[which[i]];
		if (wide != IDMAP_NONE)
			idmap_add(&long_gaps, i, wide);
	}
	free(g->all);
	idmap_free(&g->long_gaps);
	g->all = kept;
	g->count = g->cap = count;
	g->long_gaps = long_gaps;
}

void gaps_free(struct gaps *g)
{
	free(g->all);
	attribution_free(&g->attribution);
	idmap_free(&g->long_gaps);
	free(g->long_ns);
	free(g->thread_ns);
	*g = (struct gaps){0};
}

static int64_t call_time(const struct gaps *g, size_t gap, int blame)
{
	uint32_t wide = gap_long(g, gap);

	return wide == IDMAP_NONE ? g->all[gap].call_ns[blame]
				  : g->long_ns[wide * GAP_CALLS + (size_t)blame];
}

/* The part after the launch began: in the call, and then waiting for the device. */
static void add_launched(const struct gap *gap, const struct api_call *call, int64_t ns[BLAMES])
{
	int64_t begin = call->start_ns > gap->start_ns ? call->start_ns : gap->start_ns;
	int64_t end = api_call_end(call);

	if (begin > gap->end_ns)
		begin = gap->end_ns;
	end = end < begin ? begin : end > gap->end_ns ? gap->end_ns : end;
	ns[BLAME_LAUNCH] += end - begin;
	ns[BLAME_QUEUED] += gap->end_ns - end;
}

void gap_blames(const struct gaps *g, size_t i, int64_t ns[BLAMES])
{
	const struct gap *gap = &g->all[i];
	struct api_call call;
	int64_t rest;

	memset(ns, 0, BLAMES * sizeof(*ns));
	if (!gap_call(g, gap, &call)) {
		ns[gap->kind == TRACE_KINDS ? BLAME_END : BLAME_UNKNOWN] =
			gap->end_ns - gap->start_ns;
		return;
	}
	/* Calls that overlap, in a damaged trace, must not take more than there is. */
	rest = gap_launch_ns(g, gap) - gap->start_ns;
	for (int blame = 0; blame < GAP_CALLS; blame++) {
		ns[blame] = call_time(g, i, blame);
		if (ns[blame] > rest)
			ns[blame] = rest;
		rest -= ns[blame];
	}
	ns[BLAME_HOST] = rest;
	add_launched(gap, &call, ns);
}

/* The thread was done, or all but: what held the op back is on the GPU, or in the launch itself. */
static enum gap_cause launched_cause(const int64_t ns[BLAMES])
{
	return ns[BLAME_LAUNCH] > ns[BLAME_QUEUED] ? CAUSE_LAUNCH_BOUND : CAUSE_QUEUED;
}

/*
 * The most telling piece takes the gap, where it is a fair part of it: had the thread not waited,
 * copied or allocated there, it would have been ahead of the GPU with all the rest too.
 */
enum gap_cause gap_cause(const struct gaps *g, size_t i)
{
	const struct gap *gap = &g->all[i];
	int64_t ns[BLAMES], length = gap->end_ns - gap->start_ns;

	gap_blames(g, i, ns);
	if (gap->kind == TRACE_KINDS)
		return CAUSE_END;
	if (ns[BLAME_UNKNOWN])
		return CAUSE_UNKNOWN;
	if (gap_launch_ns(g, gap) == gap->start_ns)
		return launched_cause(ns);
	if (ns[BLAME_COPY] >= length / 4 && ns[BLAME_COPY] >= ns[BLAME_ALLOC] && ns[BLAME_COPY])
		return CAUSE_COPY;
	if (ns[BLAME_ALLOC] >= length / 4 && ns[BLAME_ALLOC])
		return CAUSE_ALLOC;
	if (gap_waited_ns(gap) >= length / 2 || ns[BLAME_SYNC] >= length / 2)
		return gap_waited_for_copy(gap) ? CAUSE_COPY : CAUSE_SYNC;
	if (ns[BLAME_HOST] / (gap->calls + 1) >= STALL_NS)
		return CAUSE_STALL;
	return CAUSE_LAUNCH_BOUND;
}
