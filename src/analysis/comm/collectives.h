/*
 * The kernels that communicate, each with the collective that it is: from its name, and from the
 * NVTX range of the call that launched it where there is one.
 */
#ifndef ANALYSIS_COLLECTIVES_H
#define ANALYSIS_COLLECTIVES_H

#include "analysis/analysis.h"
#include "analysis/comm/collective_name.h"
#include "analysis/comm/comm_walk.h"
#include "analysis/comm/nccl_calls.h"
#include "trace/calls/picked_calls.h"

struct collective {
	int64_t bytes; /* of the call; negative: not known */
	uint32_t
		call; /* range of NCCL's call in calls.calls, of a group the first, or RANGE_NONE */
	uint32_t communicator; /* calls.communicators, or ID_NONE */
	uint32_t peer;	       /* as the call has it, or ID_NONE */
	uint32_t kind;	       /* collectives.kinds */
	uint8_t type;	       /* enum collective_type */
	bool by_range;	       /* the type is a range's word, because the name has none as good */
	bool first_of_call;    /* a call moves its bytes once, however many kernels it launches */
};

struct collectives {
	struct comm_walk walk;
	struct nccl_calls calls;
	struct collective *all;	      /* by number of walk.kernels */
	struct picked_calls launches; /* of those kernels, where somebody looked for them */
	bool has_launches;
	struct collective_name *kinds; /* what names tell beside the type, each once */
	size_t kind_count, kind_cap;
	uint64_t exchanges;	 /* sends and receives that a range calls an all-to-all */
	uint32_t exchange_range; /* one that does, in calls.exchanges, or RANGE_NONE */
};

/*
 * As comm_walk_make(), or without a question as comm_walk_list(). Whoever asks frees it, also after
 * an error.
 */
int collectives_make(struct trace *t, const struct scope *p, const struct comm_question *q,
		     struct collectives *ret, struct err *e);
void collectives_free(struct collectives *c);
/* The calls that launched them, where nobody has looked for those. */
int collectives_find_launches(struct collectives *c, struct trace *t, struct err *e);

/* Says what is missing for sizes, and how types were told where names did not. */
void collectives_tell(const struct collectives *c, struct report *r);

#endif
