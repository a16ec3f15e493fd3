/* What each kernel is called under :base, :mangled and :nvtx-name. */
#ifndef ANALYSIS_KERNEL_NAMES_H
#define ANALYSIS_KERNEL_NAMES_H

#include "analysis/analysis.h"
#include "trace/calls/launch.h"

enum naming { NAMING_DEMANGLED, NAMING_BASE, NAMING_MANGLED };

/* What `gpuwhy stats` says after a report's name, as nsys has it. */
struct naming_args {
	enum naming naming; /* :base, :mangled */
	bool nvtx_name;	    /* :nvtx-name */
};
/* Those that take :base and :mangled, and those that take :nvtx-name, too. */
extern const struct option_group naming_options, nvtx_naming_options;

/* `of_kernel` lives in the trace or, with :nvtx-name, belongs to the caller as `owned`. */
struct kernel_names {
	const uint32_t *of_kernel;
	uint32_t *owned;
};

/* Without `n` the usual names. `joined` are the kernels' launches, where the caller has them
 * already; NULL otherwise. */
int kernel_names_read(struct trace *t, const struct naming_args *n, const struct launches *joined,
		      struct kernel_names *ret, struct err *e);
void kernel_names_free(struct kernel_names *n);

#endif
