/* What a GPU's counters mean: their names differ by architecture and by version of the profiler. */
#ifndef ANALYSIS_METRIC_KINDS_H
#define ANALYSIS_METRIC_KINDS_H

#include "base/str.h"

enum metric_kind {
	METRIC_GR_ACTIVE, /* any engine for graphics or compute is at work */
	METRIC_SMS_ACTIVE,
	METRIC_ISSUE,
	METRIC_TENSOR,
	METRIC_WARPS,
	METRIC_DRAM_READ,
	METRIC_DRAM_WRITE,
	METRIC_PCIE_RX,
	METRIC_PCIE_TX,
	METRIC_NVLINK_RX,
	METRIC_NVLINK_TX,
	METRIC_SHARES,		      /* those before are percent of what is possible */
	METRIC_CLOCK = METRIC_SHARES, /* in MHz */
	METRIC_KINDS,		      /* another one */
};

enum metric_kind metric_kind(struct str name);
/* The value, or NAN where no counter of that kind can have it: a file may be damaged. */
double metric_sound(enum metric_kind kind, double value);
/* Reading and writing together; NAN: neither was measured. */
double metric_dram(const double average[METRIC_KINDS]);

/* What limits the work in a stretch of time. */
enum metric_bound {
	BOUND_TENSOR,
	BOUND_DRAM,
	BOUND_ISSUE,
	BOUND_PCIE,
	BOUND_NVLINK,
	BOUND_FEW_SMS,
	BOUND_LATENCY,
	BOUND_IDLE,
	BOUND_UNKNOWN,
};

/* Averages by kind; NAN: not measured. */
enum metric_bound metric_bound(const double average[METRIC_KINDS]);
extern const char *const metric_bound_names[];

#endif
