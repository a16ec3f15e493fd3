/* The calls of NCCL that the host made, as its ranges tell. */
#ifndef ANALYSIS_NCCL_CALL_TABLE_H
#define ANALYSIS_NCCL_CALL_TABLE_H

#include "analysis/analysis.h"
#include "analysis/comm/nccl_calls.h"

/* Adds the table where there are calls; of one process alone unless it is ID_NONE. */
void nccl_call_table_report(struct report *r, const struct nccl_calls *c,
			    const struct table_args *a, uint32_t process);

/* A communicator as NCCL's log writes it: "0x5ed5f2a1…". Null for none. */
struct cell communicator_cell(struct report *r, const struct communicator *x);

#endif
