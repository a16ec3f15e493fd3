/*
 * The timeline of each device, cut into slices: in every instant of the window a device computes,
 * or communicates with nothing to compute beside it, or copies with neither, or is idle. The slices
 * of a device sum up to the window, to the nanosecond.
 */
#ifndef ANALYSIS_TIMELINE_H
#define ANALYSIS_TIMELINE_H

#include "analysis/analysis.h"
#include "trace/ops/ops.h"

/* In order of precedence where several go on at once. */
enum slice_kind {
	SLICE_COMPUTE,
	SLICE_NARROW, /* computes, but with fewer blocks than the device has SMs */
	SLICE_COMM,
	SLICE_COPY,
	SLICE_IDLE,
	SLICE_KINDS,
};

struct slice {
	enum slice_kind kind;
	uint32_t device; /* index into timeline.devices */
	int64_t start_ns, end_ns;
	const struct op *op; /* whose work it is; idle: what ends it, NULL: the window does */
	const struct op
		*before; /* idle: what ended last, its kind and row; NULL: nothing had begun */
};

typedef void slice_fn(void *ctx, const struct slice *s);

struct device_time {
	uint32_t device;
	int64_t ns[SLICE_KINDS];
	int64_t kernel_busy_ns; /* union of kernels alone */
	int64_t comm_ns;	/* union of communication, exposed or not */
	int64_t copy_ns;	/* union of copies, exposed or not */
	uint64_t ops;
};

struct timeline {
	int64_t from_ns, to_ns;	   /* the window: what was asked for, else first op to last */
	int64_t first_ns, last_ns; /* of all ops, in the window or not */
	struct device_time *devices;
	size_t count;
	bool holds_all; /* no op is left out by device or process */
};

/* Of a device: what the laws call compute, and busy. */
static inline int64_t device_compute_ns(const struct device_time *d)
{
	return d->ns[SLICE_COMPUTE] + d->ns[SLICE_NARROW];
}

static inline int64_t device_busy_ns(const struct timeline *l, const struct device_time *d)
{
	return l->to_ns - l->from_ns - d->ns[SLICE_IDLE];
}

/* "GPU 3" for charts. */
const char *device_label(struct arena *arena, const struct device_time *d);

/* The window and the devices that p asks about. */
void timeline_begin(const struct ops *o, const struct scope *p, struct timeline *ret);

/* One of several windows that are looked at in one walk. */
struct timeline_view {
	const struct trace *trace;
	const struct scope *p;
	struct timeline *timeline; /* begun with p */
	slice_fn *fn;		   /* may be NULL */
	void *ctx;		   /* an array: one for each piece of the walk */
	size_t ctx_size;
};

/* How many pieces a walk over these ops is best made in, at most. */
size_t timeline_pieces(const struct ops *o);
/*
 * Walks the ops, calling fn for each slice of each device; then the devices' times are known.
 * Pieces are walked side by side, each with a ctx of its own. Within a piece a device's slices come
 * in order of time, but for the gap that its first op ends, which comes last; a slice that lies in
 * several views is met in each, one after another.
 */
void timeline_walk_views(const struct ops *o, const struct timeline_view *views, size_t count,
			 size_t pieces);
/* After the walk: ERR_INPUT when filters or the window have left nothing. */
int timeline_require(const struct timeline *l, const struct trace *t, const struct scope *p,
		     struct err *e);
void timeline_free(struct timeline *l);

/* Heading and envelope of answers about the GPUs' activity: their window is never "all". */
void time_window_report(struct report *r, const struct analysis *a, const struct timeline *l,
			const struct scope *p);
/* Says how many ops were left out because they cannot be placed in time. */
void time_window_warn(struct report *r, const struct op_faults *f);

#endif
