/* What the parts of the traversal share; see export/walk.c. */
#ifndef EXPORT_WALK_H
#define EXPORT_WALK_H

#include "analysis/window.h"
#include "export/export.h"
#include "export/tracks.h"
#include "text/strtab.h"
#include "trace/code/call_lines.h"
#include "trace/code/sample_marks.h"
#include "trace/ops/ops.h"
#include "trace/ranges/attribution.h"

/*
 * The arrows from launches to what they launched. Each op that was launched by a call that is told,
 * too, has one, and each arrow its own id: those of a call are next to one another.
 */
enum {
	LAUNCH_CALL_TOLD = 1, /* arrows begin at its call */
	LAUNCH_BEGUN = 2,     /* its first op has been met */
};

/* Ops are walked in pieces of so many; see earliest_call_ns. */
enum { PIECE_BITS = 16 };

struct arrows {
	uint32_t *next;		   /* by launch: the id of the next arrow; one more than launches */
	uint8_t *flags;		   /* by launch */
	uint32_t *launch_of_call;  /* by row of the call, plus 1; 0: it launched nothing */
	int64_t *earliest_call_ns; /* that launched an op of this piece or a later one */
	size_t pieces;
};

/*
 * How kernels were launched: grid, block, registers, shared memory. Few launches differ in it, so
 * that a number takes the place of nine columns, and a writer words each shape once.
 */
enum { SHAPE_VALUES = 9 }; /* grid, block, registers, static and dynamic shared memory */

struct shape {
	uint32_t values[SHAPE_VALUES]; /* ID_NONE: the export does not say */
};

struct shapes {
	uint32_t *of_kernel;
	struct strtab all; /* the bytes of each */
	struct arena arena;
	struct timeline_arg args[SHAPE_VALUES]; /* of the one that was asked for */
};

/* Loads the columns, and gives them back. */
int shapes_read(struct shapes *s, struct trace *t, struct err *e);
/* A shape as args, until the next is asked for. */
struct timeline_block shapes_block(void *shapes, uint32_t number);
void shapes_free(struct shapes *s);

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
	struct sample_marks sample_marks; /* which are no marks of the program */
	uint32_t *text_of_path;		  /* plus 1 */
	/* Backtraces of calls and samples of threads, where there are any and they are wanted. */
	struct call_lines lines;
	uint32_t *text_of_frame; /* plus 1 */
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

/* Looks at all ops; finds the threads that are wanted, too. */
void arrows_make(struct walk *w);
/* Fills launch_of_call, which is large. */
void arrows_find_calls(struct walk *w);
void arrows_free(struct arrows *a);

/* One more thing that is said of a slice; `args` has room for it. */
static inline void slice_add_number(struct timeline_slice *s, struct timeline_arg *args,
				    enum timeline_key key, int64_t value)
{
	args[s->arg_count++] = (struct timeline_arg){.key = key, .value = value};
}

static inline void slice_add_text(struct timeline_slice *s, struct timeline_arg *args,
				  enum timeline_key key, uint32_t text)
{
	args[s->arg_count++] = (struct timeline_arg){.key = key, .type = ARG_TEXT, .value = text};
}

/* "write_metrics (hostwork.py:10)" */
uint32_t walk_frame_text(struct walk *w, uint32_t frame);
/* The line of your code behind a call of a thread, where the capture says it. */
void walk_add_line(struct walk *w, struct timeline_slice *s, struct timeline_arg *args,
		   uint32_t thread, const struct api_call *call);

/* Shifted and counted. */
int walk_slice(struct walk *w, struct timeline_slice *s, struct span part, struct err *e);

/* Reads them and makes threads known that have nothing but samples. */
int samples_prepare(struct walk *w, struct err *e);

/* The parts, in the order in which they are told. */
int walk_ranges(struct walk *w, struct err *e);
int walk_calls(struct walk *w, struct err *e);
int walk_samples(struct walk *w, struct err *e);
int walk_ops(struct walk *w, struct err *e);
int walk_memory(struct walk *w, struct err *e);
int walk_gpu_metrics(struct walk *w, struct err *e);

#endif
