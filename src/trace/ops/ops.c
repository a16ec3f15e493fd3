/* What did the GPUs do, in order of time? */
#include "trace/ops/ops.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

struct op_order {
	struct op_times times;
	uint32_t *order; /* by start; NULL: as they lie */
	bool shared;	 /* the order is the trace's */
	bool one_place;	 /* see struct op_lane */
};

/* What one worker has seen. */
struct seen {
	struct op_times times;
	bool unsorted, elsewhere;
};

struct pass {
	const struct events *ev;
	struct seen *seen; /* one per worker */
};

static void widen(struct op_times *t, int64_t first_ns, int64_t last_ns, int64_t longest_ns)
{
	if (!t->any || first_ns < t->first_ns)
		t->first_ns = first_ns;
	if (!t->any || last_ns > t->last_ns)
		t->last_ns = last_ns;
	if (longest_ns > t->longest_ns)
		t->longest_ns = longest_ns;
	t->any = true;
}

/* Whether an op ran where the one before did; the first one ran where it did. */
static bool is_elsewhere(const struct events *ev, size_t i)
{
	return i && ((ev->process && ev->process[i] != ev->process[i - 1]) ||
		     (ev->device && ev->device[i] != ev->device[i - 1]));
}

static void see_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct pass *x = ctx;
	const struct events *ev = x->ev;
	struct seen s = x->seen[worker];

	for (size_t i = begin; i < end; i++) {
		s.unsorted |= i && ev->start_ns[i - 1] > ev->start_ns[i];
		s.elsewhere = s.elsewhere || is_elsewhere(ev, i);
		if (ev->duration_ns[i] == DURATION_NONE) {
			s.times.faults.without_times++;
			continue;
		}
		s.times.faults.backwards += ev->duration_ns[i] < 0;
		widen(&s.times, ev->start_ns[i], op_end_ns(ev, i), ev->duration_ns[i]);
	}
	x->seen[worker] = s;
}

/* Adds those of other ops. */
static void op_times_add(struct op_times *to, const struct op_times *t)
{
	to->faults.without_times += t->faults.without_times;
	to->faults.backwards += t->faults.backwards;
	if (t->any)
		widen(to, t->first_ns, t->last_ns, t->longest_ns);
}

static int make_order(struct trace *t, const void *ctx, void *made, struct err *e)
{
	const struct events *ev = &t->events[*(const enum trace_kind *)ctx];
	struct op_order *ret = made;
	struct pass x = {ev, mem_zalloc(parallel_workers(), sizeof(*x.seen))};
	bool unsorted = false, elsewhere = false;

	(void)e;
	parallel_each(ev->count, PARALLEL_ROWS, see_some, &x);
	for (unsigned i = 0; i < parallel_workers(); i++) {
		op_times_add(&ret->times, &x.seen[i].times);
		unsorted |= x.seen[i].unsorted;
		elsewhere |= x.seen[i].elsewhere;
	}
	free(x.seen);
	ret->one_place = !elsewhere;
	if (unsorted)
		ret->order = sort_new_order(ev->start_ns, ev->count);
	return 0;
}

static void free_order(void *made)
{
	struct op_order *o = made;

	free(o->order);
}

/* The times must be loaded. Where the trace uses its cache, who asks again is told the same. */
static void op_order_make(struct trace *t, enum trace_kind kind, struct op_order *ret)
{
	static const struct cached cached_orders[TRACE_GPU_KINDS] = {
		[0 ... TRACE_GPU_KINDS - 1] = {sizeof(*ret), make_order, free_order}};
	struct err never;

	trace_cache_make(t, &cached_orders[kind], &kind, ret, &ret->shared, &never);
}

static int open_lane(struct ops *o, enum trace_kind kind, struct err *e)
{
	const uint32_t columns =
		COLS_TIMES | COLS_PROCESS_DEVICE | (kind == TRACE_KERNELS ? COL_BIT(COL_NAME) : 0);
	struct op_lane *lane = &o->lanes[kind];
	struct op_order order;

	lane->ev = &o->trace->events[kind];
	if (trace_load(o->trace, kind, columns, e) < 0 ||
	    trace_require_columns(o->trace, kind, COLS_TIMES, e) < 0)
		return -1;
	if (lane->ev->count == 0)
		return 0;
	op_order_make(o->trace, kind, &order);
	op_times_add(&o->times, &order.times);
	lane->count = lane->ev->count;
	lane->longest_ns = order.times.longest_ns;
	lane->order = order.order;
	lane->shares_order = order.shared;
	lane->one_place = order.one_place;
	return 0;
}

/* When the devices are known. */
static void find_places(struct ops *o)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		struct op_lane *lane = &o->lanes[kind];

		if (!lane->one_place)
			continue;
		lane->process = event_process(lane->ev, 0);
		lane->device = device_map_of(&o->devices, lane->ev, 0);
	}
}

int ops_open(struct ops *o, struct trace *t, struct err *e)
{
	*o = (struct ops){.trace = t};
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (open_lane(o, kind, e) < 0) {
			ops_close(o);
			return -1;
		}
	}
	if (device_map_read(t, &o->devices, e) < 0 ||
	    op_class_of_names(t, &o->class_of_name, e) < 0) {
		ops_close(o);
		return -1;
	}
	find_places(o);
	ops_rewind(o);
	return 0;
}

static uint64_t lane_row(const struct op_lane *l)
{
	return l->order ? l->order[l->next] : l->next;
}

/* Finds the lane's next op that can be placed in time, from `next` on. */
static void settle_lane(struct op_lane *l)
{
	while (l->next < l->end && l->ev->duration_ns[lane_row(l)] == DURATION_NONE)
		l->next++;
	l->next_ns = l->next < l->end ? l->ev->start_ns[lane_row(l)] : INT64_MAX;
}

static int earliest_lane(const struct ops *o)
{
	int first = 0;

	for (int kind = 1; kind < TRACE_GPU_KINDS; kind++) {
		if (o->lanes[kind].next_ns < o->lanes[first].next_ns)
			first = kind;
	}
	return first;
}

/* Ops of one kind come in long rows: the others are looked at where such a row ends. */
static int find_turn(struct ops *o)
{
	int first = earliest_lane(o);

	o->turn = first;
	o->turn_until_ns = INT64_MAX;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (kind != first && o->lanes[kind].next_ns < o->turn_until_ns)
			o->turn_until_ns = o->lanes[kind].next_ns;
	}
	return first;
}

/* The end of time is a start like any other, in a bad trace. */
static int last_lane(const struct ops *o)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (o->lanes[kind].next < o->lanes[kind].end)
			return kind;
	}
	return -1;
}

static enum op_class op_class(const struct ops *o, const struct events *ev, enum trace_kind kind,
			      uint64_t row)
{
	if (kind == TRACE_MEMCPYS || kind == TRACE_MEMSETS)
		return OP_COPY;
	if (kind != TRACE_KERNELS || !ev->name || ev->name[row] == NAME_NONE)
		return OP_COMPUTE;
	return o->class_of_name[ev->name[row]];
}

bool ops_next(struct ops *o, struct op *ret)
{
	int kind = o->lanes[o->turn].next_ns < o->turn_until_ns ? o->turn : find_turn(o);
	const struct events *ev;
	uint64_t row;

	if (o->lanes[kind].next_ns == INT64_MAX && (kind = last_lane(o)) < 0)
		return false;
	ev = o->lanes[kind].ev;
	row = lane_row(&o->lanes[kind]);
	o->lanes[kind].next++;
	settle_lane(&o->lanes[kind]);
	*ret = (struct op){
		.kind = (uint8_t)kind,
		.row = (uint32_t)row,
		.start_ns = ev->start_ns[row],
		.end_ns = op_end_ns(ev, row),
		.class = (uint8_t)op_class(o, ev, kind, row),
		.fill = kind == TRACE_KERNELS && o->fill.device ? o->fill.device[row] : FILL_ALL,
	};
	ops_place(o, kind, row, &ret->process, &ret->device);
	return true;
}

/* The first place from low to high whose op does not begin before; ops of a lane lie by start. */
static uint64_t first_not_before(const struct op_lane *l, uint64_t low, uint64_t high,
				 int64_t at_ns)
{
	return BISECT(low, high, at, l->ev->start_ns[l->order ? l->order[at] : at] < at_ns);
}

uint64_t op_lane_before(const struct op_lane *l, int64_t at_ns)
{
	return first_not_before(l, 0, l->count, at_ns);
}

bool ops_next_run(struct ops *o, struct op_run *ret)
{
	int kind = find_turn(o);
	struct op_lane *l;

	if (o->lanes[kind].next_ns == INT64_MAX && (kind = last_lane(o)) < 0)
		return false;
	l = &o->lanes[kind];
	*ret = (struct op_run){
		.lane = l,
		.kind = (enum trace_kind)kind,
		.begin = l->next,
		.end = first_not_before(l, l->next + 1, l->end, o->turn_until_ns),
	};
	l->next = ret->end;
	settle_lane(l);
	o->turn_until_ns = INT64_MIN;
	return true;
}

void ops_rewind(struct ops *o)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		o->lanes[kind].next = 0;
		o->lanes[kind].end = o->lanes[kind].count;
		settle_lane(&o->lanes[kind]);
	}
	o->turn_until_ns = INT64_MIN;
}

void ops_seek(struct ops *o, int64_t at_ns)
{
	ops_rewind(o);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		struct op_lane *l = &o->lanes[kind];

		l->next = op_lane_before(l, sat_sub(at_ns, l->longest_ns));
		settle_lane(l);
	}
}

struct ops ops_piece(const struct ops *o, const struct ops_cut *from, const struct ops_cut *to)
{
	struct ops piece = *o;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		piece.lanes[kind].next = from->next[kind];
		piece.lanes[kind].end = to->next[kind];
		settle_lane(&piece.lanes[kind]);
	}
	piece.turn_until_ns = INT64_MIN;
	return piece;
}

struct ops ops_choice(const struct ops *o, const struct ops_rows rows[TRACE_GPU_KINDS],
		      uint32_t process, uint32_t device)
{
	struct ops choice = *o;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		struct op_lane *l = &choice.lanes[kind];

		l->order = rows[kind].all;
		l->shares_order = true;
		l->count = rows[kind].count;
		l->one_place = true;
		l->process = process;
		l->device = device;
	}
	ops_rewind(&choice);
	return choice;
}

void ops_close(struct ops *o)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (!o->lanes[kind].shares_order)
			free(o->lanes[kind].order);
	}
	device_map_free(&o->devices);
	free(o->class_of_name);
	if (!o->shares_fill) {
		free(o->fill.device);
		free(o->fill.blocks);
	}
	*o = (struct ops){0};
}
