/*
 * How far from what the device can do are the kernels that Nsight Compute measured, and what would
 * it gain to get there? The chart's kind is CHART_ROOFLINE.
 */
#ifndef ANALYSIS_ROOFLINE_H
#define ANALYSIS_ROOFLINE_H

#include "analysis/counters/ncu_study.h"

/*
 * Adds the ceilings of each device, the kernels ranked by headroom, at most `limit` of them, and a
 * chart of each device. ERR_INPUT, marked absent, when no launch has operations, bytes and the
 * device's peaks: the hint says how ncu records them.
 */
int roofline_add(const struct ncu_study *s, uint64_t limit, struct report *r, struct err *e);

/* The share of its nearest ceiling that a group reached, at most 1; NAN: unknown. */
double roofline_attained(const struct ncu_group *g);
/* What a kernel of the study takes beyond the nearest ceiling, in ns of ncu_grids_time(); may be
 * NAN. */
double roofline_headroom(const struct ncu_study *s, size_t group);

#endif
