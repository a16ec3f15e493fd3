/* What each kernel is called under :base, :mangled and :nvtx-name. */
#ifndef ANALYSIS_KERNEL_NAMES_H
#define ANALYSIS_KERNEL_NAMES_H

#include "analysis/analysis.h"
#include "trace/calls/launch.h"

/* `of_kernel` lives in the trace or, with :nvtx-name, belongs to the caller as `owned`. */
struct kernel_names {
	const uint32_t *of_kernel;
	uint32_t *owned;
};

/* `joined` are the kernels' launches, where the caller has them already; NULL otherwise. */
int kernel_names_read(struct trace *t, const struct params *p, const struct launches *joined,
		      struct kernel_names *ret, struct err *e);
void kernel_names_free(struct kernel_names *n);

#endif
