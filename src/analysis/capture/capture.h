/*
 * What a capture holds and what is odd about it, measured once: the facts on which `doctor` judges
 * what can be asked of it. Times are in nanoseconds. Events are those that the filters leave, as
 * far as they lie in the window; what no event tells is of the whole capture: which tables there
 * are, the machine, who shares a GPU, what the profiler says.
 */
#ifndef ANALYSIS_CAPTURE_H
#define ANALYSIS_CAPTURE_H

#include "analysis/analysis.h"
#include "base/saturate.h"
#include "trace/code/samples.h"
#include "trace/system/diagnostics.h"

struct capture {
	const struct scope *asked;

	/* What there is. */
	uint64_t count[TRACE_KINDS];
	uint64_t ranges;	    /* push/pop and start/end */
	bool has_calls, has_ranges; /* some were recorded, whatever the filters leave */
	bool has_memory_usage, has_gpu_metrics, has_cpu_samples, has_schedule;
	/* Samples of Python or the CPU, and backtraces of calls; known where somebody looked. */
	size_t stacks, without_stack;
	bool has_python_samples, python_without_stack; /* without_stack: all of them */
	bool has_python_backtraces, has_native_backtraces;
	bool in_interpreter;   /* machine code of Python was sampled */
	bool has_memory_kinds; /* copies say whether they are pageable or pinned */
	bool has_gpu_info;     /* how many SMs a GPU has */
	bool on_windows;
	const char *old_schema; /* why the export counts as old, or NULL */

	/* GPU work: kernels, copies, sets and whole graphs. */
	uint64_t ops;
	int64_t gpu_time_ns, graph_time_ns; /* sums of durations */
	int64_t first_ns, last_ns;	    /* its first start and last end */
	uint64_t communication;		    /* kernels whose name says so */
	uint64_t shared_gpus, most_sharing; /* GPUs of several processes; the most on one */

	/* How it hangs together. */
	uint64_t ops_without_call;
	int64_t time_with_call_ns, time_in_ranges_ns;
	int64_t time_with_line_ns; /* by backtraces, where somebody has read them */
	uint64_t ops_before_call;  /* they begin before the call that launches them does */
	int64_t worst_before_call_ns;

	/* What is odd. */
	uint64_t negative, outside,
		without_times;	/* events: end before start, beyond the capture */
	int64_t overhead_ns;	/* of the profiler while there was GPU work */
	uint64_t busiest_calls; /* API calls of the thread that made most, meanwhile */
	struct diagnostics said;
};

/* `code`: backtraces of calls, or NULL. */
int capture_measure(struct trace *t, const struct scope *p, const struct code *code,
		    struct capture *ret, struct err *e);
/* Parts of that: what the export has and says of the machine; and, once GPU work has its devices
 * and processes loaded, who shares a GPU, and what the profiler says. */
int capture_look_at_export(struct trace *t, struct capture *c, struct err *e);
int capture_find_sharing(struct trace *t, struct capture *c, struct err *e);

static inline bool scope_filters(const struct scope *p)
{
	return p->has_trim || p->has_device || p->has_pid;
}

static inline int64_t capture_gpu_span_ns(const struct capture *c)
{
	return c->ops ? sat_sub(c->last_ns, c->first_ns) : 0;
}

#endif
