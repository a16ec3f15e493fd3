/* Which kernels of the capture communicate, whatever ran beside them? */
#include "analysis/comm/comm_walk.h"
#include "base/mem.h"
#include "base/pairs.h"
#include "base/parallel.h"

#include <stdlib.h>

/* The kernels of PARALLEL_ROWS rows, in order of time. */
struct run {
	size_t count;  /* that communicate */
	size_t begin;  /* of these in the list */
	uint32_t *met; /* rows of the first on each place */
	size_t met_count, met_cap;
};

struct listing {
	const struct ops *ops;
	struct comm_walk *out;
	struct run *runs;
};

/* The i-th kernel by start, if it communicates and has times; false otherwise. */
static bool comm_row(const struct ops *o, uint64_t i, uint32_t *ret)
{
	const struct op_lane *l = &o->lanes[TRACE_KERNELS];
	uint64_t row = l->order ? l->order[i] : i;

	*ret = (uint32_t)row;
	return l->ev->name[row] != NAME_NONE && o->class_of_name[l->ev->name[row]] == OP_COMM &&
	       l->ev->duration_ns[row] != DURATION_NONE;
}

static void count_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct listing *x = ctx;
	const struct events *ev = x->ops->lanes[TRACE_KERNELS].ev;
	struct run *run = &x->runs[begin / PARALLEL_ROWS];
	struct pairs places = {0};
	uint32_t row;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (!comm_row(x->ops, i, &row))
			continue;
		run->count++;
		if (pairs_number(&places, ev->process ? ev->process[row] : ID_NONE,
				 ev->device ? ev->device[row] : ID_NONE) == run->met_count) {
			MEM_GROW(run->met, run->met_cap, run->met_count + 1);
			run->met[run->met_count++] = row;
		}
	}
	pairs_free(&places);
}

/* One run after another, so that places have their numbers whoever counted first. */
static void number_places(struct listing *x, size_t runs)
{
	struct comm_walk *w = x->out;

	for (size_t i = 0; i < runs; i++) {
		for (size_t k = 0; k < x->runs[i].met_count; k++)
			process_gpus_number(&w->places, x->ops->lanes[TRACE_KERNELS].ev,
					    x->runs[i].met[k]);
		x->runs[i].begin = w->kernel_count;
		w->kernel_count += x->runs[i].count;
		free(x->runs[i].met);
	}
	w->at = mem_zalloc(w->places.count, sizeof(*w->at));
	w->kernels = mem_alloc(w->kernel_count, sizeof(*w->kernels));
}

static void list_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct listing *x = ctx;
	const struct events *ev = x->ops->lanes[TRACE_KERNELS].ev;
	struct comm_kernel *next = &x->out->kernels[x->runs[begin / PARALLEL_ROWS].begin];
	struct process_gpu_cursor at[PROCESS_GPUS_RECENT];
	uint32_t row;

	(void)worker;
	for (size_t i = 0; i < PROCESS_GPUS_RECENT; i++)
		at[i] = PROCESS_GPU_CURSOR_START;
	for (size_t i = begin; i < end; i++) {
		uint32_t process;

		if (!comm_row(x->ops, i, &row))
			continue;
		process = ev->process ? ev->process[row] : ID_NONE;
		*next++ = (struct comm_kernel){
			.start_ns = ev->start_ns[row],
			.end_ns = op_end_ns(ev, row),
			.row = row,
			.place = process_gpus_find(&x->out->places,
						   &at[process % PROCESS_GPUS_RECENT], ev, row) &
				 COMM_PLACE_MAX,
			.whole = 1,
		};
	}
}

static void list(struct listing *x)
{
	const uint64_t count = x->ops->lanes[TRACE_KERNELS].ev->count;
	const size_t runs = count / PARALLEL_ROWS + 1;
	struct comm_walk *w = x->out;

	x->runs = mem_zalloc(runs, sizeof(*x->runs));
	parallel_each(count, PARALLEL_ROWS, count_some, x);
	number_places(x, runs);
	parallel_each(count, PARALLEL_ROWS, list_some, x);
	free(x->runs);
	for (size_t i = 0; i < w->kernel_count; i++)
		w->at[w->kernels[i].place].kernels++;
}

int comm_walk_list(struct trace *t, const struct scope *p, struct comm_walk *ret, struct err *e)
{
	struct listing x = {.out = ret};
	struct ops ops;
	int result = -1;

	*ret = (struct comm_walk){.process = ID_NONE};
	if (ops_open(&ops, t, e) < 0)
		return -1;
	x.ops = &ops;
	timeline_begin(&ops, p, &ret->window);
	ret->faults = ops.times.faults;
	/* Without names nothing tells communication from compute: that is no zero. */
	if (trace_require_column(t, TRACE_KERNELS, COL_NAME, e) == 0 &&
	    process_gpus_open(&ret->places, t, p, e) == 0) {
		if (ops.lanes[TRACE_KERNELS].ev->count)
			list(&x);
		result = 0;
	}
	ops_close(&ops);
	return result;
}
