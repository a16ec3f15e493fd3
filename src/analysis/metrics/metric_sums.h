/* Averages of a GPU's counters over stretches of time. */
#ifndef ANALYSIS_METRIC_SUMS_H
#define ANALYSIS_METRIC_SUMS_H

#include "analysis/metrics/metric_kinds.h"
#include "trace/counters/gpu_metrics.h"

enum { METRIC_SAMPLES_MIN = 5 }; /* that say something */

struct metric_average {
	double value[METRIC_KINDS]; /* NAN: not measured */
	double uncertain;	    /* percent points: the largest standard error of the shares */
	size_t samples;		    /* nearly all of whose time lies in the stretches */
	size_t touched;		    /* any of whose time does */
	enum metric_bound bound;    /* BOUND_UNKNOWN where the samples are too few */
};

/* Which metric of a GPU is of each kind; SIZE_MAX: none is. */
void metric_columns(const struct measured_gpu *g, size_t ret[METRIC_KINDS]);

/*
 * Samples that lie in the stretches, which are apart and in order, are averaged by their time in
 * them. Where these are too few nobody can tell: in those that only touch them is others' work.
 */
struct metric_average metric_average(const struct measured_gpu *g, const struct span *spans,
				     size_t count);

/* Puts stretches in order and joins those that touch: how many there are then. */
size_t spans_join(struct span *spans, size_t count);

#endif
