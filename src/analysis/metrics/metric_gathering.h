/* For those who gather stretches of time: what they are put into. */
#ifndef ANALYSIS_METRIC_GATHERING_H
#define ANALYSIS_METRIC_GATHERING_H

#include "analysis/metrics/metric_groups.h"
#include "trace/ops/ops.h"

/* A stretch of a group, as they are met. */
struct piece {
	uint32_t group;
	struct span span;
};

struct gathering {
	struct trace *trace;
	const struct metric_question *q;
	const struct gpu_metrics *metrics;
	struct machine machine;
	struct device_map devices;
	uint32_t *device_of; /* by measured GPU: as answers call it */
	struct ops ops;
	struct metric_groups *to;
	struct idmap numbers; /* GPU and name → group */
	size_t group_cap, count, cap;
	struct piece *pieces;
};

/* The group of a name, or of NAME_NONE, on a measured GPU. */
uint32_t metric_group_of(struct gathering *g, size_t gpu, uint32_t name);
void metric_keep_piece(struct gathering *g, uint32_t group, struct span s);
/* The part of it that lies in the window. */
void metric_add_piece(struct gathering *g, uint32_t group, struct span s);
/* Whether it was measured, and is asked about. */
bool metric_wants_gpu(const struct gathering *g, size_t gpu);
/* The measured GPU that an op ran on, if it is asked about; SIZE_MAX: none. */
size_t metric_gpu_of_op(const struct gathering *g, enum trace_kind kind, uint64_t i);
struct span metric_op_span(const struct events *ev, uint64_t i);

int metric_add_ranges(struct gathering *g, struct err *e);
int metric_add_phases(struct gathering *g, struct err *e);

#endif
