/* Which NVTX range lies in which? */
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/ranges/ranges.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

/* Of more threads each row is looked at by one worker: to count for each run would take long. */
enum { THREADS_MAX = 1024 };

/* With --trace=python-gil, thousands a second on each thread of Python's. */
static const char *const profilers_names[] = {"Holding GIL", "Waiting for GIL"};

struct collecting {
	const struct trace *trace;
	enum forest_kind kind;
	uint32_t left_out[ARRAY_LEN(profilers_names)]; /* names; STRTAB_NONE: there is none */
	struct range_forest *out;
	size_t places; /* one per thread, and one for the ranges of none */
	size_t grain;  /* rows of a run */
	size_t *next;  /* by run and place: how many ranges there are; then where the next goes */
	size_t *begin; /* by place, and the end of the last */
};

static int compare_ranges(const void *a, const void *b, void *ctx)
{
	const struct range *x = a, *y = b;

	(void)ctx;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Whether any is there; the names are loaded. */
static bool find_profilers(const struct trace *t, uint32_t *ret)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(profilers_names); i++) {
		ret[i] = strtab_find(&t->names, str_of(profilers_names[i]));
		any |= ret[i] != STRTAB_NONE;
	}
	return any;
}

static bool is_left_out(const struct collecting *c, const struct events *ev, uint64_t row)
{
	for (size_t i = 0; c->kind == FOREST_PROGRAM && ev->name && i < ARRAY_LEN(c->left_out);
	     i++) {
		if (c->left_out[i] != STRTAB_NONE && ev->name[row] == c->left_out[i])
			return true;
	}
	return false;
}

/* A start/end range may end on another thread; exports name that thread only then. */
static bool belongs(const struct collecting *c, const struct events *ev, uint64_t row)
{
	const enum forest_kind kind = c->kind;

	if (nvtx_is_push_pop(ev->event_type[row]))
		return kind != FOREST_START_END && !is_left_out(c, ev, row);
	if (kind == FOREST_PUSH_POP || kind == FOREST_PROGRAM ||
	    !nvtx_is_start_end(ev->event_type[row]))
		return false;
	return kind == FOREST_START_END || !ev->end_thread || ev->end_thread[row] == ID_NONE;
}

/* Ranges of no thread come after those of the last one. */
static size_t place_of(const struct trace *t, uint64_t row)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	return ev->thread && ev->thread[row] != ID_NONE ? ev->thread[row] : t->thread_keys.count;
}

static void count_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct collecting *c = ctx;
	const struct events *ev = &c->trace->events[TRACE_NVTX];
	size_t *next = c->next + begin / c->grain * c->places;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		next[place_of(c->trace, i)] += belongs(c, ev, i);
}

static void place_runs(struct collecting *c, size_t runs)
{
	size_t count = 0;

	for (size_t place = 0; place < c->places; place++) {
		c->begin[place] = count;
		for (size_t run = 0; run < runs; run++) {
			size_t *next = &c->next[run * c->places + place], here = *next;

			*next = count;
			count += here;
		}
	}
	c->begin[c->places] = count;
}

static void fill_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct collecting *c = ctx;
	const struct events *ev = &c->trace->events[TRACE_NVTX];
	size_t *next = c->next + begin / c->grain * c->places;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (!belongs(c, ev, i))
			continue;
		c->out->ranges[next[place_of(c->trace, i)]++] = (struct range){
			.start_ns = ev->start_ns[i],
			.end_ns = sat_add(ev->start_ns[i], ev->duration_ns[i]),
			.row = (uint32_t)i,
			.thread = ev->thread ? ev->thread[i] : ID_NONE,
			.parent = RANGE_NONE,
		};
	}
}

/* Thread by thread: an export has the ranges of each in order, and those of all interleaved. */
static void collect_ranges(struct collecting *c)
{
	const uint64_t count = c->trace->events[TRACE_NVTX].count;
	size_t runs;

	c->places = c->trace->thread_keys.count + 1;
	c->grain = c->places > THREADS_MAX ? count : PARALLEL_ROWS;
	runs = (count - 1) / c->grain + 1;
	c->next = mem_zalloc(runs * c->places, sizeof(*c->next));
	c->begin = mem_alloc(c->places + 1, sizeof(*c->begin));
	parallel_each(count, c->grain, count_some, c);
	place_runs(c, runs);
	c->out->count = c->begin[c->places];
	c->out->ranges = mem_alloc(c->out->count, sizeof(*c->out->ranges));
	parallel_each(count, c->grain, fill_some, c);
	free(c->next);
}

/* The ranges of some threads. */
static void link_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct collecting *c = ctx;
	struct range *ranges = c->out->ranges;
	struct open_ranges open = {0};

	(void)worker;
	for (size_t place = begin; place < end; place++) {
		open_ranges_clear(&open);
		for (size_t i = c->begin[place]; i < c->begin[place + 1]; i++) {
			struct range *r = &ranges[i];

			r->parent = open_ranges_find_shortest(&open, r->start_ns, r->end_ns);
			if (r->parent != RANGE_NONE)
				r->level = ranges[r->parent].level + 1;
			open_ranges_enter(&open,
					  (struct open_range){r->start_ns, r->end_ns, (uint32_t)i});
		}
	}
	open_ranges_free(&open);
}

void range_forest_sort(struct range_forest *f)
{
	sort_stable(f->ranges, f->count, sizeof(*f->ranges), compare_ranges, NULL);
}

static int make_forest(struct trace *t, const void *ctx, void *made, struct err *e)
{
	struct collecting c = {.trace = t, .kind = *(const enum forest_kind *)ctx, .out = made};
	TRACE_LOCK_SCOPE(t);

	if (ranges_load(t, e) < 0)
		return -1;
	if (t->events[TRACE_NVTX].count == 0)
		return 0;
	if (trace_require_column(t, TRACE_NVTX, COL_THREAD, e) < 0)
		return -1;
	(void)find_profilers(t, c.left_out);
	collect_ranges(&c);
	range_forest_sort(c.out);
	parallel_each(c.places, c.places / 64 + 1, link_some, &c);
	free(c.begin);
	return 0;
}

static void free_forest(void *made)
{
	range_forest_free(made);
}

/* Where the profiler has none of its own the stacks are the program's: they are made once. */
static int settle_kind(struct trace *t, enum forest_kind *kind, struct err *e)
{
	uint32_t names[ARRAY_LEN(profilers_names)];
	TRACE_LOCK_SCOPE(t);

	if (*kind != FOREST_PROGRAM)
		return 0;
	if (ranges_load(t, e) < 0)
		return -1;
	if (!find_profilers(t, names))
		*kind = FOREST_PUSH_POP;
	return 0;
}

int range_forest_build(struct trace *t, enum forest_kind kind, struct range_forest *ret,
		       struct err *e)
{
	static const struct cached forests[FOREST_KINDS] = {
		[0 ... FOREST_KINDS - 1] = {sizeof(*ret), make_forest, free_forest}};

	if (settle_kind(t, &kind, e) < 0)
		return -1;
	return trace_cache_make(t, &forests[kind], &kind, ret, &ret->shared, e);
}

void range_forest_free(struct range_forest *f)
{
	if (!f->shared)
		free(f->ranges);
	*f = (struct range_forest){0};
}

bool *range_forest_find_profilers(const struct trace *t, const struct range_forest *f)
{
	struct collecting c = {.trace = t, .kind = FOREST_PROGRAM};
	const struct events *ev = &t->events[TRACE_NVTX];
	bool *is_profilers;

	if (!ev->name || !find_profilers(t, c.left_out))
		return NULL;
	is_profilers = mem_zalloc(f->count, sizeof(*is_profilers));
	for (size_t i = 0; i < f->count; i++)
		is_profilers[i] = is_left_out(&c, ev, f->ranges[i].row);
	return is_profilers;
}

uint32_t *range_forest_rows(const struct range_forest *f, uint64_t rows)
{
	uint32_t *range_of = new_ids(rows);

	for (size_t i = 0; i < f->count; i++)
		range_of[f->ranges[i].row] = (uint32_t)i;
	return range_of;
}
