/*
 * The calls of NCCL that kernels come from, as its NVTX ranges tell: which collective, in which
 * communicator, of how many bytes. A kernel belongs to the innermost such range around the call
 * that launched it, or, where the end of a group launched it, to the calls of that group; one
 * launched by a graph belongs to none.
 */
#ifndef ANALYSIS_NCCL_CALLS_H
#define ANALYSIS_NCCL_CALLS_H

#include "analysis/analysis.h"
#include "analysis/comm/collective_name.h"
#include "analysis/comm/nccl_groups.h"
#include "base/pairs.h"
#include "trace/ranges/innermost.h"

/* What a range carries. */
struct nccl_call {
	enum collective_type type;
	uint32_t communicator; /* nccl_calls.communicators; ID_NONE: the range does not say */
	uint32_t peer; /* what is sent to, or received from: a rank of the communicator; ID_NONE:
			  the range does not say, or those of a group are several */
	int64_t bytes; /* "Message size"; negative: the range does not say */
};

struct communicator {
	uint64_t id;	/* as NCCL has it */
	uint64_t ranks; /* 0: not known */
	bool disputed;	/* two ranges disagree about the ranks */
};

struct nccl_calls {
	struct trace *trace;
	struct picked_ranges calls; /* NCCL's own */
	struct nccl_groups groups;  /* of these */
	struct nccl_call *of_group; /* what those of a group have in common, by groups.of_bound */
	struct picked_ranges exchanges; /* that say they are an all-to-all */
	struct communicator *communicators;
	size_t communicator_count, communicator_cap;
	struct idmap numbers; /* of communicators, by id */
	struct pairs owners;  /* processes and communicators whose set-up says … */
	uint32_t *own_rank;   /* … which rank of it the process is */
	size_t own_rank_cap;
	bool has_sizes; /* some say their size */
};

/* Whoever asks frees it, also after an error. */
int nccl_calls_make(struct trace *t, struct nccl_calls *ret, struct err *e);
void nccl_calls_free(struct nccl_calls *c);
/* What the range at an index of calls.forest carries. */
struct nccl_call nccl_call_at(const struct nccl_calls *c, uint32_t range);

/* Which rank of a communicator a process is; ID_NONE: not known. */
uint32_t nccl_own_rank(const struct nccl_calls *c, uint32_t process, uint32_t communicator);

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

#endif
