/*
 * Which kernels were launched inside the NVTX ranges of each name. A kernel belongs to all ranges
 * around the call that launched it, on the call's thread, not just to the innermost.
 */
#ifndef ANALYSIS_RANGE_KERNELS_H
#define ANALYSIS_RANGE_KERNELS_H

#include "analysis/kernel_names.h"
#include "analysis/ranges/kernel_lines.h"

struct range_kernels {
	struct range_names names;
	struct kernel_lines lines; /* in no order */
};

/* To be freed whether this fails or not. */
int range_kernels_read(struct trace *t, const struct naming_args *n, struct range_kernels *ret,
		       struct err *e);
void range_kernels_free(struct range_kernels *k);

#endif
