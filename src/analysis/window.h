/* The window of time that an answer is about. Windows clip: a straddling event counts for its part.
 */
#ifndef ANALYSIS_WINDOW_H
#define ANALYSIS_WINDOW_H

#include "analysis/analysis.h"
#include "base/span.h"

/* Part of [start, start + duration) inside the window; false when there is none. */
static inline bool window_clip(const struct scope *p, int64_t start_ns, int64_t duration_ns,
			       int64_t *ret_ns)
{
	int64_t end_ns = sat_add(start_ns, duration_ns);

	*ret_ns = duration_ns;
	if (!p->has_trim)
		return true;
	if (start_ns < p->from_ns)
		start_ns = p->from_ns;
	if (end_ns > p->to_ns)
		end_ns = p->to_ns;
	*ret_ns = sat_sub(end_ns, start_ns);
	/* An instant inside the window counts; an event that only touches its edge does not. */
	return end_ns > start_ns || (duration_ns == 0 && start_ns == end_ns && start_ns < p->to_ns);
}

/* The part as a span; a negative duration counts as none. */
static inline bool window_part(const struct scope *p, int64_t start_ns, int64_t duration_ns,
			       struct span *ret)
{
	int64_t inside;

	if (!window_clip(p, start_ns, duration_ns < 0 ? 0 : duration_ns, &inside))
		return false;
	ret->start_ns = p->has_trim && start_ns < p->from_ns ? p->from_ns : start_ns;
	ret->end_ns = sat_add(ret->start_ns, inside);
	return true;
}

/* Whether two questions are about the same device and process; windows aside. */
static inline bool scope_same_place(const struct scope *a, const struct scope *b)
{
	return a->has_device == b->has_device && (!a->has_device || a->device == b->device) &&
	       a->has_pid == b->has_pid && (!a->has_pid || a->pid == b->pid) &&
	       a->has_process == b->has_process && (!a->has_process || a->process == b->process);
}

/*
 * From the first GPU work to the last, on any device: filters change what is counted, not when;
 * SPAN_NONE: there is none.
 */
int window_of_gpu_work(struct trace *t, struct span *ret, struct err *e);
/*
 * The whole capture: as long as the export says, and GPU work that began before or outlasted that;
 * else from the first to the last of all events; SPAN_NONE: there are none.
 */
int window_of_capture(struct trace *t, struct span *ret, struct err *e);
/* ERR_INPUT where somebody asks for a window in which nothing was captured. */
int window_check(struct trace *t, const struct scope *p, struct err *e);
/* The error where the window of --trim has no events of a kind, which the answer is about; -1. */
int window_refuse_empty(struct trace *t, const struct scope *p, enum trace_kind kind,
			struct err *e);
/* Adds to an error about a window when the capture was; -1. */
int window_hint(struct trace *t, struct err *e);

/*
 * Heads the report with the analysis's title and the window it used: the one asked for, else the
 * capture. Without a trim everything counts, also what began before the capture or outlasted it.
 * `rows` say by what it is sorted; may be NULL.
 */
int window_report(struct report *r, const struct analysis *a, struct trace *t,
		  const struct scope *p, const struct row_choice *rows, struct err *e);
/* The heading alone, of a report that has its window: the same words whoever answers. */
void window_heading(struct report *r, const struct analysis *a, const struct scope *p,
		    const struct row_choice *rows);
/* What the report's window is long; 0 where it has none. */
static inline int64_t window_length(const struct report *r)
{
	return r->has_window ? sat_sub(r->window_end_ns, r->window_start_ns) : 0;
}

#endif
