/* Nsight Compute may have measured on another GPU than the run was on. */
#ifndef ANALYSIS_NCU_DEVICES_H
#define ANALYSIS_NCU_DEVICES_H

#include "analysis/analysis.h"
#include "ncu/ncu.h"

/*
 * Warns where the GPUs that kernels ran on in the window are not those that were measured, or not
 * all of them, by their names; of what has none nobody knows.
 */
int ncu_devices_warn(const struct ncu_report *ncu, struct trace *t, const struct scope *p,
		     struct report *r, struct err *e);

#endif
