/* What a GPU's counters say of each kernel, beside its times. */
#ifndef ANALYSIS_KERNEL_METRICS_H
#define ANALYSIS_KERNEL_METRICS_H

#include "analysis/metrics/metric_groups.h"

enum { KERNEL_METRICS = 4 };
extern const struct column kernel_metric_columns[KERNEL_METRICS];

struct kernel_metrics {
	struct gpu_metrics metrics;
	struct metric_groups groups;
	uint32_t *first; /* by name: the first of its groups, plus 1 */
	uint32_t *next;	 /* by group: the next one of the name, plus 1 */
	size_t names;
};

/* ERR_INPUT, marked absent, where the trace has no counters. */
int kernel_metrics_read(struct trace *t, const struct scope *p, struct span window,
			struct kernel_metrics *ret, struct err *e);
/* Of a kernel on a device, or on all (ID_NONE). */
void kernel_metrics_cells(struct kernel_metrics *k, struct str name, uint32_t device,
			  struct cell out[KERNEL_METRICS]);
void kernel_metrics_free(struct kernel_metrics *k);

#endif
