/* How long is the host in each range of a step? */
#include "diff/host_ranges.h"

#include "base/mem.h"

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

typedef void host_time_fn(struct host_range *to, size_t step, int64_t ns, bool waits);

static void add_waits(const struct reading *x, struct host_range *by_path, host_time_fn *fn)
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
			   calls_duration(t->calls, call), true);
	}
}

/* Calls fn for all host time of the steps, by path. */
static void walk(const struct reading *x, struct host_range *by_path, host_time_fn *fn)
{
	size_t near = 0;

	for (size_t i = 0; i < x->count; i++) {
		const size_t step = compared_steps_host_at(x->steps, x->ranges[i].start_ns, &near);

		if (step < x->steps->count)
			fn(&by_path[step_path_of(x->paths, (uint32_t)(x->first + i))], step,
			   own_ns(x, i), false);
	}
	add_waits(x, by_path, fn);
}

static void add_total(struct host_range *to, size_t step, int64_t ns, bool waits)
{
	(void)step;
	if (waits)
		to->wait_ns = sat_add(to->wait_ns, ns > 0 ? ns : 0);
	else
		to->own_ns = sat_add(to->own_ns, ns);
}

static void add_to_step(struct host_range *to, size_t step, int64_t ns, bool waits)
{
	if (to->of_step && ns > 0)
		to->of_step[step] =
			waits ? sat_sub(to->of_step[step], ns) : sat_add(to->of_step[step], ns);
}

static void take(struct host_ranges *ret, const struct reading *x, struct host_range *by_path)
{
	const size_t paths = step_path_none(x->paths) + 1;
	int64_t all_ns = 0;

	for (size_t i = 0; i < x->steps->count; i++)
		all_ns = sat_add(all_ns, x->steps->all[i].to_ns - x->steps->all[i].from_ns);
	for (size_t i = 0; i < paths; i++) {
		by_path[i].path = (uint32_t)i;
		/* Waits outside of any range of the step are no part of one's time. */
		by_path[i].own_ns = by_path[i].own_ns > by_path[i].wait_ns
					    ? sat_sub(by_path[i].own_ns, by_path[i].wait_ns)
					    : 0;
		if (by_path[i].own_ns && (double)by_path[i].own_ns >= worth_a_look * (double)all_ns)
			by_path[i].of_step =
				mem_zalloc(x->steps->count, sizeof(*by_path[i].of_step));
	}
	walk(x, by_path, add_to_step);
	for (size_t i = 0; i < paths; i++) {
		if (by_path[i].own_ns || by_path[i].wait_ns)
			ret->all[ret->count++] = by_path[i];
	}
}

void host_ranges_read(struct host_ranges *ret, const struct gap_judge *judge,
		      const struct compared_steps *steps, const struct step_paths *paths)
{
	const struct range_forest *f = &judge->attribution.forest;
	struct reading x = {.judge = judge, .steps = steps, .paths = paths};
	struct host_range *by_path;

	*ret = (struct host_ranges){0};
	if (!judge->joined || !f->count || steps->thread >= judge->threads.threads ||
	    steps->thread >= judge->innermost.thread_count)
		return;
	x.first = judge->innermost.begin[steps->thread];
	x.count = judge->innermost.begin[steps->thread + 1] - x.first;
	x.ranges = &f->ranges[x.first];
	find_inside(&x);
	by_path = mem_zalloc(step_path_none(paths) + 1, sizeof(*by_path));
	ret->all = mem_alloc(step_path_none(paths) + 1, sizeof(*ret->all));
	walk(&x, by_path, add_total);
	take(ret, &x, by_path);
	free(by_path);
	free(x.inside_ns);
}

void host_ranges_free(struct host_ranges *h)
{
	for (size_t i = 0; i < h->count; i++)
		free(h->all[i].of_step);
	free(h->all);
	*h = (struct host_ranges){0};
}
