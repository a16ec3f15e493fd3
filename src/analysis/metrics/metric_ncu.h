/* What Nsight Compute measured of the same kernels, beside what the GPU's counters say. */
#ifndef ANALYSIS_METRIC_NCU_H
#define ANALYSIS_METRIC_NCU_H

#include "analysis/counters/ncu_study.h"
#include "analysis/metrics/metric_kinds.h"

enum { METRIC_NCU_COLUMNS = 3 };

struct metric_ncu {
	struct ncu_report report;
	struct ncu_study study;
	/* Kernels that both measured, those that they see otherwise, and those that ncu sees
	 * bound by a cache, which the counters do not. */
	size_t joined, differ, cached;
};

int metric_ncu_read(struct metric_ncu *ret, const struct string_list *files, struct trace *t,
		    const struct scope *p, struct err *e);
void metric_ncu_free(struct metric_ncu *n);
/* Cells of the METRIC_NCU_COLUMNS: bound, its share in percent, whether both agree. */
void metric_ncu_add(struct metric_ncu *n, struct rows *rows, struct str kernel,
		    enum metric_bound bound);
/* After all rows: how many kernels both measured, and of how many they do not agree. */
void metric_ncu_tell(const struct metric_ncu *n, struct report *r);

#endif
