/*
 * Which NVTX range each GPU op belongs to: the innermost push/pop range of the program that was
 * open on the launching thread when the launch call began. An op belongs to one range at most;
 * start/end ranges are process-wide and never take part, and the profiler's own are not looked at.
 */
#ifndef TRACE_ATTRIBUTION_H
#define TRACE_ATTRIBUTION_H

#include "trace/calls/launch.h"
#include "trace/ranges/ranges.h"

struct attribution {
	struct launches launches;
	struct range_forest forest; /* FOREST_PUSH_POP */
	uint32_t *range_of_launch;  /* index in the forest, or RANGE_NONE */
	bool shared;		    /* forest and range_of_launch are the trace's */
};

/*
 * Joins the ops of GPU kinds (bits 1 << kind) with their calls and ranges. A trace without API
 * calls or without ranges attributes nothing.
 */
int attribution_make(struct trace *t, unsigned kinds, struct attribution *ret, struct err *e);
/* The same for ops and calls alone: no op belongs to a range. */
int attribution_make_bare(struct trace *t, unsigned kinds, struct attribution *ret, struct err *e);
void attribution_free(struct attribution *a);
/* Gives back what is known of ranges; the launches stay. */
void attribution_drop_ranges(struct attribution *a);
/* Adds the ranges of launches that are not shared. */
int attribution_find_ranges(struct trace *t, struct attribution *a, struct err *e);

/*
 * For an analysis that asks several times: launches and ranges are joined once until it ends, and
 * kept beyond that only where others shared them before.
 */
bool attribution_begin_sharing(struct trace *t);
void attribution_end_sharing(struct trace *t, bool before);

/* For each launch the innermost range that holds all of its call, start/end ranges too. */
void range_forest_enclose(const struct range_forest *f, const struct launches *l, uint32_t *out);

/* The call that launched op i of a kind; false: there is none. */
static inline bool attribution_call(const struct attribution *a, enum trace_kind kind, uint64_t op,
				    struct api_call *ret)
{
	return a->launches.kinds & 1u << kind &&
	       launches_call(&a->launches, a->launches.begin[kind] + op, ret);
}

/* The range of op i of a kind: an index in the forest, or RANGE_NONE. */
static inline uint32_t attribution_range(const struct attribution *a, enum trace_kind kind,
					 uint64_t op)
{
	uint32_t launch = a->launches.kinds & 1u << kind
				  ? a->launches.launch_of_op[a->launches.begin[kind] + op]
				  : LAUNCH_NONE;

	return launch == LAUNCH_NONE ? RANGE_NONE : a->range_of_launch[launch];
}

#endif
