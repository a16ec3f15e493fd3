/* What did the GPUs do for each rank in its window? */
#include "analysis/ranks/rank_activity.h"

#include "base/mem.h"
#include "base/pairs.h"

#include <stdlib.h>

struct walk {
	struct rank_activity *out;
	const struct scope *p;
	const struct rank_map *map;
	struct scope *clips; /* the window of each rank */
	bool *has_window;
	int64_t first_ns, last_ns; /* when the first window begins, and the last one ends */
	struct pairs places, streams;
};

static void set_windows(struct walk *x, const struct rank_windows *w)
{
	x->clips = mem_zalloc(w->count, sizeof(*x->clips));
	x->has_window = mem_zalloc(w->count, sizeof(*x->has_window));
	x->first_ns = w->source == WINDOW_WHOLE ? INT64_MIN : INT64_MAX;
	x->last_ns = INT64_MIN;
	for (size_t i = 0; i < w->count; i++) {
		struct span s;

		x->has_window[i] = rank_window_bounds(w, i, &s);
		x->clips[i].has_trim = w->source != WINDOW_WHOLE;
		x->clips[i].from_ns = s.start_ns;
		x->clips[i].to_ns = s.end_ns;
		if (x->has_window[i] && s.end_ns > x->last_ns)
			x->last_ns = s.end_ns;
		if (x->has_window[i] && s.start_ns < x->first_ns)
			x->first_ns = s.start_ns;
	}
}

static uint32_t place_of(struct walk *x, uint32_t rank, uint32_t device)
{
	struct rank_activity *a = x->out;
	uint32_t number = pairs_number(&x->places, rank, device);

	if (number == a->place_count) {
		MEM_GROW(a->places, a->place_cap, a->place_count + 1);
		a->places[a->place_count++] = (struct rank_place){.rank = rank, .device = device};
	}
	return number;
}

static uint32_t stream_of(struct walk *x, uint32_t place, uint32_t stream)
{
	struct rank_activity *a = x->out;
	uint32_t number = pairs_number(&x->streams, place, stream);

	if (number == a->stream_count) {
		MEM_GROW(a->streams, a->stream_cap, a->stream_count + 1);
		a->streams[a->stream_count++] =
			(struct rank_stream){.place = place, .stream = stream};
	}
	return number;
}

static void add_comm(struct rank_activity *a, uint32_t stream, uint32_t row, const struct span *s)
{
	struct rank_stream *of = &a->streams[stream];

	of->comm++;
	of->comm_ns = sat_add(of->comm_ns, sat_sub(s->end_ns, s->start_ns));
	MEM_GROW(a->comm, a->comm_cap, a->comm_count + 1);
	a->comm[a->comm_count++] = (struct rank_comm){s->start_ns, s->end_ns, row, stream};
}

static void add_op(struct walk *x, const struct op *op, const struct events *kernels)
{
	const struct rank *rank = rank_of_process(x->map, op->process);
	struct rank_activity *a = x->out;
	uint32_t place, stream;
	struct span part;
	size_t index;

	if (!rank || op->class == OP_COPY || (x->p->has_device && op->device != x->p->device))
		return;
	index = (size_t)(rank - x->map->all);
	if (!x->has_window[index] ||
	    !window_part(&x->clips[index], op->start_ns, sat_sub(op->end_ns, op->start_ns), &part))
		return;
	place = place_of(x, (uint32_t)index, op->device);
	if (op->class == OP_COMPUTE)
		cover_add(&a->places[place].compute, part.start_ns, part.end_ns);
	if (op->kind != TRACE_KERNELS)
		return;
	stream = stream_of(x, place, kernels->stream ? kernels->stream[op->row] : ID_NONE);
	if (op->class == OP_COMM) {
		add_comm(a, stream, op->row, &part);
		return;
	}
	a->streams[stream].compute++;
	a->streams[stream].compute_ns =
		sat_add(a->streams[stream].compute_ns, sat_sub(part.end_ns, part.start_ns));
}

static int compare_streams(const void *x, const void *y, void *ctx)
{
	const struct rank_activity *a = ctx;
	const struct rank_stream *s = &a->streams[*(const uint32_t *)x];
	const struct rank_stream *t = &a->streams[*(const uint32_t *)y];
	const struct rank_place *p = &a->places[s->place], *q = &a->places[t->place];

	if (p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	if (p->device != q->device)
		return p->device < q->device ? -1 : 1;
	return (s->stream > t->stream) - (s->stream < t->stream);
}

/* They were met in order of time. */
static void order_streams(struct rank_activity *a)
{
	uint32_t *order = mem_alloc(a->stream_count, sizeof(*order));
	uint32_t *number = mem_alloc(a->stream_count, sizeof(*number));
	struct rank_stream *sorted = mem_alloc(a->stream_count, sizeof(*sorted));

	for (size_t i = 0; i < a->stream_count; i++)
		order[i] = (uint32_t)i;
	if (a->stream_count)
		qsort_r(order, a->stream_count, sizeof(*order), compare_streams, a);
	for (size_t i = 0; i < a->stream_count; i++) {
		sorted[i] = a->streams[order[i]];
		number[order[i]] = (uint32_t)i;
	}
	for (size_t i = 0; i < a->comm_count; i++)
		a->comm[i].stream = number[a->comm[i].stream];
	free(a->streams);
	a->streams = sorted;
	a->stream_cap = a->stream_count;
	free(order);
	free(number);
}

int rank_activity_read(struct ops *o, const struct scope *p, const struct rank_map *m,
		       const struct rank_windows *w, struct rank_activity *ret, struct err *e)
{
	struct walk x = {.out = ret, .p = p, .map = m};
	struct op op;

	*ret = (struct rank_activity){0};
	if (trace_load(o->trace, TRACE_KERNELS, COL_BIT(COL_STREAM), e) < 0)
		return -1;
	set_windows(&x, w);
	ops_seek(o, x.first_ns);
	while (ops_next(o, &op) && op.start_ns <= x.last_ns)
		add_op(&x, &op, &o->trace->events[TRACE_KERNELS]);
	order_streams(ret);
	pairs_free(&x.places);
	pairs_free(&x.streams);
	free(x.clips);
	free(x.has_window);
	return 0;
}

void rank_activity_free(struct rank_activity *a)
{
	for (size_t i = 0; i < a->place_count; i++)
		cover_free(&a->places[i].compute);
	free(a->places);
	free(a->streams);
	free(a->comm);
	*a = (struct rank_activity){0};
}
