/*
 * The NVTX ranges that a program has of its own, without those that libraries open for themselves
 * (CCCL, NCCL, cuBLAS): a library's range says nothing of the program's parts, and where to add
 * ranges does not depend on it.
 */
#ifndef ANALYSIS_USER_RANGES_H
#define ANALYSIS_USER_RANGES_H

#include "trace/ranges/attribution.h"
#include "trace/ranges/range_paths.h"

struct user_ranges {
	struct range_forest forest; /* parents are ranges of the program, too */
	uint32_t *of_all; /* by index among all ranges: its index here; RANGE_NONE: a library's */
	size_t *begin;	  /* of each thread's; thread_count + 1 entries */
	size_t thread_count;
	struct range_names names;
	struct folded_names folded;
	struct range_paths paths; /* of names without counters */
	bool *coarse; /* by path: it is too coarse to tell anything; set by the caller */
};

/* `all` are the push/pop ranges of the trace. To be freed whether this fails or not. */
int user_ranges_make(struct trace *t, const struct range_forest *all, struct user_ranges *ret,
		     struct err *e);
void user_ranges_free(struct user_ranges *u);

static inline bool user_ranges_has_thread(const struct user_ranges *u, uint32_t thread)
{
	return u->begin[thread + 1] > u->begin[thread];
}

/* "step / forward", in the arena; empty for RANGE_NONE. */
struct str user_ranges_text(const struct user_ranges *u, struct arena *a, uint32_t path);

#endif
