/*
 * NVTX ranges: their full names, and the push/pop ranges of each thread as a forest.
 * Start/end ranges belong to a process, not to a stack: they are never part of the forest.
 */
#ifndef TRACE_RANGES_H
#define TRACE_RANGES_H

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

static inline bool nvtx_is_push_pop(uint32_t type)
{
	return type == NVTX_PUSH_POP || type == NVTX_PUSH_POP_PAYLOAD;
}

static inline bool nvtx_is_start_end(uint32_t type)
{
	return type == NVTX_START_END || type == NVTX_START_END_PAYLOAD;
}

/*
 * Numbers of "domain:text" names for each NVTX row, in an array of its own; NAME_NONE for rows that
 * are no closed range. The default domain has an empty name: ":text".
 */
struct range_names {
	struct arena arena;
	struct strtab names;
	uint32_t *of_row;
};

int range_names_read(struct trace *t, struct range_names *ret, struct err *e);
void range_names_free(struct range_names *n);

#define RANGE_NONE UINT32_MAX

/* One closed push/pop range; ranges of a thread lie together, by start, outer before inner. */
struct range {
	int64_t start_ns, end_ns;
	int64_t children_ns; /* total duration of direct children */
	uint32_t row;	     /* in the NVTX events */
	uint32_t thread;
	uint32_t parent; /* index, or RANGE_NONE */
	uint32_t level;
	uint32_t children;
};

struct range_forest {
	struct range *ranges;
	size_t count;
	struct idmap thread_first; /* thread → index of its first range */
};

int range_forest_build(struct trace *t, struct range_forest *ret, struct err *e);
void range_forest_free(struct range_forest *f);
/* The innermost range of the thread that holds [start, end], or RANGE_NONE. */
uint32_t range_forest_find(const struct range_forest *f, uint32_t thread, int64_t start_ns,
			   int64_t end_ns);

#endif
