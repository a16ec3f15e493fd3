/*
 * Which ranks do the same as which? The stages of a pipeline do not: what one of them takes before
 * its collectives says nothing about the others.
 */
#ifndef ANALYSIS_ROLES_H
#define ANALYSIS_ROLES_H

#include "analysis/comm/collective_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROLES_NONE UINT32_MAX

/* Collectives of one type in one communicator, or of one name. */
struct replay_class {
	enum collective_type type;
	uint32_t stream; /* the same of classes of one communicator, which share a stream on each
			    member */
	const uint32_t *members;
	uint32_t member_count;
	size_t count;	/* of its collectives, those outside the window, too */
	bool has_all;	/* all ranks that there are take part */
	bool is_uneven; /* some members have far fewer kernels of it than others */
};

/* Two ranks that send to each other. */
static inline bool replay_class_is_pair(const struct replay_class *c)
{
	return c->type == COLL_SEND_RECV && c->member_count == 2 && !c->has_all;
}

/* What times tell about a pair, the worst for a pipeline last; see flow.h. */
enum replay_flow {
	FLOW_UNKNOWN, /* nobody has two neighbours, or too few exchanges with them */
	FLOW_PASSES,  /* who has two computes between what it has to do with either */
	FLOW_AT_ONCE, /* … has to do with both at once */
};

struct roles {
	uint32_t *of; /* by member, from 0 on */
	uint32_t count;
	/*
	 * They are the stages of a pipeline: by role which one, ascending. NULL: nothing says that
	 * they are.
	 */
	uint32_t *stage;
};

/* Whether of so many kernels the fewest and the most are uneven: what a capture lost is not. */
static inline bool kernels_are_uneven(size_t fewest, size_t most)
{
	return fewest < most / 4 * 3;
}

/*
 * `stage` by member, as labels say, or NULL where they do not: then it is ranks that communicators
 * connect, but for those of all ranks, those that two of a pair send through, and those with
 * several ranks of one chain of such pairs. Such chains are pipelines, where all pass through the
 * same roles; so are communicators that ranks of all roles send through, one of each, the ends of
 * the pipeline less often. Where nothing
 * tells ranks apart, all have one role. `flow` by class: pairs that exchange edges are no chain,
 * and neither is one of three ranks or more of which nobody is known to pass work on.
 */
void roles_find(const struct replay_class *classes, size_t class_count, size_t member_count,
		const uint32_t *stage, const enum replay_flow *flow, struct roles *ret);
void roles_free(struct roles *r);

#endif
