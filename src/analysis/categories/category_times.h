/*
 * How much of the GPUs' time each category of work took. In every instant a device is busy with the
 * op that found it idle, or that went on when the earlier ones had ended: so each instant counts
 * once, and the categories of a device sum up to its busy time, to the nanosecond.
 */
#ifndef ANALYSIS_CATEGORY_TIMES_H
#define ANALYSIS_CATEGORY_TIMES_H

#include "analysis/analysis.h"
#include "analysis/categories/categories.h"
#include "analysis/window.h"
#include "trace/ops/ops.h"

/* All ops of one name. */
struct category_line {
	struct str category, name;
	uint64_t instances;
	int64_t ns;	   /* over all devices, each on its own */
	int64_t merged_ns; /* taking all devices for one */
};

struct category_device {
	uint32_t device; /* ID_NONE: the export does not say */
	int64_t busy_ns;
};

/* What it points to is its own: the trace may be closed. */
struct category_times {
	struct arena arena;
	struct category_line *lines; /* the most time first */
	size_t count;
	struct category_device *devices; /* those with work, in the window or not */
	size_t device_count;
	int64_t busy_ns, merged_ns; /* sums over the lines */
	struct span window; /* the trim, else the capture, else from the first op to the last */
	bool span_of_ops;   /* the export does not say how long the capture was */
	struct op_faults faults;
	uint64_t graphs; /* launches of whole graphs, whose kernels are not known */
};

/* ERR_INPUT when there is no GPU work, or filters leave none. */
int category_times_measure(struct trace *t, const struct categories *c, const struct scope *p,
			   struct category_times *ret, struct err *e);
void category_times_free(struct category_times *t);

#endif
