/*
 * The GPU ops that a question is about: those that its filters leave, each as far as it lies in the
 * window.
 */
#ifndef ANALYSIS_GPU_WORK_H
#define ANALYSIS_GPU_WORK_H

#include "analysis/window.h"
#include "trace/system/machine.h"

enum { ALL_GPU_KINDS = (1 << TRACE_GPU_KINDS) - 1 };

struct gpu_work {
	struct trace *trace;
	const struct scope *p;
	struct device_map devices;
	bool any; /* the trace has GPU ops, whatever the filters leave */
};

/* Loads what filters and clipping need of the kinds (bits). */
int gpu_work_open(struct gpu_work *w, struct trace *t, unsigned kinds, const struct scope *p,
		  struct err *e);
void gpu_work_close(struct gpu_work *w);
/* Whether op i of a kind is of the device and the process that are asked about. */
bool gpu_work_passes(const struct gpu_work *w, enum trace_kind kind, uint64_t op);
/*
 * Whole-graph launches hide their kernels, so that shares of what is left mislead: warns where the
 * trace has such launches, with their time and the flag that shows the kernels.
 */
int warn_of_hidden_graphs(struct trace *t, struct report *r, struct err *e);
/* Says how many ops have no readable times and are left out. */
void gpu_work_warn(const struct gpu_work *w, unsigned kinds, struct report *r);

/* The part of op i of a kind inside the window; false when it is filtered out or has no times. */
static inline bool gpu_work_part(const struct gpu_work *w, enum trace_kind kind, uint64_t op,
				 struct span *ret)
{
	const struct events *ev = &w->trace->events[kind];

	return ev->duration_ns[op] != DURATION_NONE &&
	       ((!w->p->has_device && !w->p->has_pid) || gpu_work_passes(w, kind, op)) &&
	       window_part(w->p, ev->start_ns[op], ev->duration_ns[op], ret);
}
#endif
