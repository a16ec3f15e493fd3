/*
 * The events of a capture that `doctor` looks at: those of the device and the process that are
 * asked about, as far as they lie in the window. Unlike elsewhere nothing is refused for lack of
 * times.
 */
#ifndef ANALYSIS_CAPTURE_FILTER_H
#define ANALYSIS_CAPTURE_FILTER_H

#include "analysis/gpu/gpu_work.h"
#include "trace/calls/device_threads.h"

struct capture_filter {
	struct gpu_work work;
	struct device_threads threads; /* of the device: calls and ranges name none */
};

/* GPU work has its devices and processes loaded. To be closed whether this fails or not. */
int capture_filter_open(struct capture_filter *f, struct trace *t, const struct scope *p,
			struct err *e);
void capture_filter_close(struct capture_filter *f);
/* Whether a call or a range of the thread is looked at. */
bool capture_filter_thread(const struct capture_filter *f, uint32_t thread);

static inline bool scope_filters(const struct scope *p)
{
	return p->has_trim || p->has_device || p->has_pid;
}

static inline bool capture_filter_op(const struct capture_filter *f, enum trace_kind kind,
				     uint64_t op)
{
	const struct scope *p = f->work.p;

	return (!p->has_device && !p->has_pid) || gpu_work_passes(&f->work, kind, op);
}

/* The part of an event inside the window, as start and duration; false when there is none. */
static inline bool capture_filter_part(const struct capture_filter *f, int64_t *start_ns,
				       int64_t *duration_ns)
{
	struct span part;

	if (!f->work.p->has_trim)
		return true;
	if (!window_part(f->work.p, *start_ns, *duration_ns, &part))
		return false;
	*start_ns = part.start_ns;
	*duration_ns = sat_sub(part.end_ns, part.start_ns);
	return true;
}

#endif
