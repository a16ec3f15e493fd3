/*
 * FLOPs that Nsight Compute counted: what a launch of each kernel does on average, times its
 * launches in the window. That is what the program did, needed or not: HFU, never MFU. Kernels that
 * ncu did not measure, or not at a grid that they have there, are not in it.
 */
#ifndef ANALYSIS_MFU_NCU_H
#define ANALYSIS_MFU_NCU_H

#include "analysis/counters/ncu_study.h"
#include "analysis/mfu/mfu_question.h"

struct mfu_ncu {
	struct ncu_report report;
	struct ncu_study study;
	double flops;
	size_t kernels;		/* of the trace that are counted */
	int64_t counted_ns;	/* their time in the window */
	struct ncu_grids grids; /* the same of all that ncu has FLOPs of */
	int64_t total_ns;	/* of all kernels */
};

/* Of the files of q-> To be freed whether this fails or not. ERR_INPUT when nothing in the
 * window was counted. */
int mfu_ncu_count(struct mfu_ncu *ret, struct trace *t, const struct scope *p,
		  const struct mfu_question *q, struct err *e);
void mfu_ncu_free(struct mfu_ncu *n);

/* FLOPs of a launch, on average over those of a group; NAN: unknown, or of other grids. */
double mfu_ncu_each(const struct mfu_ncu *n, size_t group);
/* Says what was counted, and warns of what was not. */
void mfu_ncu_note(struct report *r, const struct mfu_ncu *n);

#endif
