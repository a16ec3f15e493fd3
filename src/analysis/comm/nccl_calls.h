/*
 * The calls of NCCL that kernels come from, as its NVTX ranges tell: which collective, in which
 * communicator, of how many bytes. A kernel belongs to the innermost such range around the call
 * that launched it; one launched by the end of a group, or by a graph, belongs to none.
 */
#ifndef ANALYSIS_NCCL_CALLS_H
#define ANALYSIS_NCCL_CALLS_H

#include "analysis/comm/collective_name.h"
#include "trace/ranges/innermost.h"

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

/* Whoever asks frees it, also after an error. */
int nccl_calls_make(struct trace *t, struct nccl_calls *ret, struct err *e);
void nccl_calls_free(struct nccl_calls *c);

/* What the range at an index of `calls` carries. */
struct nccl_call nccl_call_at(const struct nccl_calls *c, uint32_t range);

#endif
