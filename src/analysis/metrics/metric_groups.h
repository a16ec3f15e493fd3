/* Stretches of a GPU's time, grouped: whose counters are averaged together. */
#ifndef ANALYSIS_METRIC_GROUPS_H
#define ANALYSIS_METRIC_GROUPS_H

#include "analysis/analysis.h"
#include "base/buf.h"
#include "base/span.h"
#include "trace/counters/gpu_metrics.h"

enum metrics_by {
	METRICS_BY_GPU,
	METRICS_BY_KERNEL,
	METRICS_BY_COPY,
	METRICS_BY_RANGE,
	METRICS_BY_PHASE,
	METRICS_BY_STEP,
};

struct metric_group {
	size_t gpu;	   /* index into gpu_metrics.gpus */
	uint32_t device;   /* as answers call it */
	struct str name;   /* empty: the whole window */
	bool on_host;	   /* it launches nothing: its time is the host's */
	size_t begin, end; /* of spans, which are apart and in order */
	int64_t ns;
};

struct metric_groups {
	struct span *spans;
	struct metric_group *all;
	size_t count;
	const struct trace *trace;
	struct strtab names; /* of kernels, ranges, steps */
};

/* What is grouped, how, and in which window of the trace; names are made in the arena. */
struct metric_question {
	const struct gpu_metrics *metrics;
	const struct scope *p;
	struct span window;
	enum metrics_by by;
	struct arena *arena;
};

int metric_groups_make(struct trace *t, const struct metric_question *q, struct metric_groups *ret,
		       struct err *e);
void metric_groups_free(struct metric_groups *g);

/* What copies are told apart by: their direction, and the memory that they go from and to. */
struct copy_sort {
	uint32_t kind, from, to;
};
/* The name of their group. */
void metric_add_copy_name(struct buf *b, const struct copy_sort *c);

#endif
