/*
 * The kernels that communicate, each with the collective that it is: from its name, and from the
 * NVTX range of the call that launched it where there is one.
 */
#ifndef ANALYSIS_COLLECTIVES_H
#define ANALYSIS_COLLECTIVES_H

#include "analysis/analysis.h"
#include "analysis/comm/collective_name.h"
#include "analysis/comm/comm_walk.h"
#include "trace/calls/picked_calls.h"
#include "trace/ranges/innermost.h"

/*
 * The calls of NCCL that kernels come from, as its NVTX ranges tell: which collective, in which
 * communicator, of how many bytes. A kernel belongs to the innermost such range around the call
 * that launched it; one launched by the end of a group, or by a graph, belongs to none.
 */

/* What a range carries. */
struct nccl_call {
	enum collective_type type;
	uint32_t communicator; /* nccl_calls.communicators; ID_NONE: the range does not say */
	int64_t bytes;	       /* "Message size"; negative: the range does not say */
};

struct communicator {
	uint64_t id;	/* as NCCL has it */
	uint64_t ranks; /* 0: not known */
	bool disputed;	/* two ranges disagree about the ranks */
};

struct nccl_calls {
	struct trace *trace;
	struct picked_ranges calls;	/* NCCL's own */
	struct picked_ranges exchanges; /* that say they are an all-to-all */
	struct communicator *communicators;
	size_t communicator_count, communicator_cap;
	struct idmap numbers; /* of communicators, by id */
	bool has_sizes;	      /* some say their size */
};

/* What the range at an index of calls.forest carries. */
struct nccl_call nccl_call_at(const struct nccl_calls *c, uint32_t range);

/* By its number; NULL for ID_NONE. */
static inline const struct communicator *communicator_at(const struct nccl_calls *c, uint32_t i)
{
	return i == ID_NONE ? NULL : &c->communicators[i];
}

/* The calls of NCCL that the host made, as its ranges tell. */

/* Adds the table where there are calls; of one process alone unless it is ID_NONE. */
void nccl_call_table_report(struct report *r, const struct nccl_calls *c,
			    const struct table_args *a, uint32_t process);

/* A communicator as NCCL's log writes it: "0x5ed5f2a1…". Null for none. */
struct cell communicator_cell(struct report *r, const struct communicator *x);

struct collective {
	int64_t bytes;	       /* of the call; negative: not known */
	uint32_t call;	       /* range of NCCL's call in calls.calls, or RANGE_NONE */
	uint32_t communicator; /* calls.communicators, or ID_NONE */
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
