/* How long is the host in each range of a step? */
#include "diff/host_ranges.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

static const double worth_a_look = 0.02; /* of all steps' time, step by step */

struct reading {
	const struct gap_judge *judge;
	const struct compared_steps *steps;
	const struct step_paths *paths;
	const struct range *ranges; /* of the thread */
	size_t first, count;	    /* of these, in the forest */
	int64_t *inside_ns;	    /* by range: time of ranges in it */
};

static int64_t range_ns(const struct range *r)
{
	return r->end_ns > r->start_ns ? sat_sub(r->end_ns, r->start_ns) : 0;
}

/* Its own part; ranges that cross others may have less than none. */
static int64_t own_ns(const struct reading *x, size_t i)
{
	const int64_t ns = sat_sub(range_ns(&x->ranges[i]), x->inside_ns[i]);

	return ns > 0 ? ns : 0;
}

static void find_inside(struct reading *x)
{
	x->inside_ns = mem_zalloc(x->count, sizeof(*x->inside_ns));
	for (size_t i = 0; i < x->count; i++) {
		const uint32_t parent = x->ranges[i].parent;

		if (parent != RANGE_NONE && parent >= x->first && parent - x->first < x->count)
			x->inside_ns[parent - x->first] =
				sat_add(x->inside_ns[parent - x->first], range_ns(&x->ranges[i]));
	}
}

/* What the ranges of a path have of the steps: time in them, or of waits in that. */
struct host_sum {
	int64_t ns;
	int64_t *of_step; /* NULL: not asked for */
};

/* The two are read side by side. */
enum { IN_RANGES, IN_WAITS, HOST_TIMES };

typedef void host_time_fn(struct host_sum *to, size_t step, int64_t ns);

static void walk_waits(const struct reading *x, struct host_sum *by_path, host_time_fn *fn)
{
	const struct thread_calls *t = &x->judge->threads;
	const uint32_t thread = x->steps->thread;
	struct innermost_cursor at = {0};
	size_t near = 0;

	for (size_t i = t->begin[thread]; i < t->begin[thread + 1]; i++) {
		const size_t call = thread_calls_at(t, i);
		const int64_t start_ns = t->calls->start_ns[call];
		uint32_t range;
		size_t step;

		if (!x->judge->call_blocks[calls_origin(t->calls, call)])
			continue;
		step = compared_steps_host_at(x->steps, start_ns, &near);
		range = innermost_follow(&x->judge->innermost, thread, start_ns, &at);
		if (step < x->steps->count && range != RANGE_NONE)
			fn(&by_path[step_path_of(x->paths, range)], step,
			   calls_duration(t->calls, call));
	}
}

static void walk_ranges(const struct reading *x, struct host_sum *by_path, host_time_fn *fn)
{
	size_t near = 0;

	for (size_t i = 0; i < x->count; i++) {
		const size_t step = compared_steps_host_at(x->steps, x->ranges[i].start_ns, &near);

		if (step < x->steps->count)
			fn(&by_path[step_path_of(x->paths, (uint32_t)(x->first + i))], step,
			   own_ns(x, i));
	}
}

static void add_total(struct host_sum *to, size_t step, int64_t ns)
{
	(void)step;
	to->ns = sat_add(to->ns, ns > 0 ? ns : 0);
}

static void add_to_step(struct host_sum *to, size_t step, int64_t ns)
{
	if (to->of_step && ns > 0)
		to->of_step[step] = sat_add(to->of_step[step], ns);
}

struct host_walk {
	const struct reading *x;
	struct host_sum *by_path[HOST_TIMES];
	host_time_fn *fn;
};

static void walk_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct host_walk *w = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		(i == IN_WAITS ? walk_waits : walk_ranges)(w->x, w->by_path[i], w->fn);
}

/* Calls fn for all host time of the steps, by path. */
static void walk(struct host_walk *w, host_time_fn *fn)
{
	w->fn = fn;
	parallel_each(HOST_TIMES, 1, walk_some, w);
}

static int64_t steps_ns(const struct compared_steps *c)
{
	int64_t ns = 0;

	for (size_t i = 0; i < c->count; i++)
		ns = sat_add(ns, c->all[i].to_ns - c->all[i].from_ns);
	return ns;
}

/* Waits outside of any range of the step are no part of one's time. */
static int64_t without_waits(const struct host_walk *w, size_t path)
{
	const int64_t ns = sat_sub(w->by_path[IN_RANGES][path].ns, w->by_path[IN_WAITS][path].ns);

	return ns > 0 ? ns : 0;
}

/* Step by step, for the paths where that is worth a look. */
static void walk_steps(struct host_walk *w, size_t paths)
{
	const size_t steps = w->x->steps->count;
	const double worth_ns = worth_a_look * (double)steps_ns(w->x->steps);

	for (size_t i = 0; i < paths; i++) {
		const int64_t ns = without_waits(w, i);

		for (int of = 0; ns && (double)ns >= worth_ns && of < HOST_TIMES; of++)
			w->by_path[of][i].of_step = mem_zalloc(steps, sizeof(int64_t));
	}
	walk(w, add_to_step);
}

static void take(struct host_ranges *ret, struct host_walk *w, size_t paths)
{
	ret->all = mem_alloc(paths, sizeof(*ret->all));
	for (size_t i = 0; i < paths; i++) {
		const struct host_sum *waits = &w->by_path[IN_WAITS][i];
		const struct host_range one = {(uint32_t)i, without_waits(w, i), waits->ns,
					       w->by_path[IN_RANGES][i].of_step};

		for (size_t k = 0; one.of_step && k < w->x->steps->count; k++)
			one.of_step[k] = sat_sub(one.of_step[k], waits->of_step[k]);
		free(waits->of_step);
		if (one.own_ns || one.wait_ns)
			ret->all[ret->count++] = one;
	}
}

void host_ranges_read(struct host_ranges *ret, const struct gap_judge *judge,
		      const struct compared_steps *steps, const struct step_paths *paths)
{
	const struct range_forest *f = &judge->attribution.forest;
	struct reading x = {.judge = judge, .steps = steps, .paths = paths};
	struct host_walk w = {.x = &x};
	const size_t with_none = step_path_none(paths) + 1;

	*ret = (struct host_ranges){0};
	if (!judge->joined || !f->count || steps->thread >= judge->threads.threads ||
	    steps->thread >= judge->innermost.thread_count)
		return;
	x.first = judge->innermost.begin[steps->thread];
	x.count = judge->innermost.begin[steps->thread + 1] - x.first;
	x.ranges = &f->ranges[x.first];
	find_inside(&x);
	for (int of = 0; of < HOST_TIMES; of++)
		w.by_path[of] = mem_zalloc(with_none, sizeof(*w.by_path[of]));
	walk(&w, add_total);
	walk_steps(&w, with_none);
	take(ret, &w, with_none);
	for (int of = 0; of < HOST_TIMES; of++)
		free(w.by_path[of]);
	free(x.inside_ns);
}

void host_ranges_free(struct host_ranges *h)
{
	for (size_t i = 0; i < h->count; i++)
		free(h->all[i].of_step);
	free(h->all);
	*h = (struct host_ranges){0};
}
