/* Which range of a thread is innermost at a moment? */
#include "trace/ranges/innermost.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/*
 * Ranges lie by start, so that the answer is the last one before the moment that ends after it.
 * Latest ends of runs of FANOUT, runs of runs and so on skip what ended earlier: the search takes
 * logarithmic time, however deep or tangled the ranges are. FANOUT^LEVELS exceeds any 32-bit count.
 */
enum { FANOUT_BITS = 4, FANOUT = 1 << FANOUT_BITS };

static const struct range_forest *forest_of(const struct innermost *in)
{
	return in->forest ? in->forest : &in->own;
}

static int64_t end_at(const struct innermost *in, int level, size_t i)
{
	return level ? in->latest[level - 1][i] : forest_of(in)->ranges[i].end_ns;
}

static void make_level(struct innermost *in, int level, size_t below)
{
	size_t count = (below + FANOUT - 1) >> FANOUT_BITS;

	in->latest[level] = mem_alloc(count, sizeof(*in->latest[level]));
	for (size_t i = 0; i < count; i++)
		in->latest[level][i] = INT64_MIN;
	for (size_t i = 0; i < below; i++) {
		int64_t *latest = &in->latest[level][i >> FANOUT_BITS];

		if (end_at(in, level, i) > *latest)
			*latest = end_at(in, level, i);
	}
}

static void find_threads(struct innermost *in)
{
	const struct range_forest *f = forest_of(in);
	size_t next = 0;

	in->begin = mem_alloc(in->thread_count + 1, sizeof(*in->begin));
	for (size_t thread = 0; thread <= in->thread_count; thread++) {
		while (next < f->count && f->ranges[next].thread < thread)
			next++;
		in->begin[thread] = (uint32_t)next;
	}
}

void innermost_make(const struct range_forest *f, size_t thread_count, struct innermost *ret)
{
	size_t below = f->count;

	*ret = (struct innermost){.forest = f, .thread_count = thread_count};
	find_threads(ret);
	for (int level = 0; level < INNERMOST_LEVELS && below > FANOUT; level++) {
		make_level(ret, level, below);
		below = (below + FANOUT - 1) >> FANOUT_BITS;
	}
}

void innermost_make_program(const struct trace *t, const struct range_forest *f,
			    struct innermost *ret)
{
	SCOPED bool *is_profilers = range_forest_find_profilers(t, f);
	struct range_forest own = *f;

	if (is_profilers) {
		own.ranges = mem_copy(f->ranges, f->count, sizeof(*f->ranges));
		/* They end before anything is asked for; the others keep their numbers. */
		for (size_t i = 0; i < f->count; i++) {
			if (is_profilers[i])
				own.ranges[i].end_ns = INT64_MIN;
		}
	}
	innermost_make(is_profilers ? &own : f, t->thread_keys.count, ret);
	if (!is_profilers)
		return;
	ret->own = own;
	ret->own.shared = false;
	ret->forest = NULL;
}

void innermost_free(struct innermost *in)
{
	range_forest_free(&in->own);
	for (int level = 0; level < INNERMOST_LEVELS; level++)
		free(in->latest[level]);
	free(in->begin);
	*in = (struct innermost){0};
}

/*
 * How many of the ranges from `low` up to `high` begin no later: counted from 0, not from `low`.
 * It is seldom far behind the guess.
 */
static size_t begun_near(const struct range_forest *f, size_t low, size_t high, int64_t at_ns,
			 size_t guess)
{
	if (guess > low && guess <= high) {
		if (f->ranges[guess - 1].start_ns <= at_ns)
			return GALLOP(guess, high, at, f->ranges[at].start_ns <= at_ns);
		high = guess - 1;
	}
	return BISECT(low, high, at, f->ranges[at].start_ns <= at_ns);
}

uint32_t innermost_find(const struct innermost *in, uint32_t thread, int64_t at_ns)
{
	size_t near = 0;

	return innermost_find_near(in, thread, at_ns, &near);
}

uint32_t innermost_find_near(const struct innermost *in, uint32_t thread, int64_t at_ns,
			     size_t *near)
{
	size_t first, i;
	int level = 0;

	if (thread >= in->thread_count)
		return RANGE_NONE;
	first = in->begin[thread];
	i = *near = begun_near(forest_of(in), first, in->begin[thread + 1], at_ns, *near);
	/* At each step all from i << bits on is known to end too early. */
	while (i << (level * FANOUT_BITS) > first) {
		if (end_at(in, level, i - 1) >= at_ns) {
			if (!level)
				return (uint32_t)(i - 1);
			i <<= FANOUT_BITS;
			level--;
		} else if ((--i & (FANOUT - 1)) == 0 && level < INNERMOST_LEVELS &&
			   in->latest[level]) {
			i >>= FANOUT_BITS;
			level++;
		}
	}
	return RANGE_NONE;
}

uint32_t innermost_move(const struct innermost *in, uint32_t thread, int64_t at_ns,
			struct innermost_cursor *c)
{
	c->found = innermost_find_near(in, thread, at_ns, &c->near);
	c->valid = thread < in->thread_count;
	c->thread = thread;
	c->from_ns = at_ns;
	c->to_ns = INT64_MAX;
	/* The next one begins later than the moment: there is one before it. */
	if (c->valid && c->near < in->begin[thread + 1])
		c->to_ns = forest_of(in)->ranges[c->near].start_ns - 1;
	if (c->found != RANGE_NONE && forest_of(in)->ranges[c->found].end_ns < c->to_ns)
		c->to_ns = forest_of(in)->ranges[c->found].end_ns;
	return c->found;
}

static int collect(const struct trace *t, const struct range_choice *choice,
		   struct range_forest *ret, struct err *e)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	size_t cap = 0;

	for (uint64_t i = 0; i < ev->count; i++) {
		struct range r = {.start_ns = ev->start_ns[i], .row = (uint32_t)i};
		int wanted;

		r.end_ns = sat_add(r.start_ns, ev->duration_ns[i]);
		r.thread = ev->thread[i];
		if (!nvtx_is_push_pop(ev->event_type[i]) || ev->name[i] == NAME_NONE ||
		    r.thread == ID_NONE || r.start_ns > choice->to_ns || r.end_ns < choice->from_ns)
			continue;
		wanted = choice->wants(choice->ctx, ev->name[i], e);
		if (wanted < 0)
			return -1;
		if (!wanted)
			continue;
		MEM_GROW(ret->ranges, cap, ret->count + 1);
		ret->ranges[ret->count++] = r;
	}
	return 0;
}

int picked_ranges_find(struct trace *t, const struct range_choice *choice,
		       struct picked_ranges *ret, struct err *e)
{
	const uint32_t columns =
		COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME) | COL_BIT(COL_EVENT_TYPE);
	const struct events *ev = &t->events[TRACE_NVTX];

	*ret = (struct picked_ranges){0};
	if (trace_load(t, TRACE_NVTX, columns, e) < 0)
		return -1;
	ranges_close_open(t);
	if (ev->start_ns && ev->duration_ns && ev->thread && ev->name && ev->event_type &&
	    collect(t, choice, &ret->forest, e) < 0) {
		picked_ranges_free(ret);
		return -1;
	}
	range_forest_sort(&ret->forest);
	innermost_make(&ret->forest, t->thread_keys.count, &ret->innermost);
	return 0;
}

void picked_ranges_free(struct picked_ranges *p)
{
	innermost_free(&p->innermost);
	range_forest_free(&p->forest);
	*p = (struct picked_ranges){0};
}
