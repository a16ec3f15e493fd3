/*
 * The calls of NCCL that kernels come from, as its NVTX ranges tell: which collective, in which
 * communicator, of how many bytes. A kernel belongs to the innermost such range around the call
 * that launched it; one launched by the end of a group, or by a graph, belongs to none.
 */
#ifndef ANALYSIS_NCCL_CALLS_H
#define ANALYSIS_NCCL_CALLS_H

#include "analysis/collective_name.h"
#include "trace/attribution.h"

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
	struct attribution at; /* of kernels, where that was asked for */
	/* By range of at.forest: the call it is or lies in, and the range that says it is an
	 * all-to-all exchange; RANGE_NONE: none. NULL: there are none at all. */
	uint32_t *call_around;
	uint32_t *exchange_around;
	struct communicator *communicators;
	size_t communicator_count, communicator_cap;
	struct idmap numbers; /* of communicators, by id */
	bool any;	      /* there are calls */
	bool has_sizes;	      /* some say their size */
};

/* `kernels`: they are joined with their calls. Whoever asks frees it, also after an error. */
int nccl_calls_make(struct trace *t, bool kernels, struct nccl_calls *ret, struct err *e);
void nccl_calls_free(struct nccl_calls *c);

/* What the range at an index of the forest carries; it must be a call. */
struct nccl_call nccl_call_at(const struct nccl_calls *c, uint32_t range);
/* The range of the call that a kernel comes from, or RANGE_NONE. */
uint32_t nccl_call_of_kernel(const struct nccl_calls *c, uint32_t row);
/* The range that says so of the kernel, or RANGE_NONE. */
uint32_t nccl_exchange_of_kernel(const struct nccl_calls *c, uint32_t row);

#endif
