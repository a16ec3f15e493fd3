/*
 * What the end of a group launches: between ncclGroupStart and ncclGroupEnd calls of NCCL only say
 * what is to be done, and the end of the outermost group launches all of it. PyTorch sends and
 * receives that way.
 */
#ifndef ANALYSIS_NCCL_GROUPS_H
#define ANALYSIS_NCCL_GROUPS_H

#include "trace/ranges/innermost.h"

/* Of an end of the outermost group, the calls that it launches: some that follow one another. */
struct nccl_group {
	uint32_t first, count; /* in the calls' forest; 0: none */
};

struct nccl_groups {
	struct picked_ranges bounds; /* starts and ends */
	struct nccl_group *of_bound;
};

/* Whether a range is the start or the end of a group, by its name. */
bool nccl_group_is_bound(struct str name);
/*
 * `calls` are NCCL's, of any thread; `choice` picks the bounds. To be freed also after an error.
 */
int nccl_groups_find(struct trace *t, const struct range_choice *choice,
		     const struct range_forest *calls, struct nccl_groups *ret, struct err *e);
void nccl_groups_free(struct nccl_groups *g);
/* The end of a group with calls that a thread is in, as index of `of_bound`; RANGE_NONE: none. */
uint32_t nccl_groups_at(const struct nccl_groups *g, uint32_t thread, int64_t at_ns);

#endif
