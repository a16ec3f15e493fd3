/* What did the instances of stages launch, and how long did that keep GPUs busy? */
#include "analysis/mfu_ranges.h"
#include "analysis/timeline.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "trace/ops.h"

#include <stdlib.h>

enum { GPU_KINDS = (1 << TRACE_GPU_KINDS) - 1 };

/* One stage in one piece of the walk. */
struct lane {
	struct stage_cursor cursor;
	struct mfu_places instances; /* owners are instances */
	struct mfu_places devices;
	/* Where the last op was: ops of an instance come in long rows. */
	bool begun, counts; /* the instance is not left out */
	uint32_t instance, device;
	size_t at_instance, at_device; /* places */
};

struct walking {
	struct stage_ranges *stages;
	size_t count;
	const struct params *p;
	struct launches launches;
	uint32_t *process_of_thread;
	size_t threads;
	struct ops ops;
	struct ops_cut *cuts;
	struct lane *lanes; /* by piece · count + stage */
	size_t pieces;
};

static bool find_call(const struct walking *w, const struct op *op, struct stage_call *ret)
{
	const struct launches *l = &w->launches;
	struct api_call call;

	if (!(l->kinds & 1u << op->kind) || !launches_call(l, l->begin[op->kind] + op->row, &call))
		return false;
	ret->thread = launches_origin(l, &call).thread;
	ret->at_ns = call.start_ns;
	if (ret->thread >= w->threads)
		return false;
	ret->process = w->process_of_thread[ret->thread];
	return ret->process != ID_NONE;
}

static size_t find_place(struct mfu_places *places, uint32_t owner, uint32_t device)
{
	return (size_t)(mfu_place_of(places, owner, device) - places->all);
}

static void move_to(struct lane *l, const struct stage_ranges *s, uint32_t instance,
		    uint32_t device)
{
	l->begun = true;
	l->instance = instance;
	l->device = device;
	l->at_instance = find_place(&l->instances, instance, device);
	l->counts = !s->out->instances[instance].left_out;
	if (l->counts)
		l->at_device = find_place(&l->devices, 0, device);
}

static void take(struct mfu_place *place, const struct op *op)
{
	int64_t from_ns;

	if (mfu_place_take(place, op->start_ns, op->end_ns, &from_ns))
		place->busy_ns = sat_add(place->busy_ns, sat_sub(op->end_ns, from_ns));
}

static void add_op(struct lane *l, const struct stage_ranges *s, const struct op *op,
		   const struct stage_call *call)
{
	uint32_t instance = stage_ranges_find(s, call, &l->cursor);

	if (instance == RANGE_NONE)
		return;
	if (!l->begun || instance != l->instance || op->device != l->device)
		move_to(l, s, instance, op->device);
	take(&l->instances.all[l->at_instance], op);
	if (l->counts)
		take(&l->devices.all[l->at_device], op);
}

static int walk_pieces(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct walking *w = ctx;

	(void)worker;
	(void)e;
	for (size_t piece = begin; piece < end; piece++) {
		struct ops ops = ops_piece(&w->ops, &w->cuts[piece], &w->cuts[piece + 1]);
		struct lane *lanes = &w->lanes[piece * w->count];
		struct stage_call call;
		struct op op;

		while (ops_next(&ops, &op)) {
			if ((w->p->has_device && op.device != w->p->device) ||
			    !find_call(w, &op, &call))
				continue;
			for (size_t i = 0; i < w->count; i++)
				add_op(&lanes[i], &w->stages[i], &op, &call);
		}
	}
	return 0;
}

/* An instance may go on in several pieces. */
static void add_instances(struct mfu_stage *out, const struct mfu_places *places,
			  struct idmap *seen)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct mfu_place *place = &places->all[i];
		struct mfu_instance *x = &out->instances[place->owner];
		const size_t known = seen->count;

		idmap_number_pair(seen, place->owner, place->device);
		x->devices += seen->count > known;
		x->busy_ns = sat_add(x->busy_ns, place->busy_ns);
		if (place->reach_ns > x->to_ns)
			x->to_ns = place->reach_ns;
	}
}

static void add_devices(struct mfu_places *to, const struct mfu_places *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct mfu_place *place = mfu_place_of(to, 0, from->all[i].device);

		place->busy_ns = sat_add(place->busy_ns, from->all[i].busy_ns);
	}
}

/* Pieces do not overlap in time: what is busy in one adds up with what is in the others. */
static void add_up(const struct walking *w, size_t stage)
{
	struct stage_ranges *s = &w->stages[stage];
	struct idmap seen = {0};

	mfu_places_free(&s->devices);
	for (size_t i = 0; i < s->out->count; i++) {
		s->out->instances[i].busy_ns = 0;
		s->out->instances[i].devices = 0;
	}
	for (size_t piece = 0; piece < w->pieces; piece++) {
		struct lane *l = &w->lanes[piece * w->count + stage];

		add_instances(s->out, &l->instances, &seen);
		add_devices(&s->devices, &l->devices);
		mfu_places_free(&l->instances);
		mfu_places_free(&l->devices);
	}
	idmap_free(&seen);
}

static void name_processes(struct walking *w, const struct trace *t)
{
	w->threads = t->thread_keys.count;
	w->process_of_thread = mem_alloc(w->threads, sizeof(*w->process_of_thread));
	for (size_t i = 0; i < w->threads; i++)
		w->process_of_thread[i] = trace_thread_process(t, (uint32_t)i);
}

static void walk(struct walking *w)
{
	size_t pieces = timeline_pieces(&w->ops);
	struct err never;

	w->cuts = mem_alloc(pieces + 1, sizeof(*w->cuts));
	w->pieces = ops_cut(&w->ops, pieces, w->cuts);
	w->lanes = mem_zalloc(w->pieces * w->count, sizeof(*w->lanes));
	parallel_for(w->pieces, 1, walk_pieces, w, &never);
	for (size_t i = 0; i < w->count; i++)
		add_up(w, i);
	free(w->lanes);
	free(w->cuts);
}

int mfu_walk(struct stage_ranges *stages, size_t count, struct trace *t, const struct params *p,
	     struct err *e)
{
	struct walking w = {.stages = stages, .count = count, .p = p};

	if (trace_require(t, TRACE_API, e) < 0 || ops_open(&w.ops, t, e) < 0)
		return -1;
	if (launches_join_kinds(t, GPU_KINDS, &w.launches, e) < 0) {
		ops_close(&w.ops);
		return -1;
	}
	name_processes(&w, t);
	walk(&w);
	free(w.process_of_thread);
	launches_free(&w.launches);
	ops_close(&w.ops);
	return 0;
}
