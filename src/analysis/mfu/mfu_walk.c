/* What did the instances of parts launch, and how long did that keep GPUs busy? */
#include "analysis/gpu/timeline.h"
#include "analysis/mfu/mfu_ranges.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "trace/calls/launch.h"
#include "trace/ops/ops.h"

#include <stdlib.h>

enum { GPU_KINDS = (1 << TRACE_GPU_KINDS) - 1 };

/* One part in one piece of the walk. */
struct lane {
	const struct part_ranges *part;
	struct part_cursor cursor;
	struct mfu_gpu_times instances; /* owners are instances */
	struct mfu_gpu_times devices;
	/* Where the last op was: ops of an instance come in long rows. */
	bool placed, counts; /* at a device; the instance is not left out */
	uint32_t instance, device;
	size_t at_instance, at_device; /* gpu_times */
};

/* Some of the walk; pieces do not overlap in time. */
struct piece {
	struct lane *lanes; /* by part */
	struct lane **open; /* those that have an instance at the moment */
	size_t open_count;
	/* The moment: calls of this thread, from when to when. */
	uint32_t thread;
	int64_t from_ns, to_ns;
};

struct mfu_walk {
	struct part_ranges *parts;
	size_t count;
	const struct scope *p;
	struct launches launches;
	uint32_t *process_of_thread;
	size_t threads;
	struct ops ops;
	struct ops_cut *cuts;
	struct piece *pieces;
	size_t piece_count;
};

/* The call that launched an op; false: nobody knows it. */
static bool find_call(const struct mfu_walk *w, enum trace_kind kind, uint64_t op,
		      struct part_call *ret)
{
	const struct launches *l = &w->launches;
	uint32_t launch, row;
	size_t call;

	if (!(l->kinds & 1u << kind))
		return false;
	launch = l->launch_of_op[l->begin[kind] + op];
	row = launch == LAUNCH_NONE ? ID_NONE : l->row_of_launch[launch];
	if (row == ID_NONE)
		return false;
	/* How long the call took does not matter, and costs more to find than the rest. */
	call = l->has_all_calls ? row : launch;
	ret->thread = l->calls.origins[calls_origin(&l->calls, call)].thread;
	ret->at_ns = l->calls.start_ns[call];
	if (ret->thread >= w->threads)
		return false;
	ret->process = w->process_of_thread[ret->thread];
	return ret->process != ID_NONE;
}

static size_t find_gpu_time(struct mfu_gpu_times *gpu_times, uint32_t owner, uint32_t device)
{
	return (size_t)(mfu_gpu_time_of(gpu_times, owner, device) - gpu_times->all);
}

static void move_to(struct lane *l, uint32_t device)
{
	l->placed = true;
	l->device = device;
	l->at_instance = find_gpu_time(&l->instances, l->instance, device);
	l->counts = !l->part->out->instances[l->instance].left_out;
	if (l->counts)
		l->at_device = find_gpu_time(&l->devices, 0, device);
}

/* Which instances are open where the call was made, and for how long there are no others. */
static void look_around(struct piece *x, size_t parts, const struct part_call *call)
{
	x->open_count = 0;
	x->thread = call->thread;
	x->from_ns = INT64_MIN;
	x->to_ns = INT64_MAX;
	for (size_t i = 0; i < parts; i++) {
		struct lane *l = &x->lanes[i];
		const struct innermost_cursor *at;
		uint32_t instance = part_ranges_find(l->part, call, &l->cursor, &at);

		x->from_ns = at->from_ns > x->from_ns ? at->from_ns : x->from_ns;
		x->to_ns = at->to_ns < x->to_ns ? at->to_ns : x->to_ns;
		if (instance == RANGE_NONE)
			continue;
		l->placed = l->placed && l->instance == instance;
		l->instance = instance;
		x->open[x->open_count++] = l;
	}
}

/* One op. */
struct work {
	int64_t start_ns, end_ns;
	uint32_t device;
};

static void add_busy(struct mfu_gpu_time *gpu_time, const struct work *work)
{
	int64_t from_ns;

	if (mfu_gpu_time_take(gpu_time, work->start_ns, work->end_ns, &from_ns))
		gpu_time->busy_ns = sat_add(gpu_time->busy_ns, sat_sub(work->end_ns, from_ns));
}

static void add_work(struct piece *x, const struct work *work)
{
	for (size_t i = 0; i < x->open_count; i++) {
		struct lane *l = x->open[i];

		if (!l->placed || work->device != l->device)
			move_to(l, work->device);
		add_busy(&l->instances.all[l->at_instance], work);
		if (l->counts)
			add_busy(&l->devices.all[l->at_device], work);
	}
}

static void walk_run(const struct mfu_walk *w, const struct op_run *run, struct piece *x)
{
	const struct events *ev = run->lane->ev;

	for (uint64_t at = run->begin; at < run->end; at++) {
		const uint64_t row = op_run_row(run, at);
		struct part_call call;
		uint32_t ignored;
		struct work work;

		if (ev->duration_ns[row] == DURATION_NONE || !find_call(w, run->kind, row, &call))
			continue;
		if (call.thread != x->thread || call.at_ns < x->from_ns || call.at_ns > x->to_ns)
			look_around(x, w->count, &call);
		ops_place(&w->ops, run->kind, row, &ignored, &work.device);
		if (w->p->has_device && work.device != w->p->device)
			continue;
		work.start_ns = ev->start_ns[row];
		work.end_ns = op_end_ns(ev, row);
		add_work(x, &work);
	}
}

static void walk_pieces(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct mfu_walk *w = ctx;

	(void)worker;
	for (size_t piece = begin; piece < end; piece++) {
		struct ops ops = ops_piece(&w->ops, &w->cuts[piece], &w->cuts[piece + 1]);
		struct op_run run;

		while (ops_next_run(&ops, &run))
			walk_run(w, &run, &w->pieces[piece]);
	}
}

/* An instance may go on in several pieces. */
static void add_instances(struct mfu_part *out, const struct mfu_gpu_times *gpu_times,
			  struct idmap *seen)
{
	for (size_t i = 0; i < gpu_times->count; i++) {
		const struct mfu_gpu_time *gpu_time = &gpu_times->all[i];
		struct mfu_instance *x = &out->instances[gpu_time->owner];
		const size_t known = seen->count;

		idmap_number_pair(seen, gpu_time->owner, gpu_time->device);
		x->devices += seen->count > known;
		x->busy_ns = sat_add(x->busy_ns, gpu_time->busy_ns);
		if (gpu_time->reach_ns > x->to_ns)
			x->to_ns = gpu_time->reach_ns;
	}
}

static void add_devices(struct mfu_gpu_times *to, const struct mfu_gpu_times *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct mfu_gpu_time *gpu_time = mfu_gpu_time_of(to, 0, from->all[i].device);

		gpu_time->busy_ns = sat_add(gpu_time->busy_ns, from->all[i].busy_ns);
	}
}

/* Pieces do not overlap in time: what is busy in one adds up with what is in the others. */
static void add_up(const struct mfu_walk *w, size_t part)
{
	struct part_ranges *s = &w->parts[part];
	struct idmap seen = {0};

	mfu_gpu_times_free(&s->devices);
	for (size_t i = 0; i < s->out->count; i++) {
		s->out->instances[i].busy_ns = 0;
		s->out->instances[i].devices = 0;
	}
	for (size_t i = 0; i < w->piece_count; i++) {
		struct lane *l = &w->pieces[i].lanes[part];

		add_instances(s->out, &l->instances, &seen);
		add_devices(&s->devices, &l->devices);
		mfu_gpu_times_free(&l->instances);
		mfu_gpu_times_free(&l->devices);
	}
	idmap_free(&seen);
}

static void name_processes(struct mfu_walk *w, const struct trace *t)
{
	w->threads = t->thread_keys.count;
	w->process_of_thread = mem_alloc(w->threads, sizeof(*w->process_of_thread));
	for (size_t i = 0; i < w->threads; i++)
		w->process_of_thread[i] = trace_thread_process(t, (uint32_t)i);
}

static void begin_piece(const struct mfu_walk *w, struct piece *x)
{
	*x = (struct piece){.lanes = mem_zalloc(w->count, sizeof(*x->lanes)),
			    .open = mem_zalloc(w->count, sizeof(struct lane *)),
			    .thread = ID_NONE};
	for (size_t i = 0; i < w->count; i++)
		x->lanes[i].part = &w->parts[i];
}

void mfu_walk(struct mfu_walk *w, struct part_ranges *parts, size_t count)
{
	size_t pieces = timeline_pieces(&w->ops);

	w->parts = parts;
	w->count = count;
	w->cuts = mem_alloc(pieces + 1, sizeof(*w->cuts));
	w->piece_count = ops_cut(&w->ops, pieces, w->cuts);
	w->pieces = mem_alloc(w->piece_count, sizeof(*w->pieces));
	for (size_t i = 0; i < w->piece_count; i++)
		begin_piece(w, &w->pieces[i]);
	parallel_each(w->piece_count, 1, walk_pieces, w);
	for (size_t i = 0; i < w->count; i++)
		add_up(w, i);
	for (size_t i = 0; i < w->piece_count; i++) {
		free(w->pieces[i].lanes);
		free(w->pieces[i].open);
	}
	free(w->pieces);
	free(w->cuts);
}

int mfu_walk_open(struct mfu_walk **ret, struct trace *t, const struct scope *p, struct err *e)
{
	struct mfu_walk *w = mem_zalloc(1, sizeof(*w));

	*ret = NULL;
	w->p = p;
	if (trace_require(t, TRACE_API, e) < 0 || ops_open(&w->ops, t, e) < 0) {
		free(w);
		return -1;
	}
	if (launches_join_kinds(t, GPU_KINDS, &w->launches, e) < 0) {
		ops_close(&w->ops);
		free(w);
		return -1;
	}
	name_processes(w, t);
	*ret = w;
	return 0;
}

void mfu_walk_close(struct mfu_walk *w)
{
	free(w->process_of_thread);
	launches_free(&w->launches);
	ops_close(&w->ops);
	free(w);
}
