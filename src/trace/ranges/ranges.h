/*
 * NVTX ranges: their full names, and which lies in which. A range that the capture never saw close
 * is taken to end with the last one that did, as NVIDIA's reports take it.
 */
#ifndef TRACE_RANGES_H
#define TRACE_RANGES_H

#include "trace/ranges/fold.h"
#include "trace/ranges/open_ranges.h"
#include "trace/trace.h"

/* Values of COL_EVENT_TYPE. */
enum nvtx_type {
	NVTX_MARK = 34,
	NVTX_THREAD_NAME = 39,
	NVTX_PUSH_POP = 59,
	NVTX_START_END = 60,
	NVTX_PUSH_POP_PAYLOAD = 70,
	NVTX_START_END_PAYLOAD = 71,
	NVTX_DOMAIN = 75,
};

/* What is loaded of NVTX events to know the ranges. */
#define COLS_RANGES                                                                       \
	(COLS_TIMES | COL_BIT(COL_EVENT_TYPE) | COL_BIT(COL_NAME) | COL_BIT(COL_THREAD) | \
	 COL_BIT(COL_DOMAIN) | COL_BIT(COL_END_THREAD))

static inline bool nvtx_is_push_pop(uint32_t type)
{
	return type == NVTX_PUSH_POP || type == NVTX_PUSH_POP_PAYLOAD;
}

static inline bool nvtx_is_start_end(uint32_t type)
{
	return type == NVTX_START_END || type == NVTX_START_END_PAYLOAD;
}

static inline bool nvtx_is_range(uint32_t type)
{
	return nvtx_is_push_pop(type) || nvtx_is_start_end(type);
}

/* Ranges and marks. NVTX also records the names of domains, threads and the like. */
static inline bool nvtx_is_event(uint32_t type)
{
	return type == NVTX_MARK || nvtx_is_range(type);
}

/*
 * Numbers of "domain:text" names for each NVTX row, in an array of its own; NAME_NONE for rows that
 * are no range. The default domain has an empty name: ":text".
 */
struct range_names {
	struct arena arena;
	struct strtab names;
	uint32_t *of_row;
	bool shared; /* they are the trace's */
};

/*
 * Closes the ranges that the capture never saw close, where that has not been done: whoever reads
 * ranges does it; it is done before several read them at once.
 */
void ranges_close_open(struct trace *t);
/* Loads what is known of ranges, and closes those. */
int ranges_load(struct trace *t, struct err *e);
/* Whether the end of a range is made up so. */
bool range_never_closed(const struct trace *t, uint32_t row);

int range_names_read(struct trace *t, struct range_names *ret, struct err *e);
void range_names_free(struct range_names *n);
/* The names of ranges, or all of the trace's, without their counters. */
void range_names_fold(struct trace *t, const struct range_names *n, struct folded_names *ret);
void trace_fold_names(struct trace *t, struct folded_names *ret);

/*
 * What a range carries is a flat JSON object that Nsight Systems wrote, such as
 * {"NCCL communicator ID":68, "Message size [bytes]":2097152, "Reduction operation":"Sum"}: the
 * whole number under a key; false where there is none, or it does not fit.
 */
bool payload_number(struct str json, const char *key, uint64_t *ret);

/* One range with an end; ranges of a thread lie together, by start, outer before inner. */
struct range {
	int64_t start_ns, end_ns;
	uint32_t row; /* in the NVTX events */
	uint32_t thread;
	uint32_t parent; /* index, or RANGE_NONE */
	uint32_t level;
};

struct range_forest {
	struct range *ranges;
	size_t count;
	bool shared; /* they are the trace's, and not to be changed */
};

/* Which ranges a forest is made of. */
enum forest_kind {
	FOREST_PUSH_POP,  /* the stacks of each thread */
	FOREST_ALL,	  /* start/end ranges of one thread too, as NVIDIA's :nvtx-name has it */
	FOREST_START_END, /* start/end ranges alone, on the thread where they begin */
	/*
	 * The stacks without what the profiler itself puts there, such as who has Python's lock:
	 * the program does nothing in these.
	 */
	FOREST_PROGRAM,
	FOREST_KINDS,
};

int range_forest_build(struct trace *t, enum forest_kind kind, struct range_forest *ret,
		       struct err *e);
void range_forest_free(struct range_forest *f);
/* By range of a forest, whether the profiler put it there; for free(). NULL: it has put none. */
bool *range_forest_find_profilers(const struct trace *t, const struct range_forest *f);
/* By row of `rows`, the index of the range that it is, or RANGE_NONE; for free(). */
uint32_t *range_forest_rows(const struct range_forest *f, uint64_t rows);

/* Puts ranges into the order of a forest: by thread, by start, outer before inner. */
void range_forest_sort(struct range_forest *f);

#endif
