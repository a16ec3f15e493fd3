/* Do the kernels of a process, or its graphs, come in steps? */
#include "analysis/steps/iterations.h"

#include "analysis/steps/kernel_period.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { REPLAYS_MIN = 3 };

/* The kernels of one process on one device, or its graphs. */
struct place {
	uint32_t process, device;
	uint64_t ops;
};

struct places {
	enum trace_kind kind;
	const struct events *ev; /* of that kind */
	const uint32_t *names;	 /* what tells them apart: names, or numbers of graphs */
	struct idmap numbers;
	struct place *all;
	size_t count, cap;
	uint32_t *of_op; /* NULL: all are at the first */
};

static uint32_t number_place(struct places *p, uint32_t process, uint32_t device)
{
	uint32_t number = idmap_number_pair(&p->numbers, process, device);

	if (number == p->count) {
		MEM_GROW(p->all, p->cap, p->count + 1);
		p->all[p->count++] = (struct place){process, device, 0};
	}
	return number;
}

/* Whether all ops are at one place, as they mostly are, and then how many have a duration. */
struct one_place {
	const struct events *ev;
	atomic_bool differ;
	_Atomic uint64_t ops;
};

static uint32_t device_of(const struct events *ev, uint64_t row)
{
	return ev->device ? ev->device[row] : ID_NONE;
}

static void look_for_others(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct one_place *o = ctx;
	const struct events *ev = o->ev;
	const uint32_t process = event_process(ev, 0), device = device_of(ev, 0);
	uint64_t ops = 0;

	(void)worker;
	for (uint64_t i = begin; i < end; i++) {
		if (event_process(ev, i) != process || device_of(ev, i) != device) {
			o->differ = true;
			return;
		}
		ops += ev->duration_ns[i] != DURATION_NONE;
	}
	o->ops += ops;
}

static bool is_asked(const struct trace *t, const struct scope *p, const struct device_map *devices,
		     const struct place *at)
{
	return scope_has_process(p, t, at->process) &&
	       (!p->has_device || device_map_gpu(devices, at->process, at->device) == p->device);
}

static void count_by_place(struct places *ret)
{
	const struct events *ev = ret->ev;
	uint32_t number = 0;

	ret->of_op = mem_alloc(ev->count, sizeof(*ret->of_op));
	for (uint64_t i = 0; i < ev->count; i++) {
		const uint32_t process = event_process(ev, i), device = device_of(ev, i);

		/* Most are where the one before was. */
		if (!i || ret->all[number].process != process || ret->all[number].device != device)
			number = number_place(ret, process, device);
		ret->of_op[i] = number;
		ret->all[number].ops += ev->duration_ns[i] != DURATION_NONE;
	}
}

/* A process's are looked at where it has the most. */
static void find_places(const struct trace *t, const struct scope *p,
			const struct device_map *devices, struct places *ret)
{
	struct one_place one = {.ev = ret->ev};

	if (!ret->ev->count)
		return;
	parallel_each(ret->ev->count, PARALLEL_ROWS, look_for_others, &one);
	if (one.differ) {
		count_by_place(ret);
	} else {
		number_place(ret, event_process(ret->ev, 0), device_of(ret->ev, 0));
		ret->all[0].ops = one.ops;
	}
	for (size_t i = 0; i < ret->count; i++) {
		if (!is_asked(t, p, devices, &ret->all[i]))
			ret->all[i].ops = 0;
	}
}

static void places_free(struct places *p)
{
	idmap_free(&p->numbers);
	free(p->all);
	free(p->of_op);
}

/* By launch, where launches are given: those of a process have numbers in their order. */
static int64_t row_key(const struct events *ev, const uint32_t *launch_of, uint32_t row)
{
	return launch_of ? (int64_t)launch_of[row] : ev->start_ns[row];
}

/* Of rows as they lie there is no list. */
static uint32_t row_at(const uint32_t *rows, size_t i)
{
	return rows ? rows[i] : (uint32_t)i;
}

/* Whether rows are as list_rows() would put them: later ones were launched, or else begin, later.
 */
static bool lie_in_order(const struct events *ev, const uint32_t *launch_of)
{
	for (uint64_t i = 1; i < ev->count; i++) {
		if (launch_of ? launch_of[i] <= launch_of[i - 1]
			      : ev->start_ns[i] < ev->start_ns[i - 1])
			return false;
	}
	return true;
}

static bool in_order(const struct events *ev, const uint32_t *launch_of, const uint32_t *rows,
		     size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (row_key(ev, launch_of, rows[i]) < row_key(ev, launch_of, rows[i - 1]))
			return false;
	}
	return true;
}

/* Equal ones stay as they are. */
static void sort_rows(const struct events *ev, const uint32_t *launch_of, uint32_t *rows, size_t n)
{
	int64_t *keys;
	uint32_t *order;

	if (in_order(ev, launch_of, rows, n))
		return;
	keys = mem_alloc(n, sizeof(*keys));
	for (size_t i = 0; i < n; i++)
		keys[i] = row_key(ev, launch_of, rows[i]);
	order = sort_new_order(keys, n);
	free(keys);
	for (size_t i = 0; i < n; i++)
		order[i] = rows[order[i]];
	memcpy(rows, order, n * sizeof(*rows));
	free(order);
}

/* The rows of a place in order of their launch, else of their start; NULL: all of them,
 * as they lie. */
static uint32_t *list_rows(const struct events *ev, const struct places *p, uint32_t number,
			   const uint32_t *launch_of)
{
	size_t n = p->all[number].ops, count = 0;
	uint32_t *rows;

	if (n == ev->count && lie_in_order(ev, launch_of))
		return NULL;
	rows = mem_alloc(n, sizeof(*rows));
	for (uint64_t i = 0; i < ev->count; i++) {
		if ((!p->of_op || p->of_op[i] == number) && ev->duration_ns[i] != DURATION_NONE)
			rows[count++] = (uint32_t)i;
	}
	sort_rows(ev, NULL, rows, n);
	if (launch_of)
		sort_rows(ev, launch_of, rows, n);
	return rows;
}

/* Where the next step begins, else with the step's last kernel: see iterations_move_to_host(). */
static int64_t end_of(const struct events *ev, const struct kernel_period *period, size_t number,
		      uint32_t last, uint32_t next)
{
	const struct kernel_step *step = &period->steps[number];
	const int64_t last_ns = sat_add(ev->start_ns[last], ev->duration_ns[last]);
	const bool goes_on = number + 1 < period->count && step[1].begin == step->end;

	return next != ID_NONE && (goes_on || ev->start_ns[next] < last_ns) ? ev->start_ns[next]
									    : last_ns;
}

static void add_lane(const struct events *ev, const struct place *place, const uint32_t *rows,
		     const struct kernel_period *period, struct iterations *it)
{
	iterations_add_lane(it, place->process, ID_NONE);
	for (size_t i = 0; i < period->count; i++) {
		const struct kernel_step *step = &period->steps[i];
		uint32_t first = row_at(rows, step->begin), last = row_at(rows, step->end - 1);
		uint32_t next = step->end < place->ops ? row_at(rows, step->end) : ID_NONE;
		struct iteration *made =
			iterations_add(it, ev->start_ns[first], end_of(ev, period, i, last, next));

		made->first_row = first;
		made->last_row = last;
		made->next_row = next;
	}
}

/* One graph that has half of the time: it is launched once in each step. */
static bool find_replays(const struct events *ev, const uint32_t *graphs, const uint32_t *rows,
			 size_t n, struct kernel_period *ret)
{
	struct idmap numbers = {0};
	int64_t *ns = mem_zalloc(n, sizeof(*ns)), all_ns = 0;
	uint32_t chief = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t number = idmap_number_pair(&numbers, 0, graphs[i]);
		const int64_t one_ns = ev->duration_ns[row_at(rows, i)];

		ns[number] = sat_add(ns[number], one_ns);
		all_ns = sat_add(all_ns, one_ns);
		chief = ns[number] > ns[chief] ? number : chief;
	}
	*ret = (struct kernel_period){.steps = mem_alloc(n, sizeof(*ret->steps)), .confidence = 1};
	for (size_t i = 0; ns[chief] > all_ns / 2 && i < n; i++) {
		if (idmap_number_pair(&numbers, 0, graphs[i]) != chief)
			continue;
		if (ret->count)
			ret->steps[ret->count - 1].end = i;
		ret->steps[ret->count++] = (struct kernel_step){i, i + 1};
	}
	idmap_free(&numbers);
	free(ns);
	return ret->count >= REPLAYS_MIN;
}

static const char *describe_period(struct arena *arena, const struct places *p,
				   const uint32_t *names, const struct kernel_period *period)
{
	if (period->length)
		return arena_printf(
			arena, "repetitions of about %zu %s, detected from repeating %s",
			period->length, p->kind == TRACE_GRAPHS ? "CUDA graphs" : "kernels",
			p->kind == TRACE_GRAPHS ? "graph numbers" : "kernel names");
	return arena_printf(arena, "replays of CUDA graph %u", names[period->steps[0].begin]);
}

static void try_place(const struct places *p, uint32_t number, const uint32_t *launch_of,
		      struct iterations *it)
{
	const struct place *place = &p->all[number];
	uint32_t *rows = list_rows(p->ev, p, number, launch_of);
	uint32_t *listed = rows ? mem_alloc(place->ops, sizeof(*listed)) : NULL;
	const uint32_t *names = rows ? listed : p->names;
	struct kernel_period period;
	bool found;

	for (size_t i = 0; rows && i < place->ops; i++)
		listed[i] = p->names[rows[i]];
	found = kernel_period_find(names, place->ops, &period);
	if (!found && p->kind == TRACE_GRAPHS) {
		free(period.steps);
		found = find_replays(p->ev, names, rows, place->ops, &period);
	}
	if (found) {
		add_lane(p->ev, place, rows, &period, it);
		if (it->lane_count == 1 || period.confidence < it->confidence)
			it->confidence = period.confidence;
		if (it->main_lane == it->lane_count - 1)
			it->what = describe_period(&it->arena, p, names, &period);
	}
	free(period.steps);
	free(listed);
	free(rows);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->ops < y->ops) - (x->ops > y->ops);
}

/* Of each process the place with the most kernels, by number in p->all, processes in order. */
static size_t choose_places(const struct places *p, uint32_t *chosen)
{
	struct place *sorted = mem_alloc(p->count, sizeof(*sorted));
	size_t count = 0;

	if (p->count) {
		memcpy(sorted, p->all, p->count * sizeof(*sorted));
		qsort(sorted, p->count, sizeof(*sorted), compare_places);
	}
	for (size_t i = 0; i < p->count; i++) {
		if (!sorted[i].ops || (i && sorted[i].process == sorted[i - 1].process))
			continue;
		chosen[count++] = idmap_get(&p->numbers,
					    (uint64_t)sorted[i].process << 32 | sorted[i].device);
	}
	free(sorted);
	return count;
}

/* Graphs recorded as a whole hide the kernels that would tell. */
static bool graphs_prevail(const struct trace *t)
{
	int64_t ns[TRACE_GPU_KINDS] = {0};

	if (!t->events[TRACE_GRAPHS].count)
		return false;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &t->events[kind];

		for (uint64_t i = 0; ev->duration_ns && i < ev->count; i++) {
			if (ev->duration_ns[i] > 0)
				ns[kind] = sat_add(ns[kind], ev->duration_ns[i]);
		}
	}
	return ns[TRACE_GRAPHS] > ns[TRACE_KERNELS];
}

/* What is looked at; 0: there is none of it. */
static int open_places(struct trace *t, struct places *ret, struct err *e)
{
	const enum trace_kind kind = graphs_prevail(t) ? TRACE_GRAPHS : TRACE_KERNELS;
	const struct events *ev = &t->events[kind];

	*ret = (struct places){.kind = kind, .ev = ev};
	if (!ev->table)
		return 0;
	if (trace_require_columns(t, kind, COLS_TIMES, e) < 0 ||
	    trace_require_column(t, kind, kind == TRACE_GRAPHS ? COL_GRAPH : COL_NAME, e) < 0 ||
	    trace_load(t, kind, kind == TRACE_GRAPHS ? COL_BIT(COL_GRAPH) : COL_BIT(COL_NAME), e) <
		    0)
		return e->absent ? 0 : -1;
	ret->names = kind == TRACE_GRAPHS ? ev->graph : ev->name;
	return ret->names != NULL;
}

static const uint32_t *launches_in_order(const struct places *p, const struct launches *l)
{
	return l && l->kinds & 1u << p->kind ? &l->launch_of_op[l->begin[p->kind]]
					     : p->ev->correlation;
}

int iterations_find_kernels(struct trace *t, const struct scope *p, const struct launches *l,
			    struct iterations *ret, struct err *e)
{
	struct device_map devices = {0};
	struct places places;
	uint32_t *chosen;
	size_t count;
	int result = open_places(t, &places, e);

	if (result <= 0)
		return result;
	result = 0;
	if (p->has_device && device_map_read(t, &devices, e) < 0)
		return -1;
	find_places(t, p, &devices, &places);
	device_map_free(&devices);
	chosen = mem_alloc(places.count, sizeof(*chosen));
	count = choose_places(&places, chosen);
	ret->source = ITER_KERNELS;
	ret->kind = places.kind;
	if (count > ITERATION_LANES_MAX)
		result = iterations_too_many(t, count, e);
	for (size_t i = 0; i < count && result == 0; i++)
		try_place(&places, chosen[i], launches_in_order(&places, l), ret);
	if (ret->count)
		iterations_describe(ret);
	free(chosen);
	places_free(&places);
	return result;
}
