/*
 * A GPU's counters as time goes on: their mean and their highest sample in equal stretches of a
 * window, as many as a picture is wide.
 */
#ifndef ANALYSIS_METRIC_BINS_H
#define ANALYSIS_METRIC_BINS_H

#include "analysis/metrics/metric_kinds.h"
#include "trace/counters/gpu_metrics.h"

enum { METRIC_BINS = 400 };

/* What is drawn, one below the other. */
enum metric_lane {
	LANE_SMS,
	LANE_TENSOR,
	LANE_DRAM, /* reading and writing together */
	LANE_PCIE_IN,
	LANE_PCIE_OUT,
	LANE_NVLINK_IN,
	LANE_NVLINK_OUT,
	LANE_CLOCK, /* MHz; the others are percent of what is possible */
	METRIC_LANES,
};

struct metric_bin {
	double ns;  /* of the bin that samples stand for */
	double sum; /* of their values, by these nanoseconds */
	double max;
};

struct metric_bins {
	struct span window;
	struct metric_bin bins[METRIC_LANES][METRIC_BINS];
};

/* Samples are shared out by overlap. */
void metric_bins_make(struct metric_bins *b, const struct measured_gpu *g, struct span window);
/* Bins are whole nanoseconds, and together the window. */
struct span metric_bin_span(const struct metric_bins *b, size_t bin);
/* NAN: no sample stands for any of it. */
double metric_bin_mean(const struct metric_bin *b);
double metric_bin_max(const struct metric_bin *b);

/* Whether a lane has something to show: a link that is used, a clock that moves. */
bool metric_lane_is_shown(const struct metric_bins *b, enum metric_lane lane);

#endif
