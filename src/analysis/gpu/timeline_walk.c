/* What did each device do in every instant of the window? */
#include "analysis/gpu/timeline.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

enum { WORK_KINDS = SLICE_IDLE };

/* Narrow kernels that run side by side fill the device together; more are not looked at. */
enum { BESIDE = 16 };

/* A piece of a walk: worth a core, few enough that what is collected in each is soon put together.
 * They depend on the ops alone, so that the answer does not depend on the cores. */
enum { PIECE_OPS = 1 << 18, PIECES_MAX = 32 };

/*
 * One device as time goes on. Ops come in order of their start: of each kind of work it is enough
 * to know until when the ops so far keep it up.
 */
struct sweep {
	int64_t at_ns; /* all before is accounted for */
	int64_t until_ns[WORK_KINDS];
	struct op owner[WORK_KINDS]; /* the op that lasts until then */
	int64_t kernels_until_ns, comm_until_ns, copy_until_ns;
	struct op first; /* of any kind, the one met first */
	struct op last;	 /* the one that lasts longest; its kind, row and end alone are known */
	bool begun;
	struct op beside[BESIDE]; /* the narrow kernels of late, the newest at `next_beside` − 1 */
	size_t next_beside;
	int64_t beside_until_ns; /* by then all of them have ended */
};

struct walk {
	MEM_APART const struct trace *trace;
	const struct scope *p;
	struct timeline *out;
	struct timeline times; /* of one piece */
	struct sweep *sweeps;  /* by device */
	struct idmap device_index;
	uint32_t last_device, last_index; /* of the op before */
	bool has_last;
	slice_fn *fn;
	void *ctx;
	size_t same; /* walks that follow this one and are no different: they get its slices */
};

/* A slice from where the device is to end_ns, which lies after that. */
static void emit(struct walk *w, uint32_t device, enum slice_kind kind, int64_t end_ns,
		 const struct op *op, const struct op *before)
{
	struct sweep *s = &w->sweeps[device];
	struct slice slice = {kind, device, s->at_ns, end_ns, op, before};

	w->out->devices[device].ns[kind] += end_ns - s->at_ns;
	for (size_t i = 0; i <= w->same; i++) {
		if (w[i].fn)
			w[i].fn(w[i].ctx, &slice);
	}
	s->at_ns = end_ns;
}

/* Accounts for the time up to to_ns, where `next` (NULL: the window's end) begins. */
static void advance(struct walk *w, uint32_t device, int64_t to_ns, const struct op *next)
{
	struct sweep *s = &w->sweeps[device];

	for (int kind = 0; kind < WORK_KINDS && s->at_ns < to_ns; kind++) {
		int64_t until_ns = s->until_ns[kind] < to_ns ? s->until_ns[kind] : to_ns;

		if (until_ns > s->at_ns)
			emit(w, device, (enum slice_kind)kind, until_ns, &s->owner[kind], NULL);
	}
	if (s->at_ns < to_ns)
		emit(w, device, SLICE_IDLE, to_ns, next, s->begun ? &s->last : NULL);
}

static enum slice_kind work_kind(const struct op *op)
{
	if (op->class == OP_COMPUTE)
		return op->fill < FILL_ALL ? SLICE_NARROW : SLICE_COMPUTE;
	return op->class == OP_COMM ? SLICE_COMM : SLICE_COPY;
}

static void add_unions(struct sweep *s, struct device_time *d, const struct op *op)
{
	const struct span span = {op->start_ns, op->end_ns};

	d->ops++;
	if (op->kind == TRACE_KERNELS)
		d->kernel_busy_ns += span_beyond(span, &s->kernels_until_ns);
	if (op->class == OP_COMM)
		d->comm_ns += span_beyond(span, &s->comm_until_ns);
	if (op->class == OP_COPY)
		d->copy_ns += span_beyond(span, &s->copy_until_ns);
}

/* How much of the device is filled from the op's start on, with those that run already. */
static uint8_t fill_together(struct sweep *s, const struct op *op)
{
	unsigned fill = op->fill;

	for (size_t i = 0; i < BESIDE && s->beside_until_ns > op->start_ns; i++) {
		if (s->beside[i].end_ns > op->start_ns && s->beside[i].fill < FILL_ALL)
			fill += s->beside[i].fill;
	}
	s->beside[s->next_beside++ % BESIDE] = *op;
	if (op->end_ns > s->beside_until_ns)
		s->beside_until_ns = op->end_ns;
	return (uint8_t)(fill < FILL_ALL ? fill : FILL_ALL);
}

static void take(struct walk *w, uint32_t device, const struct op *op)
{
	struct sweep *s = &w->sweeps[device];
	enum slice_kind kind = work_kind(op);

	if (!s->begun) {
		s->first = *op;
		s->at_ns = op->start_ns;
	}
	advance(w, device, op->start_ns, op);
	if (op->end_ns > s->until_ns[kind]) {
		s->until_ns[kind] = op->end_ns;
		s->owner[kind] = *op;
	}
	if (!s->begun || op->end_ns > s->last.end_ns) {
		s->last.kind = op->kind;
		s->last.row = op->row;
		s->last.end_ns = op->end_ns;
	}
	s->begun = true;
	add_unions(s, &w->out->devices[device], op);
}

static bool lies_inside(const struct timeline *l, const struct op *op)
{
	return op->start_ns >= l->from_ns && op->end_ns <= l->to_ns && op->start_ns < l->to_ns;
}

/* Clips the op to the window; false when none of it lies inside. An instant counts. */
static bool clip(const struct timeline *l, struct op *op)
{
	if (op->start_ns < l->from_ns)
		op->start_ns = l->from_ns;
	if (op->end_ns > l->to_ns)
		op->end_ns = l->to_ns;
	return op->start_ns < l->to_ns && op->start_ns <= op->end_ns && op->end_ns >= l->from_ns;
}

static void begin_sweeps(struct walk *w)
{
	const struct timeline *l = w->out;

	w->sweeps = mem_zalloc(l->count, sizeof(*w->sweeps));
	for (size_t i = 0; i < l->count; i++) {
		struct sweep *s = &w->sweeps[i];

		s->at_ns = l->from_ns;
		s->kernels_until_ns = s->comm_until_ns = s->copy_until_ns = l->from_ns;
		s->beside_until_ns = INT64_MIN;
		for (int k = 0; k < BESIDE; k++)
			s->beside[k].end_ns = INT64_MIN;
		for (int kind = 0; kind < WORK_KINDS; kind++)
			s->until_ns[kind] = l->from_ns;
	}
}

/*
 * One view of one piece. A piece does not know what came before: the gap that its first op on a
 * device ends is left to stitch().
 */
static void begin_walk(struct walk *w, const struct timeline_view *v, size_t piece)
{
	const struct timeline *l = v->timeline;

	*w = (struct walk){.trace = v->trace, .p = v->p, .fn = v->fn};
	w->ctx = v->ctx ? (char *)v->ctx + piece * v->ctx_size : NULL;
	w->times = *l;
	w->times.devices = mem_zalloc(l->count, sizeof(*l->devices));
	w->out = &w->times;
	for (size_t i = 0; i < l->count; i++)
		idmap_add(&w->device_index, l->devices[i].device, (uint32_t)i);
	begin_sweeps(w);
}

static void walk_op(struct walk *w, const struct op *op)
{
	struct op mine;

	/* Nearly every op runs where the one before did. */
	if (!w->has_last || op->device != w->last_device) {
		w->last_index = idmap_get(&w->device_index, op->device);
		w->last_device = op->device;
		w->has_last = true;
	}
	if (w->last_index == IDMAP_NONE ||
	    !scope_has_place(w->p, w->trace, op->process, op->device))
		return;
	/* The usual case, millions of times: as it is. */
	if (op->fill == FILL_ALL && lies_inside(w->out, op)) {
		take(w, w->last_index, op);
		return;
	}
	mine = *op;
	if (!clip(w->out, &mine))
		return;
	if (mine.class == OP_COMPUTE && mine.fill < FILL_ALL)
		mine.fill = fill_together(&w->sweeps[w->last_index], &mine);
	take(w, w->last_index, &mine);
}

/* Accounts for the work so far, and for nothing after. */
static void end_walk(struct walk *w)
{
	for (size_t i = 0; i < w->out->count; i++) {
		int64_t until_ns = w->sweeps[i].at_ns;

		for (int kind = 0; kind < WORK_KINDS; kind++) {
			if (w->sweeps[i].until_ns[kind] > until_ns)
				until_ns = w->sweeps[i].until_ns[kind];
		}
		advance(w, (uint32_t)i, until_ns, NULL);
	}
}

struct pieces {
	const struct ops *ops;
	const struct timeline_view *views;
	size_t view_count;
	struct ops_cut *cuts; /* one more than there are pieces */
	size_t count;	      /* of pieces */
	struct walk *walks;   /* by piece · view_count + view */
};

/* When the ops of a piece begin, and a time by which they have ended. */
static struct span piece_span(const struct pieces *x, size_t piece)
{
	struct ops o = ops_piece(x->ops, &x->cuts[piece], &x->cuts[piece + 1]);
	struct ops next = ops_piece(x->ops, &x->cuts[piece + 1], &x->cuts[x->count]);
	struct span span = {x->ops->times.first_ns, x->ops->times.last_ns};
	struct op op;

	if (ops_next(&o, &op))
		span.start_ns = op.start_ns;
	if (ops_next(&next, &op))
		span.end_ns = op.start_ns;
	return span;
}

static bool is_well_inside(const struct timeline *l, const struct span *s)
{
	return s->start_ns >= l->from_ns && s->end_ns < l->to_ns;
}

/* Whether two views of a piece are the same: then one walk is enough. */
static bool are_same(const struct timeline_view *a, const struct timeline_view *b,
		     const struct span *s)
{
	const struct timeline *x = a->timeline, *y = b->timeline;

	if (!scope_same_place(a->p, b->p) && !(x->holds_all && y->holds_all))
		return false;
	return (x->from_ns == y->from_ns && x->to_ns == y->to_ns) ||
	       (is_well_inside(x, s) && is_well_inside(y, s));
}

static void begin_piece(const struct pieces *x, size_t piece, struct walk *walks)
{
	struct span span = piece_span(x, piece);

	for (size_t i = 0; i < x->view_count; i++)
		begin_walk(&walks[i], &x->views[i], piece);
	while (walks->same + 1 < x->view_count &&
	       are_same(&x->views[0], &x->views[walks->same + 1], &span))
		walks->same++;
}

static void end_piece(const struct pieces *x, struct walk *walks)
{
	for (size_t i = 0; i < x->view_count; i++) {
		size_t devices = walks[i].out->count;

		if (i == 0 || i > walks->same) {
			end_walk(&walks[i]);
			continue;
		}
		memcpy(walks[i].out->devices, walks->out->devices,
		       devices * sizeof(*walks->out->devices));
		memcpy(walks[i].sweeps, walks->sweeps, devices * sizeof(*walks->sweeps));
	}
}

static void walk_pieces(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct pieces *x = ctx;

	(void)worker;
	for (size_t piece = begin; piece < end; piece++) {
		struct walk *walks = &x->walks[piece * x->view_count];
		struct ops o = ops_piece(x->ops, &x->cuts[piece], &x->cuts[piece + 1]);
		struct op op;

		begin_piece(x, piece, walks);
		while (ops_next(&o, &op)) {
			walk_op(&walks[0], &op);
			for (size_t i = walks->same + 1; i < x->view_count; i++)
				walk_op(&walks[i], &op);
		}
		end_piece(x, walks);
	}
}

/* The gap between where a device was left and its next op, or the window's end. */
static void emit_gap(struct walk *w, uint32_t device, const struct sweep *left, int64_t end_ns,
		     const struct op *next)
{
	struct slice slice = {SLICE_IDLE, device, left->at_ns,
			      end_ns,	  next,	  left->begun ? &left->last : NULL};

	if (end_ns <= left->at_ns)
		return;
	w->times.devices[device].ns[SLICE_IDLE] += end_ns - left->at_ns;
	if (w->fn)
		w->fn(w->ctx, &slice);
}

/* Gaps from one piece to the next, and to the window's end, of one device. */
static void stitch(const struct pieces *x, size_t view, uint32_t device)
{
	struct sweep left = {.at_ns = x->views[view].timeline->from_ns};
	struct walk *w = &x->walks[view];

	for (size_t piece = 0; piece < x->count; piece++) {
		w = &x->walks[piece * x->view_count + view];
		if (!w->sweeps[device].begun)
			continue;
		emit_gap(w, device, &left, w->sweeps[device].first.start_ns,
			 &w->sweeps[device].first);
		left = w->sweeps[device];
	}
	emit_gap(w, device, &left, x->views[view].timeline->to_ns, NULL);
}

static void add_times(struct device_time *to, const struct device_time *from)
{
	for (int kind = 0; kind < SLICE_KINDS; kind++)
		to->ns[kind] += from->ns[kind];
	to->kernel_busy_ns += from->kernel_busy_ns;
	to->comm_ns += from->comm_ns;
	to->copy_ns += from->copy_ns;
	to->ops += from->ops;
}

static void end_view(const struct pieces *x, size_t view)
{
	struct timeline *l = x->views[view].timeline;

	for (size_t i = 0; i < l->count; i++)
		stitch(x, view, (uint32_t)i);
	for (size_t piece = 0; piece < x->count; piece++) {
		struct walk *w = &x->walks[piece * x->view_count + view];

		for (size_t i = 0; i < l->count; i++)
			add_times(&l->devices[i], &w->times.devices[i]);
		free(w->times.devices);
		free(w->sweeps);
		idmap_free(&w->device_index);
	}
}

size_t timeline_pieces(const struct ops *o)
{
	uint64_t ops = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		ops += o->lanes[kind].count;
	return 1 + (ops / PIECE_OPS < PIECES_MAX ? (size_t)(ops / PIECE_OPS) : PIECES_MAX - 1);
}

void timeline_walk_views(const struct ops *o, const struct timeline_view *views, size_t count,
			 size_t pieces)
{
	struct pieces x = {.ops = o, .views = views, .view_count = count};

	x.cuts = mem_alloc(pieces + 1, sizeof(*x.cuts));
	x.count = ops_cut(o, pieces, x.cuts);
	x.walks = mem_zalloc_apart(x.count * count, sizeof(*x.walks));
	parallel_each(x.count, 1, walk_pieces, &x);
	for (size_t i = 0; i < count; i++)
		end_view(&x, i);
	free(x.walks);
	free(x.cuts);
}
