/* What GPUs measured of themselves, as values of lanes. */
#ifndef TIMELINE_COUNTERS_H
#define TIMELINE_COUNTERS_H

#include "analysis/metrics/metric_kinds.h"
#include "timeline/values.h"
#include "trace/counters/gpu_metrics.h"

/* A counter of a GPU; ids are numbers of samples. */
struct counter {
	struct value_source base;
	const struct measured_gpu *gpu;
	enum metric_kind kind;
	size_t metric;
	uint32_t *ids; /* of samples that have a value; NULL: all have; for lanes_pack() */
	size_t count;
};

struct counters {
	struct gpu_metrics metrics;
	struct counter *all;
	size_t count, cap;
};

void counters_free(struct counters *c);

#endif
