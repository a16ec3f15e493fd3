/* Why is a GPU idle? */
#include "analysis/gpu/gaps.h"

#include "base/mem.h"
#include "trace/calls/call_class.h"
#include "trace/ranges/attribution.h"
#include "trace/system/labels.h"

#include <stdlib.h>

enum {
	STALL_NS = 100000,	     /* host code of this length at a time is no mere bookkeeping */
	LONG_STALL_NS = 5000000,     /* … nor what follows from a wait before it */
	LONGEST_STALL_NS = 10000000, /* … nor is one such piece, whatever the others are */
	SLOW_LAUNCH_NS = 100000,     /* a launch of this length, with an idle GPU, does more */
	LATENCY_NS = 20000, /* from launch to start on a GPU with nothing else to do, at most */
	SWITCH_NS = 2000,   /* from one op to the next of the same stream, at most */
	DEPEND_NS = 5000,   /* … of another stream or in a graph, which waits for it */
	LOOKS_EACH = 64,
};

static const uint8_t blame_of_class[CALL_CLASSES] = {
	[CALL_OTHER] = BLAME_CUDA,	[CALL_LAUNCH] = BLAME_LAUNCH, [CALL_COPY_SYNC] = BLAME_COPY,
	[CALL_COPY_ASYNC] = BLAME_COPY, [CALL_SYNC] = BLAME_SYNC,     [CALL_WAIT_FREE] = BLAME_CUDA,
	[CALL_ALLOC] = BLAME_ALLOC,	[CALL_MODULE] = BLAME_ALLOC,
};

static uint8_t *blame_origins(const struct calls *c, const struct call_classes *classes)
{
	uint8_t *blames = mem_alloc(c->origin_count, sizeof(*blames));

	for (size_t i = 0; i < c->origin_count; i++)
		blames[i] = blame_of_class[call_class_of(classes, c->origins[i].name)];
	return blames;
}

static bool *blocking_origins(const struct calls *c, const struct call_classes *classes)
{
	bool *blocks = mem_alloc(c->origin_count, sizeof(*blocks));

	for (size_t i = 0; i < c->origin_count; i++)
		blocks[i] = call_blocks(classes, c->origins[i].name);
	return blocks;
}

/* Loads a module that the program has just made or read, or links one. */
static bool loads_code(struct str function)
{
	return str_starts(function, "cuModuleLoad") || str_starts(function, "cuLink") ||
	       str_starts(function, "cuLibraryLoad") || str_starts(function, "cudaLibraryLoad");
}

static bool *loading_origins(const struct trace *t, const struct calls *c)
{
	bool *loads = mem_alloc(c->origin_count, sizeof(*loads));

	for (size_t i = 0; i < c->origin_count; i++)
		loads[i] = loads_code(trace_name(t, c->origins[i].name));
	return loads;
}

/* Launches number the origins of their calls on their own, unless all is shared. */
static int classify_origins(struct gap_judge *j, struct err *e)
{
	const struct calls *launching = &j->attribution.launches.calls;
	struct call_classes classes;

	if (call_classes_read(j->trace, &classes, e) < 0)
		return -1;
	j->blame_of_origin = blame_origins(&j->calls, &classes);
	j->blame_of_launch = blame_origins(launching, &classes);
	j->call_blocks = blocking_origins(&j->calls, &classes);
	j->call_loads = loading_origins(j->trace, &j->calls);
	j->launch_blocks = blocking_origins(launching, &classes);
	j->launch_loads = loading_origins(j->trace, launching);
	call_classes_free(&classes);
	return 0;
}

/* Pages are moved by no call: whatever touches them is most likely what else makes calls. */
static void find_main_threads(struct gap_judge *j)
{
	const struct trace *t = j->trace;
	const size_t *begin = j->threads.begin;

	j->main_thread = mem_alloc(t->process_keys.count, sizeof(*j->main_thread));
	for (size_t i = 0; i < t->process_keys.count; i++)
		j->main_thread[i] = ID_NONE;
	for (uint32_t i = 0; i < j->threads.threads; i++) {
		const uint32_t process = trace_thread_process(t, i);
		const size_t calls = begin[i + 1] - begin[i];
		uint32_t *main;

		if (process == ID_NONE || !calls)
			continue;
		main = &j->main_thread[process];
		if (*main == ID_NONE || calls > begin[*main + 1] - begin[*main])
			*main = i;
	}
}

/* An export whose ranges lack a column still tells who launched what. */
static int attribute(struct gap_judge *j, unsigned kinds, struct err *e)
{
	if (attribution_make(j->trace, kinds, &j->attribution, e) == 0)
		return 0;
	return e->absent ? attribution_make_bare(j->trace, kinds, &j->attribution, e) : -1;
}

static int join(struct gap_judge *j, struct err *e)
{
	struct trace *t = j->trace;
	unsigned kinds = joinable_kinds(t);
	size_t threads;

	if (!t->events[TRACE_API].table || !kinds)
		return 0;
	if (attribute(j, kinds, e) < 0)
		return e->absent ? 0 : -1;
	if (calls_read(t, &j->calls, e) < 0 || classify_origins(j, e) < 0 ||
	    overheads_read(t, &j->overheads, e) < 0)
		return -1;
	threads = t->thread_keys.count;
	thread_calls_make(&j->calls, threads, &j->threads);
	innermost_make_program(t, &j->attribution.forest, &j->innermost);
	find_main_threads(j);
	gap_ranges_make(j);
	j->joined = true;
	return trace_load(t, TRACE_MEMCPYS, COL_BIT(COL_COPY_KIND), e);
}

int gap_judge_open(struct gap_judge *j, struct trace *t, struct err *e)
{
	*j = (struct gap_judge){.trace = t, .shares = attribution_begin_sharing(t)};
	return join(j, e);
}

void gap_judge_close(struct gap_judge *j)
{
	thread_calls_free(&j->threads);
	innermost_free(&j->innermost);
	attribution_free(&j->attribution);
	calls_free(&j->calls);
	overheads_free(&j->overheads);
	free(j->blame_of_origin);
	free(j->call_blocks);
	free(j->call_loads);
	free(j->blame_of_launch);
	free(j->launch_blocks);
	free(j->launch_loads);
	free(j->main_thread);
	free(j->ranging_thread);
	if (j->trace)
		attribution_end_sharing(j->trace, j->shares);
	*j = (struct gap_judge){0};
}

/* A thread is in one call at a time: one wait covers the gap's beginning. */
static void note_wait(struct gap *gap, enum blame blame, int64_t start_ns)
{
	int64_t waited = sat_sub(gap->start_ns, start_ns);

	if ((blame != BLAME_SYNC && blame != BLAME_COPY) || waited < gap->waited_ns)
		return;
	gap->waited_ns = waited;
	gap->waited_for_copy = blame == BLAME_COPY;
}

static void note_load(struct gap *gap, int64_t ns)
{
	gap->loads_code = true;
	gap->loads_ns += ns;
}

static void note_launch(struct gap *gap, int64_t ns)
{
	if (ns > gap->slowest_launch_ns)
		gap->slowest_launch_ns = ns;
}

/* How much of a time was the thread's own: what the profiler took is not the program's. */
static int64_t own_ns(const struct gap_judge *j, const struct gap_cursor *c, int64_t from_ns,
		      int64_t to_ns)
{
	int64_t ns = to_ns - from_ns;

	return c->profiled ? ns - overheads_ns(&j->overheads, c->thread, from_ns, to_ns) : ns;
}

/* True when no piece of the blame was longer. */
static bool note_piece(struct gap_cursor *c, enum blame blame, struct gap_piece piece)
{
	struct gap_piece *longest = &c->longest[blame];
	const int64_t most_ns =
		c->has_piece & 1u << blame ? longest->end_ns - longest->start_ns : 0;

	if (piece.end_ns - piece.start_ns <= most_ns)
		return false;
	*longest = piece;
	c->has_piece |= 1u << blame;
	return true;
}

/* The thread enters a call, or launches: until then it was outside. */
static void end_host_piece(struct gap_cursor *c, int64_t at_ns)
{
	if (at_ns > c->free_ns)
		note_piece(c, BLAME_HOST, (struct gap_piece){c->free_ns, at_ns, c->free_ns});
}

/* Adds a call of the thread to the gap's part up to to_ns; false when it begins after that. */
static bool add_call(const struct gap_judge *j, struct gap_cursor *c, size_t call, int64_t to_ns)
{
	struct gap *gap = &c->gap;
	int64_t begin = j->calls.start_ns[call];
	int64_t end = sat_add(begin, calls_duration(&j->calls, call));
	enum blame blame = j->blame_of_origin[calls_origin(&j->calls, call)];

	if (begin <= gap->start_ns && end > gap->start_ns)
		note_wait(gap, blame, begin);
	if (begin < gap->start_ns)
		begin = gap->start_ns;
	if (begin >= to_ns)
		return false;
	if (end > to_ns)
		end = to_ns;
	if (end > begin) {
		int64_t ns = own_ns(j, c, begin, end);

		end_host_piece(c, begin);
		if (note_piece(c, blame, (struct gap_piece){begin, end, j->calls.start_ns[call]}) &&
		    blame == BLAME_CUDA)
			gap->slow_call = calls_origin(&j->calls, call);
		c->free_ns = end;
		gap->ns[blame] += ns;
		gap->calls++;
		if (j->call_loads[calls_origin(&j->calls, call)])
			note_load(gap, ns);
		if (blame == BLAME_LAUNCH)
			note_launch(gap, ns);
	}
	return true;
}

/* Each call lies in few gaps of a few GPUs: a bad trace may have GPUs by the thousand. */
static uint64_t looks_allowed(const struct gap_judge *j)
{
	return LOOKS_EACH * (uint64_t)j->calls.count + 1000000;
}

/* What the thread did from the gap's beginning until it launched. */
static void add_calls(const struct gap_judge *j, struct gap_cursor *c, int64_t to_ns)
{
	const struct thread_calls *t = &j->threads;
	uint32_t thread = c->thread;
	size_t place;

	if (!c->near_call)
		c->near_call = mem_zalloc_apart(t->threads, sizeof(*c->near_call));
	place = thread_calls_after(t, thread, c->gap.start_ns, &c->near_call[thread]);

	if (place > t->begin[thread])
		add_call(j, c, thread_calls_at(t, place - 1), to_ns);
	for (; place < t->begin[thread + 1]; place++) {
		if (c->looks++ > looks_allowed(j) ||
		    !add_call(j, c, thread_calls_at(t, place), to_ns))
			break;
	}
}

/* What loads a module with data in it launches their copy itself. */
static void take_launch(const struct gap_judge *j, const struct gap_cursor *c, enum blame blame,
			gap_call_fn *take, void *ctx)
{
	const struct calls *launching = &j->attribution.launches.calls;

	if (c->returns_ns > c->until_ns && j->blame_of_launch[c->launch] == blame)
		take(ctx, launching->origins[c->launch].name, c->gap.called,
		     own_ns(j, c, c->until_ns, c->returns_ns));
}

void gap_judge_calls(const struct gap_judge *j, struct gap_cursor *c, enum blame blame,
		     gap_call_fn *take, void *ctx)
{
	const struct thread_calls *t = &j->threads;
	const uint32_t thread = c->thread;
	size_t place = thread_calls_after(t, thread, c->gap.start_ns, &c->near_call[thread]);

	place -= place > t->begin[thread];
	for (; place < t->begin[thread + 1] && c->looks++ <= looks_allowed(j); place++) {
		const struct api_call call = calls_at(&j->calls, thread_calls_at(t, place));
		const struct span whole = {call.start_ns, api_call_end(&call)};
		int64_t begin = whole.start_ns, end = whole.end_ns;

		if (begin >= c->until_ns)
			break;
		begin = begin < c->gap.start_ns ? c->gap.start_ns : begin;
		end = end > c->until_ns ? c->until_ns : end;
		if (j->blame_of_origin[call.origin] == blame && end > begin)
			take(ctx, j->calls.origins[call.origin].name, whole,
			     own_ns(j, c, begin, end));
	}
	take_launch(j, c, blame, take, ctx);
}

/* Calls that overlap, in a damaged trace, must not take more than there is. */
static void limit_calls(struct gap *gap, int64_t rest)
{
	for (int blame = 0; blame < GAP_CALLS; blame++) {
		if (gap->ns[blame] > rest)
			gap->ns[blame] = rest;
		rest -= gap->ns[blame];
	}
	gap->ns[BLAME_HOST] = rest;
}

/*
 * The part after the launch began: in the call, until end_ns, and then waiting for the device. A
 * copy that returns at once is put on its stream as a kernel is.
 */
static void add_launched(const struct gap_judge *j, struct gap_cursor *c,
			 const struct api_call *call, int64_t launch_ns, int64_t end_ns)
{
	enum blame blame = j->blame_of_launch[call->origin];
	int64_t ns = own_ns(j, c, launch_ns, end_ns);
	struct gap *gap = &c->gap;

	note_piece(c, blame, (struct gap_piece){launch_ns, end_ns, call->start_ns});
	gap->ns[blame] += ns;
	c->launch = call->origin;
	if (blame == BLAME_LAUNCH)
		note_launch(gap, ns);
	if (j->launch_loads[call->origin] && end_ns > launch_ns)
		note_load(gap, ns);
	if (blame == BLAME_COPY && !j->launch_blocks[call->origin] && ns < SLOW_LAUNCH_NS)
		gap->submit_ns = ns;
	gap->ns[BLAME_QUEUED] += gap->end_ns - end_ns;
	gap->queue_ns = sat_sub(gap->end_ns, api_call_end(call));
}

/* Until when the thread could still have launched in time: the gap's part before the launch. */
static int64_t launch_ns(const struct gap *gap, const struct api_call *call)
{
	if (call->start_ns <= gap->start_ns)
		return gap->start_ns;
	return call->start_ns < gap->end_ns ? call->start_ns : gap->end_ns;
}

/* The part that had been launched, and that something else than the way to the GPU held back. */
int64_t gap_held_ns(const struct gap *gap)
{
	return gap->queue_ns > LATENCY_NS && gap->ns[BLAME_QUEUED] >= DEPEND_NS
		       ? gap->ns[BLAME_QUEUED]
		       : 0;
}

/*
 * Of an op that was launched before the gap began: one on its way no longer than it has to be would
 * have come earlier, had the host launched it earlier.
 */
static enum gap_cause cause_of_queued(const struct gap *gap)
{
	return gap->queue_ns <= LATENCY_NS && gap_ns(gap) >= SWITCH_NS ? CAUSE_LAUNCH_BOUND
								       : CAUSE_QUEUED;
}

/* Whether host code between two calls takes that long, on average. */
static bool pieces_last(const struct gap *gap, int64_t ns)
{
	return gap->ns[BLAME_HOST] >= ns * ((int64_t)gap->calls + 1);
}

/*
 * Host code that a wait before it does not explain: it is long, or half as long again as the wait,
 * without which the thread would still be late. Gaps of one loop differ a little from each other:
 * where the two are alike, all are the wait's.
 */
static bool is_stall_by_itself(const struct gap *gap)
{
	return pieces_last(gap, LONG_STALL_NS) || gap->host_piece_ns >= LONGEST_STALL_NS ||
	       (pieces_last(gap, STALL_NS) && gap->ns[BLAME_HOST] / 3 > gap->waited_ns / 2);
}

/*
 * The most telling piece takes the gap, where it is a fair part of it: had the thread not waited,
 * copied or allocated there, it would have been ahead of the GPU with all the rest too.
 */
static enum gap_cause find_cause(const struct gap *gap, int64_t launched_ns)
{
	const int64_t *ns = gap->ns, length = gap_ns(gap) - gap->profiler_ns;
	const int64_t copy_ns = ns[BLAME_COPY] - gap->submit_ns;

	if (!length)
		return CAUSE_OVERHEAD;
	if (gap->slowest_launch_ns >= SLOW_LAUNCH_NS && gap->slowest_launch_ns >= length / 2)
		return CAUSE_SLOW_LAUNCH;
	/* The thread was done: what held the op back is on the GPU, or in the launch itself. */
	if (launched_ns == gap->start_ns && ns[BLAME_QUEUED] >= length - ns[BLAME_QUEUED])
		return cause_of_queued(gap);
	if (gap_held_ns(gap) > length / 2)
		return CAUSE_QUEUED;
	if (copy_ns >= length / 4 && copy_ns >= ns[BLAME_ALLOC] && copy_ns)
		return CAUSE_COPY;
	if (ns[BLAME_ALLOC] >= length / 4 && ns[BLAME_ALLOC])
		return CAUSE_ALLOC;
	if (launched_ns == gap->start_ns)
		return CAUSE_LAUNCH_BOUND;
	if (is_stall_by_itself(gap) && ns[BLAME_HOST] >= length / 4 * 3)
		return CAUSE_STALL;
	if (gap->waited_ns >= length / 2 || ns[BLAME_SYNC] >= length / 2)
		return gap->waited_for_copy ? CAUSE_COPY : CAUSE_SYNC;
	/* Short ones are part of launching. */
	if (ns[BLAME_CUDA] >= length / 2 && ns[BLAME_CUDA] >= LATENCY_NS)
		return CAUSE_CALLS;
	if (pieces_last(gap, STALL_NS))
		return CAUSE_STALL;
	return CAUSE_LAUNCH_BOUND;
}

/* Until when the launch call held the thread up, as far as it is in the gap. */
static int64_t launch_end_ns(const struct gap *gap, const struct api_call *call, int64_t launch_ns)
{
	int64_t end_ns = api_call_end(call);

	return end_ns < launch_ns ? launch_ns : end_ns > gap->end_ns ? gap->end_ns : end_ns;
}

/* Whether the profiler pauses from the gap's beginning to a time: nearly always, and for long. */
static bool is_pause(const struct gap_judge *j, struct gap_cursor *c, int64_t end_ns)
{
	int64_t from_ns = c->gap.start_ns;

	if (c->pause.thread != c->thread || c->pause.from_ns > from_ns || c->pause.to_ns < end_ns)
		c->pause = overheads_pause(&j->overheads, c->thread, from_ns);
	return c->pause.from_ns <= from_ns && c->pause.to_ns >= end_ns;
}

/* What the profiler took before the gap made the thread as late as what it took in it. */
static void note_profiler(const struct gap_judge *j, struct gap_cursor *c, int64_t end_ns)
{
	struct gap *gap = &c->gap;
	int64_t ns;

	c->profiled = !is_pause(j, c, end_ns);
	if (!c->profiled)
		return;
	ns = overheads_ns(&j->overheads, c->thread, gap->start_ns, end_ns);
	gap->ns[BLAME_OVERHEAD] = ns;
	ns = sat_add(ns, overheads_lasting_ns(&j->overheads, c->thread, gap->start_ns));
	gap->profiler_ns = ns < gap_ns(gap) ? ns : gap_ns(gap);
}

static int64_t middle_ns(const struct gap_piece *p)
{
	return p->start_ns + (p->end_ns - p->start_ns) / 2;
}

/* What the cause is made of; the others of nothing in particular. */
static const enum blame blame_of_cause[GAP_CAUSES] = {
	[CAUSE_SYNC] = BLAME_SYNC,    [CAUSE_COPY] = BLAME_COPY,
	[CAUSE_ALLOC] = BLAME_ALLOC,  [CAUSE_SLOW_LAUNCH] = BLAME_LAUNCH,
	[CAUSE_CALLS] = BLAME_CUDA,   [CAUSE_STALL] = BLAME_HOST,
	[CAUSE_MANAGED] = BLAME_HOST, [CAUSE_LAUNCH_BOUND] = BLAMES,
	[CAUSE_OVERHEAD] = BLAMES,    [CAUSE_QUEUED] = BLAMES,
	[CAUSE_UNKNOWN] = BLAMES,     [CAUSE_END] = BLAMES,
};
_Static_assert(GAP_CAUSES == 12, "a new cause is made of BLAMES, too, unless it is listed");

/* Whether the cause lies in the gap, whatever the thread waited for before. */
static bool is_in_gap(enum gap_cause cause)
{
	return cause == CAUSE_ALLOC || cause == CAUSE_SLOW_LAUNCH || cause == CAUSE_CALLS ||
	       cause == CAUSE_STALL || cause == CAUSE_MANAGED;
}

/*
 * The moment whose range says where the gap came from: in a wait, where it waited; else the middle
 * of the longest piece that the cause is made of, or of all it did before it launched.
 */
static int64_t telling_ns(const struct gap_cursor *c, int64_t to_ns)
{
	const struct gap *gap = &c->gap;
	enum blame blame = blame_of_cause[gap->cause];

	if (gap->waited_ns && !is_in_gap(gap->cause))
		return gap->start_ns;
	if (blame < BLAMES && c->has_piece & 1u << blame)
		return middle_ns(&c->longest[blame]);
	return middle_ns(&(struct gap_piece){gap->start_ns, to_ns, to_ns});
}

bool gap_judge_blamed(const struct gap_cursor *c, enum gap_cause cause, struct span *ret)
{
	const struct gap *gap = &c->gap;
	const enum blame blame = blame_of_cause[cause];
	const bool has_piece = blame <= BLAME_CUDA && c->has_piece & 1u << blame;

	if (cause == CAUSE_LAUNCH_BOUND) {
		*ret = gap->called;
		return gap->caller != ID_NONE;
	}
	/* Of a copy in the gap the host may have waited for something else before. */
	if (gap->waited_ns && (cause == CAUSE_SYNC ? !gap->waited_for_copy
						   : cause == CAUSE_COPY && gap->waited_for_copy)) {
		*ret = (struct span){sat_sub(gap->start_ns, gap->waited_ns), gap->start_ns};
		return true;
	}
	if (has_piece)
		*ret = (struct span){c->longest[blame].call_ns, c->longest[blame].end_ns};
	return has_piece;
}

/* Whether an op is pages of managed memory on their way. */
static bool moves_pages(const struct gap_judge *j, enum trace_kind kind, uint32_t row)
{
	const struct events *ev = &j->trace->events[TRACE_MEMCPYS];

	return kind == TRACE_MEMCPYS && ev->copy_kind && copy_moves_pages(ev->copy_kind[row]);
}

/* What the thread did until it launched at to_ns, in a call that lasted until end_ns. */
static void add_host(const struct gap_judge *j, struct gap_cursor *c, int64_t to_ns, int64_t end_ns)
{
	c->free_ns = c->gap.start_ns;
	c->until_ns = to_ns;
	c->returns_ns = end_ns;
	c->has_piece = 0;
	note_profiler(j, c, end_ns);
	add_calls(j, c, to_ns);
	end_host_piece(c, to_ns);
	limit_calls(&c->gap, own_ns(j, c, c->gap.start_ns, to_ns));
}

static void conclude(const struct gap_judge *j, struct gap_cursor *c, int64_t to_ns)
{
	struct gap *gap = &c->gap;
	const struct gap_piece *host = &c->longest[BLAME_HOST];

	if (c->has_piece & 1u << BLAME_HOST)
		gap->host_piece_ns = own_ns(j, c, host->start_ns, host->end_ns);
	gap->cause = (uint8_t)find_cause(gap, to_ns);
	if (gap->cause == CAUSE_STALL && (moves_pages(j, gap->kind, gap->row) ||
					  moves_pages(j, gap->before_kind, gap->before_row)))
		gap->cause = CAUSE_MANAGED;
	gap->range = gap_range_at(j, c->thread, telling_ns(c, to_ns), &c->range);
}

/* Launched before the gap: whatever the thread does in it, the op is on its way. */
static void judge_queued(const struct gap_judge *j, struct gap_cursor *c,
			 const struct api_call *call)
{
	struct gap *gap = &c->gap;

	gap->ns[BLAME_QUEUED] = gap_ns(gap);
	gap->queue_ns = sat_sub(gap->end_ns, api_call_end(call));
	gap->cause = (uint8_t)cause_of_queued(gap);
	gap->range = gap_range_at(j, c->thread, gap->start_ns, &c->range);
}

static void judge(const struct gap_judge *j, struct gap_cursor *c, const struct api_call *call)
{
	const int64_t to_ns = launch_ns(&c->gap, call);
	const int64_t end_ns = launch_end_ns(&c->gap, call, to_ns);

	c->thread = launches_origin(&j->attribution.launches, call).thread;
	c->gap.caller = c->thread;
	c->gap.called = (struct span){call->start_ns, api_call_end(call)};
	if (end_ns == c->gap.start_ns && is_pause(j, c, end_ns)) {
		judge_queued(j, c, call);
		return;
	}
	add_host(j, c, to_ns, end_ns);
	add_launched(j, c, call, to_ns, end_ns);
	conclude(j, c, to_ns);
}

/* Whose doing it is that pages move; ID_NONE: the op is something else, or nobody knows. */
static uint32_t thread_of_pages(const struct gap_judge *j, const struct op *op)
{
	if (!moves_pages(j, op->kind, op->row) || op->process >= j->trace->process_keys.count)
		return ID_NONE;
	return j->main_thread[op->process];
}

/* A gap that pages end is its process's: nothing was launched, and nothing is missing. */
static bool judge_pages(const struct gap_judge *j, struct gap_cursor *c, const struct op *op)
{
	const int64_t end_ns = c->gap.end_ns;
	const uint32_t thread = thread_of_pages(j, op);

	if (thread == ID_NONE)
		return false;
	c->thread = thread;
	add_host(j, c, end_ns, end_ns);
	conclude(j, c, end_ns);
	if (c->gap.cause == CAUSE_LAUNCH_BOUND)
		c->gap.cause = CAUSE_MANAGED;
	return true;
}

static uint32_t row_of(const struct op *op)
{
	return op ? op->row : 0;
}

static uint8_t kind_of(const struct op *op)
{
	return (uint8_t)(op ? op->kind : TRACE_KINDS);
}

/* Whether it is the gap judged before. A gap takes time: no zeroed one is like it. */
static bool is_last(const struct gap_cursor *c, const struct slice *s)
{
	const struct gap *last = &c->gap;

	return last->start_ns == s->start_ns && last->end_ns == s->end_ns &&
	       last->device == s->device && last->row == row_of(s->op) &&
	       last->kind == kind_of(s->op) && last->before_row == row_of(s->before) &&
	       last->before_kind == kind_of(s->before);
}

/* Field by field: one store of so large a struct holds up all that reads it right after. */
static void begin_gap(struct gap *gap, const struct slice *s)
{
	gap->start_ns = s->start_ns;
	gap->end_ns = s->end_ns;
	gap->device = s->device;
	gap->row = row_of(s->op);
	gap->before_row = row_of(s->before);
	gap->range = RANGE_NONE;
	gap->kind = kind_of(s->op);
	gap->before_kind = kind_of(s->before);
	gap->cause = s->op ? CAUSE_UNKNOWN : CAUSE_END;
	gap->waited_for_copy = gap->loads_code = false;
	gap->slow_call = 0;
	gap->caller = ID_NONE;
	gap->calls = 0;
	gap->host_piece_ns = 0;
	gap->loads_ns = gap->slowest_launch_ns = gap->submit_ns = 0;
	gap->queue_ns = gap->waited_ns = gap->profiler_ns = 0;
	for (int blame = 0; blame < BLAMES; blame++)
		gap->ns[blame] = 0;
}

const struct gap *gap_judge_slice(const struct gap_judge *j, struct gap_cursor *c,
				  const struct slice *s)
{
	struct gap *gap = &c->gap;
	struct api_call call = {0};

	if (is_last(c, s))
		return gap;
	begin_gap(gap, s);
	if (s->op && j->joined && attribution_call(&j->attribution, s->op->kind, s->op->row, &call))
		judge(j, c, &call);
	else if (!s->op || !j->joined || !judge_pages(j, c, s->op))
		gap->ns[s->op ? BLAME_UNKNOWN : BLAME_END] = gap_ns(gap);
	return gap;
}

uint32_t gap_judge_thread(const struct gap_judge *j, const struct gap_cursor *c,
			  const struct slice *s)
{
	const struct op *op = s->op ? s->op : s->before;
	struct api_call call;

	if (c && s->op && is_last(c, s))
		return c->gap.cause == CAUSE_UNKNOWN ? ID_NONE : c->thread;
	if (!j->joined || !op)
		return ID_NONE;
	if (attribution_call(&j->attribution, op->kind, op->row, &call))
		return launches_origin(&j->attribution.launches, &call).thread;
	return s->op ? thread_of_pages(j, op) : ID_NONE;
}

void gap_cursor_free(struct gap_cursor *c)
{
	free(c->near_call);
	*c = (struct gap_cursor){0};
}

int gap_judge_check(const struct gap_judge *j, const struct gap_cursor *cursors, size_t count,
		    struct err *e)
{
	uint64_t looks = 0;

	for (size_t i = 0; i < count; i++)
		looks = cursors[i].looks > looks ? cursors[i].looks : looks;
	if (looks <= looks_allowed(j))
		return 0;
	return err_set(e, ERR_INPUT, "'%s': too many overlapping calls or GPUs", j->trace->path);
}
