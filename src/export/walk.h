/* What the parts of the traversal share; see export/walk.c. */
#ifndef EXPORT_WALK_H
#define EXPORT_WALK_H

#include "analysis/window.h"
#include "export/arrows.h"
#include "export/export.h"
#include "export/shapes.h"
#include "export/tracks.h"
#include "trace/ops/ops.h"
#include "trace/ranges/attribution.h"

struct walk {
	struct trace *trace;
	const struct scope *p;
	const struct export_options *o;
	struct export_counts *counts;
	struct tracks tracks;
	struct shapes shapes;
	struct texts texts;
	uint32_t *text_of_name; /* by number in trace->names, plus 1 */
	/* Launches, and ranges where there are any. */
	struct attribution joined;
	struct range_names range_names;
	struct range_paths paths;
	uint32_t *text_of_path; /* plus 1 */
	uint32_t *correlation_of_launch;
	bool *thread_wanted; /* by number in trace->thread_keys */
	struct ops ops;
	bool has_ops, has_ranges;
	uint32_t *stream_of_op[TRACE_GPU_KINDS];
	struct arrows arrows;
	int64_t shift_ns;
};

/* The number of a name's text. */
uint32_t walk_text(struct walk *w, uint32_t name);

static inline bool walk_wants_thread(const struct walk *w, uint32_t thread)
{
	if (thread == ID_NONE)
		return !w->p->has_pid && !w->p->has_device;
	return w->thread_wanted[thread];
}

/* Whether ops of a kind are told. */
static inline bool walk_wants_kind(const struct walk *w, int kind)
{
	return !w->o->no_copies || (kind != TRACE_MEMCPYS && kind != TRACE_MEMSETS);
}

/* Whether an op is told, and its part in the window. */
static inline bool walk_wants_op(const struct walk *w, const struct op *op, struct span *ret)
{
	return walk_wants_kind(w, op->kind) &&
	       w->tracks.streams[w->stream_of_op[op->kind][op->row]].wanted &&
	       window_part(w->p, op->start_ns, sat_sub(op->end_ns, op->start_ns), ret);
}

/* The launch that an op is of, or LAUNCH_NONE. */
static inline uint32_t walk_launch(const struct walk *w, const struct op *op)
{
	const struct launches *l = &w->joined.launches;

	if (!l->launch_of_op || !(l->kinds & 1u << op->kind))
		return LAUNCH_NONE;
	return l->launch_of_op[l->begin[op->kind] + op->row];
}

/* Shifted and counted. */
int walk_slice(struct walk *w, struct timeline_slice *s, struct span part, struct err *e);

/* The parts, in the order in which they are told. */
int walk_ranges(struct walk *w, struct err *e);
int walk_calls(struct walk *w, struct err *e);
int walk_ops(struct walk *w, struct err *e);
int walk_memory(struct walk *w, struct err *e);
int walk_gpu_metrics(struct walk *w, struct err *e);

#endif
