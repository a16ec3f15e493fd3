/*
 * The launch join: which CUDA API call launched which GPU op. A launch is (process, correlationId),
 * never correlationId alone. API rows that launched nothing are kept only where others will ask
 * about them, so that the join of a long trace needs no more memory than its kernels.
 */
#ifndef TRACE_LAUNCH_H
#define TRACE_LAUNCH_H

#include "trace/calls/calls.h"
#include "trace/calls/launch_numbers.h"

/*
 * Each distinct (process, correlationId) pair of the ops is a launch, numbered by
 * launch_numbers.h. Its call is the earliest one; further calls with the same pair (a driver call
 * beneath a runtime call, or two records of one call) are in `more`, by launch and row.
 */
struct launches {
	/* By op; LAUNCH_NONE: it has no correlation id. Op i of a kind is at begin[kind] + i. */
	uint32_t *launch_of_op;
	unsigned kinds; /* joined: bits 1 << kind; others have no ops here */
	uint64_t begin[TRACE_GPU_KINDS];
	uint64_t op_count;
	struct calls calls; /* by launch; or all of the trace, by row */
	bool has_all_calls;
	uint32_t *row_of_launch; /* in the API events; ID_NONE: no call has been found */
	size_t launch_count;
	struct api_call *more;
	uint32_t *more_launch;
	size_t more_count;
	bool shared; /* the arrays are the trace's; launches may be of other kinds' ops, too */
};

/* Joins the ops of a GPU kind (kernels, copies, …). An export without API rows joins nothing. */
int launches_join(struct trace *t, enum trace_kind kind, struct launches *ret, struct err *e);
/* The same for several kinds (bits 1 << kind) in one pass over the calls; see uses_cache. */
int launches_join_kinds(struct trace *t, unsigned kinds, struct launches *ret, struct err *e);
/*
 * Whether some ops of these kinds name no process, and so are the only one's. ERR_INPUT, marked
 * absent, where there are several. COL_PROCESS must be loaded.
 */
int launches_one_process(struct trace *t, unsigned kinds, bool *ret, struct err *e);
/* Gives back who launched which op, where the calls alone are needed from here on. */
void launches_forget_ops(struct launches *l);
void launches_free(struct launches *l);
/* Columns that a join will load, for those who load others before: a table is read once then. */
uint32_t launches_columns(struct trace *t);
/* GPU kinds of the trace (bits 1 << kind) that say what launched them. */
unsigned joinable_kinds(const struct trace *t);
/* Whether all calls are kept or those that launched something; never shared. */
int launches_join_anew(struct trace *t, unsigned kinds, bool keep_all_calls, struct launches *ret,
		       struct err *e);

/*
 * Where the trace uses its cache, all that can be joined is joined once, with all calls. False:
 * nothing is shared, or not of these kinds; the caller joins by itself.
 */
bool launches_share(struct trace *t, unsigned kinds, struct launches *ret);
/* The same where somebody has joined already, so that nothing has to be read. */
bool launches_share_joined(struct trace *t, unsigned kinds, struct launches *ret);
/* All calls of the trace. */
bool launches_share_calls(struct trace *t, struct calls *ret);
/* Keeps the shared calls that launched something; nobody may hold on to the others. */
void launches_forget_shared_calls(struct trace *t);
/* Frees what is shared; see attribution_end_sharing(). */
void launches_drop_shared(struct trace *t);

/* The earliest call of a launch; false: there is none. */
static inline bool launches_earliest_call(const struct launches *l, size_t launch,
					  struct api_call *ret)
{
	uint32_t row = l->row_of_launch[launch];

	if (row == ID_NONE)
		return false;
	*ret = calls_at(&l->calls, l->has_all_calls ? row : launch);
	return true;
}

/* The call that launched op i; false: there is none. */
static inline bool launches_call(const struct launches *l, uint64_t op, struct api_call *ret)
{
	uint32_t launch = l->launch_of_op[op];

	return launch != LAUNCH_NONE && launches_earliest_call(l, launch, ret);
}

static inline bool launches_has_call(const struct launches *l, uint64_t op)
{
	uint32_t launch = l->launch_of_op[op];

	return launch != LAUNCH_NONE && l->row_of_launch[launch] != ID_NONE;
}

/* Who made a call, and which function it was. */
static inline struct call_origin launches_origin(const struct launches *l,
						 const struct api_call *call)
{
	return l->calls.origins[call->origin];
}

/* Calls by number: a launch's earliest has the number of the launch, those of `more` follow. */
static inline bool launches_at(const struct launches *l, size_t number, struct api_call *ret)
{
	if (number < l->launch_count)
		return launches_earliest_call(l, number, ret);
	*ret = l->more[number - l->launch_count];
	return true;
}

static inline uint32_t launches_of_call(const struct launches *l, size_t number)
{
	return number < l->launch_count ? (uint32_t)number
					: l->more_launch[number - l->launch_count];
}

/* By origin of the calls: whether it launches whole graphs. For free(). */
bool *launches_graph_origins(const struct launches *l, const struct trace *t);

/* Whether any op has a call. */
bool launches_found_any(const struct launches *l);

/* Where in `more` the calls of a launch begin; another launch's, or the end, where it has none. */
size_t launches_first_more(const struct launches *l, uint32_t launch);

/* All calls by thread, those of a thread by start. */
struct call_order {
	uint32_t *numbers;
	size_t *begin; /* of each thread's calls in `numbers`, and the end of the last one's */
	size_t thread_count;
};

void call_order_make(const struct launches *l, struct call_order *ret);
void call_order_free(struct call_order *o);

/* Where the calls of a thread begin and end; at the same place where it has none. */
static inline size_t call_order_begin(const struct call_order *o, uint32_t thread)
{
	return thread < o->thread_count ? o->begin[thread] : 0;
}

static inline size_t call_order_end(const struct call_order *o, uint32_t thread)
{
	return thread < o->thread_count ? o->begin[thread + 1] : 0;
}

#endif
