/*
 * What the name of a communication kernel tells: which collective, and of NCCL's also algorithm,
 * protocol, type and reduction. NCCL has spelt its kernels in four ways:
 *
 *	ncclAllReduceRingLLKernel_sum_f32		to 2.7
 *	ncclKernel_AllReduce_RING_LL_Sum_float		to 2.18
 *	ncclDevKernel_AllReduce_Sum_f32_RING_LL
 *	ncclSymDevKernel_AllReduce_AGxLL_R_sum_f32	on symmetric memory
 */
#ifndef ANALYSIS_COLLECTIVE_NAME_H
#define ANALYSIS_COLLECTIVE_NAME_H

#include "base/str.h"

enum collective_type {
	COLL_ALL_REDUCE,
	COLL_ALL_GATHER,
	COLL_REDUCE_SCATTER,
	COLL_BROADCAST,
	COLL_REDUCE,
	COLL_SEND_RECV,
	COLL_ALL_TO_ALL,
	COLL_OTHER,
	COLL_TYPES,
};

/* Constants; NULL where the name does not tell. */
struct collective_name {
	enum collective_type type;
	const char *algorithm; /* "RING", "TREE", "NVLS", … */
	const char *protocol;  /* "LL", "LL128", "SIMPLE" */
	const char *datatype;  /* "f32", "bf16", … as NCCL abbreviates them */
	const char *reduction; /* "Sum", "Max", … */
};

struct collective_name collective_name_parse(struct str kernel);
/* "AllReduce". */
const char *collective_type_name(enum collective_type type);
/* The type of a call of NCCL's: "ncclAllReduce"; COLL_TYPES for what is none, ncclCommInit… */
enum collective_type collective_type_of_call(struct str call);
/*
 * As nccl-tests define it: the time it would take a link to move the bytes that must go over it.
 * NCCL's message is all of the data, or, where each rank has its own part, one rank's part.
 */
double collective_bus_bytes(enum collective_type type, double message, double ranks);
/* Whether a range says that what is sent and received in it is an all-to-all exchange. */
bool collective_range_is_all_to_all(struct str range);

#endif
