/* A walk over the GPUs' work in pieces finds what one in a single piece finds. */
#include "analysis/gpu/timeline.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { OPS = 4000, PIECES = 8, SLICES = 8 * OPS };

/* A slice as it can be compared. */
struct seen {
	int64_t start_ns, end_ns;
	uint32_t kind, device, row, before;
};

struct list {
	struct seen *items;
	size_t count;
};

struct run {
	struct trace trace;
	struct ops ops;
};

static uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % limit;
}

/* Ops of two kinds in order of time; `busy` of 10 overlap the next ones. */
static void fill(struct events *ev, size_t count, size_t devices, unsigned busy, uint64_t seed)
{
	int64_t at = 1000;

	ev->count = count;
	ev->start_ns = mem_alloc(count, sizeof(*ev->start_ns));
	ev->duration_ns = mem_alloc(count, sizeof(*ev->duration_ns));
	ev->device = mem_alloc(count, sizeof(*ev->device));
	for (size_t i = 0; i < count; i++) {
		at += (int64_t)random_below(&seed, 100);
		ev->start_ns[i] = at;
		ev->duration_ns[i] =
			(int64_t)random_below(&seed, random_below(&seed, 10) < busy ? 400 : 50);
		ev->device[i] = (uint32_t)random_below(&seed, devices);
	}
}

static void begin(struct run *r, size_t devices, unsigned busy)
{
	*r = (struct run){0};
	fill(&r->trace.events[TRACE_KERNELS], OPS, devices, busy, 1);
	fill(&r->trace.events[TRACE_MEMCPYS], OPS / 10, devices, busy, 2);
	r->ops.trace = &r->trace;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		r->ops.lanes[kind].ev = &r->trace.events[kind];
		r->ops.lanes[kind].count = r->trace.events[kind].count;
	}
	r->ops.times.first_ns = 1000;
	r->ops.times.last_ns = 1000000;
	ops_rewind(&r->ops);
}

static void end(struct run *r)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		free(r->trace.events[kind].start_ns);
		free(r->trace.events[kind].duration_ns);
		free(r->trace.events[kind].device);
	}
}

static void take(void *ctx, const struct slice *s)
{
	struct list *l = ctx;

	assert_true(l->count < SLICES);
	l->items[l->count++] = (struct seen){s->start_ns,
					     s->end_ns,
					     s->kind,
					     s->device,
					     s->op ? s->op->row : ID_NONE,
					     s->before ? s->before->row : ID_NONE};
}

static int compare(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* All slices of a walk, by device and time. */
static struct list walk(const struct run *r, const struct scope *p, size_t pieces,
			struct timeline *l)
{
	struct list *lists = mem_zalloc(pieces, sizeof(*lists)), all = {0};
	const struct timeline_view view = {&r->trace, p, l, take, lists, sizeof(*lists)};

	timeline_begin(&r->ops, p, l);
	for (size_t i = 0; i < pieces; i++)
		lists[i].items = mem_alloc(SLICES, sizeof(*lists[i].items));
	timeline_walk_views(&r->ops, &view, 1, pieces);
	all.items = mem_alloc(SLICES, sizeof(*all.items));
	for (size_t i = 0; i < pieces; i++) {
		memcpy(all.items + all.count, lists[i].items, lists[i].count * sizeof(*all.items));
		all.count += lists[i].count;
		free(lists[i].items);
	}
	free(lists);
	qsort(all.items, all.count, sizeof(*all.items), compare);
	return all;
}

static void check_pieces(size_t devices, unsigned busy, const struct scope *p)
{
	struct timeline one, many;
	struct list whole, pieces;
	struct run r;

	begin(&r, devices, busy);
	whole = walk(&r, p, 1, &one);
	pieces = walk(&r, p, PIECES, &many);
	assert_true(whole.count > 100);
	assert_int_equal(whole.count, pieces.count);
	assert_memory_equal(whole.items, pieces.items, whole.count * sizeof(*whole.items));
	assert_int_equal(one.count, devices);
	assert_memory_equal(one.devices, many.devices, one.count * sizeof(*one.devices));
	for (size_t d = 0; d < one.count; d++) {
		int64_t sum = 0;

		for (int kind = 0; kind < SLICE_KINDS; kind++)
			sum += one.devices[d].ns[kind];
		assert_int_equal(sum, one.to_ns - one.from_ns);
	}
	free(whole.items);
	free(pieces.items);
	timeline_free(&one);
	timeline_free(&many);
	end(&r);
}

static void test_pieces_of_one_device(void **state)
{
	const struct scope all = {0};

	(void)state;
	check_pieces(1, 1, &all);
}

static void test_pieces_of_several_devices(void **state)
{
	const struct scope all = {0};

	(void)state;
	check_pieces(3, 1, &all);
}

/* Nothing is ever quiet: there is no place to cut, and one piece is walked. */
static void test_pieces_where_everything_overlaps(void **state)
{
	const struct scope all = {0};

	(void)state;
	check_pieces(2, 10, &all);
}

static void test_pieces_of_a_window(void **state)
{
	const struct scope window = {.has_trim = true, .from_ns = 30000, .to_ns = 150000};

	(void)state;
	check_pieces(1, 1, &window);
	check_pieces(2, 1, &window);
}

static struct ops_rows rows_of_device(const struct events *ev, uint32_t device)
{
	struct ops_rows rows = {.all = mem_alloc(ev->count, sizeof(*rows.all))};

	for (uint64_t i = 0; i < ev->count; i++) {
		if (ev->device[i] == device)
			rows.all[rows.count++] = (uint32_t)i;
	}
	return rows;
}

/* A choice of the ops of one place is walked as all of them are where that place is asked for. */
static void test_chosen_ops_are_those_of_their_place(void **state)
{
	const struct scope place = {.has_device = true, .device = 1};
	struct ops_rows rows[TRACE_GPU_KINDS] = {0};
	struct timeline of_all, of_own;
	struct list all, own;
	struct run r;

	(void)state;
	begin(&r, 3, 1);
	all = walk(&r, &place, 1, &of_all);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		rows[kind] = rows_of_device(&r.trace.events[kind], place.device);
	r.ops = ops_choice(&r.ops, rows, ID_NONE, place.device);
	own = walk(&r, &place, PIECES, &of_own);
	assert_true(all.count > 100);
	assert_int_equal(all.count, own.count);
	assert_memory_equal(all.items, own.items, all.count * sizeof(*all.items));
	assert_int_equal(of_own.count, 1);
	assert_int_equal(of_all.devices[0].ops, of_own.devices[0].ops);
	timeline_free(&of_all);
	timeline_free(&of_own);
	free(all.items);
	free(own.items);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		free(rows[kind].all);
	end(&r);
}

/* Runs are the ops that come one by one, in the same order; of those without times none. */
static void check_runs(size_t devices, unsigned busy)
{
	size_t ops = 0, runs = 0;
	struct op_run run;
	struct ops again;
	struct run r;
	struct op op;

	begin(&r, devices, busy);
	again = r.ops;
	ops_rewind(&r.ops);
	ops_rewind(&again);
	for (; ops_next_run(&r.ops, &run); runs++) {
		for (uint64_t i = run.begin; i < run.end; i++, ops++) {
			assert_true(ops_next(&again, &op));
			assert_int_equal(op.kind, run.kind);
			assert_int_equal(op.row, op_run_row(&run, i));
		}
	}
	assert_false(ops_next(&again, &op));
	assert_true(runs > 10 && ops > runs);
	end(&r);
}

static void test_runs_are_all_ops_in_order(void **state)
{
	(void)state;
	check_runs(1, 1);
	check_runs(3, 10);
}

static void test_cuts_are_quiet(void **state)
{
	struct ops_cut cuts[PIECES + 1];
	struct run r;
	size_t count;

	(void)state;
	begin(&r, 1, 1);
	count = ops_cut(&r.ops, PIECES, cuts);
	assert_int_equal(count, PIECES);
	for (size_t i = 1; i < count; i++) {
		struct ops before = ops_piece(&r.ops, &cuts[0], &cuts[i]);
		struct ops after = ops_piece(&r.ops, &cuts[i], &cuts[count]);
		struct op op, next;

		assert_true(ops_next(&after, &next));
		while (ops_next(&before, &op))
			assert_true(op.end_ns <= next.start_ns);
	}
	end(&r);
}

int timeline_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_of_one_device),
		cmocka_unit_test(test_pieces_of_several_devices),
		cmocka_unit_test(test_pieces_where_everything_overlaps),
		cmocka_unit_test(test_pieces_of_a_window),
		cmocka_unit_test(test_chosen_ops_are_those_of_their_place),
		cmocka_unit_test(test_runs_are_all_ops_in_order),
		cmocka_unit_test(test_cuts_are_quiet),
	};

	parallel_set_workers(3);
	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
