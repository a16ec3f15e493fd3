/*
 * The counters that GPUs kept of themselves while they worked (nsys profile --gpu-metrics-devices):
 * at each moment a value of each metric, as an average over the time until the next moment.
 */
#ifndef TRACE_GPU_METRICS_H
#define TRACE_GPU_METRICS_H

#include "base/span.h"
#include "trace/system/machine.h"
#include "trace/trace.h"

enum {
	METRICS_MOST = 256, /* of a GPU; a table that names more is not read further */
	GPUS_MOST = 256,    /* likewise: the lowest byte of a type is the GPU */
	CLOCK_MHZ_MOST = 100000,
};

/* One GPU that was measured. */
struct measured_gpu {
	int64_t type;	   /* the export's number for it */
	uint32_t gpu;	   /* as TARGET_INFO_GPU numbers it */
	struct str *names; /* of its metrics */
	int64_t *ids;	   /* by metric: the export's number */
	size_t metrics, samples, cap;
	int64_t *at_ns;	   /* by sample, in order */
	float *values;	   /* sample · metrics + metric; NAN: there is none; clocks in MHz */
	int64_t period_ns; /* the usual time from one sample to the next */
};

struct gpu_metrics {
	struct measured_gpu *gpus;
	size_t count;
	bool shared; /* they are the trace's */
};

/* An export without them has none. They are read once for all who ask. */
int gpu_metrics_read(struct trace *t, struct gpu_metrics *ret, struct err *e);
/* ERR_INPUT, marked absent, where there are none. */
int gpu_metrics_require(const struct gpu_metrics *m, struct err *e);
void gpu_metrics_free(struct gpu_metrics *m);

/* The GPU is in the lowest byte of a type; its number may not be the one CUDA uses. */
static inline uint32_t gpu_of_metric_type(int64_t type)
{
	return (uint32_t)(type & 0xff);
}

/* Names end in their unit. Clocks that are called MHz are in Hz: no clock has so many MHz. */
static inline bool gpu_metric_is_mhz(struct str name)
{
	return str_holds(name, "[MHz]");
}

/* The number that answers have for a measured GPU: CUDA's, or the export's where these clash. */
uint32_t gpu_metrics_device(const struct machine *m, const struct device_map *map, uint32_t gpu);

static inline float gpu_metric(const struct measured_gpu *g, size_t sample, size_t metric)
{
	return g->values[sample * g->metrics + metric];
}

/* The time that a sample stands for: until the next, and no longer than two periods. */
struct span gpu_metric_span(const struct measured_gpu *g, size_t sample);

#endif
