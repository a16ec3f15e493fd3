/*
 * In which order does a rank come to its collectives?
 *
 * In that of their launches, which is the program's own, and the same on all ranks that run it: on
 * several streams, who has to wait there begins a collective later than one that it launched
 * afterwards.
 */
#include "analysis/replay/replay.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

struct ordering {
	const struct replay *r;
	int64_t *launched_ns; /* by stop */
};

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_entry(const void *a, const void *b, void *ctx)
{
	const struct ordering *o = ctx;
	const struct replay_stop *x = &o->r->stops[*(const uint32_t *)a];
	const struct replay_stop *y = &o->r->stops[*(const uint32_t *)b];
	const int order = compare(x->is.member, y->is.member);

	return order ? order : compare(x->is.enter_ns, y->is.enter_ns);
}

/* One that is lost is taken to be launched after that which the rank entered before it. */
static void find_launches(struct ordering *o)
{
	const struct replay *r = o->r;
	int64_t last_ns = INT64_MIN;

	for (size_t i = 0; i < r->stop_count; i++) {
		const uint32_t stop = r->order[i];
		const struct replay_entry *is = &r->stops[stop].is;

		if (!i || r->stops[r->order[i - 1]].is.member != is->member)
			last_ns = INT64_MIN;
		if (is->kernel != REPLAY_NONE)
			last_ns = sat_sub(is->enter_ns, is->queued_ns > 0 ? is->queued_ns : 0);
		o->launched_ns[stop] = last_ns;
	}
}

/* Those of a graph are launched together: they stay as they were entered. */
static int by_launch(const void *a, const void *b, void *ctx)
{
	const struct ordering *o = ctx;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const int order = compare(o->r->stops[i].is.member, o->r->stops[k].is.member);

	return order ? order : compare(o->launched_ns[i], o->launched_ns[k]);
}

void replay_find_order(struct replay *r)
{
	struct ordering o = {r, mem_alloc(r->stop_count, sizeof(*o.launched_ns))};

	r->order = mem_alloc(r->stop_count, sizeof(*r->order));
	for (uint32_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t k = v->first; k < v->first + v->count; k++)
			r->stops[k].visit = i;
	}
	for (uint32_t i = 0; i < r->stop_count; i++)
		r->order[i] = i;
	sort_stable(r->order, r->stop_count, sizeof(*r->order), by_entry, &o);
	find_launches(&o);
	sort_stable(r->order, r->stop_count, sizeof(*r->order), by_launch, &o);
	free(o.launched_ns);
}
