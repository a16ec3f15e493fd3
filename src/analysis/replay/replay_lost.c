/* When did a rank come to a collective whose kernel its capture lost, and when did it leave? */
#include "analysis/replay/replay.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"

#include <stdlib.h>

/* A transfer that takes so many times as long as the usual one, and longer by so much, waited. */
static const double longer = 1.1;
static const int64_t longer_ns = 20000;

/* From the last entry to the last leaving, where nothing is lost. */
struct transfer {
	uint32_t class;
	int64_t bytes, ns;
};

static int by_size(const void *a, const void *b, void *ctx)
{
	const struct transfer *x = a, *y = b;

	(void)ctx;
	if (x->class != y->class)
		return x->class > y->class ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? 1 : -1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* What the ranks say whose kernels are there. */
static struct transfer measure(const struct replay *r, const struct replay_visit *v)
{
	struct transfer t = {.class = v->class, .bytes = -1};
	int64_t last_ns = INT64_MIN;

	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		const struct replay_entry *k = &r->stops[i].is;

		if (k->kernel == REPLAY_NONE)
			continue;
		t.bytes = k->bytes;
		last_ns = k->leave_ns > last_ns ? k->leave_ns : last_ns;
	}
	t.ns = sat_sub(last_ns, v->last_ns);
	return t;
}

static struct transfer *list_whole(const struct replay *r, size_t *ret_count)
{
	struct transfer *all = mem_alloc(r->count, sizeof(*all));

	*ret_count = 0;
	for (size_t i = 0; i < r->count; i++) {
		if (!r->visits[i].lost)
			all[(*ret_count)++] = measure(r, &r->visits[i]);
	}
	sort_stable(all, *ret_count, sizeof(*all), by_size, NULL);
	return all;
}

/* The median of those of the same class and size; what it takes itself where there is none. */
static int64_t usual_ns(const struct transfer *all, size_t count, const struct transfer *of)
{
	const struct transfer first = {of->class, of->bytes, INT64_MIN};
	const struct transfer last = {of->class, of->bytes, INT64_MAX};
	const size_t begin = BISECT(0, count, i, by_size(&all[i], &first, NULL) < 0);
	const size_t end = BISECT(begin, count, i, by_size(&all[i], &last, NULL) <= 0);

	return begin < end ? all[begin + (end - begin - 1) / 2].ns : of->ns;
}

/* Nobody leaves before the last has come: who is not there is that one, or came before it. */
static void place(struct replay *r, struct replay_visit *v, const struct transfer *own,
		  int64_t usual)
{
	const int64_t end_ns = sat_add(v->last_ns, own->ns);
	const bool came_last =
		(double)own->ns > longer * (double)usual && sat_sub(own->ns, usual) > longer_ns;

	if (came_last)
		v->last_ns = sat_sub(end_ns, usual);
	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		struct replay_stop *s = &r->stops[i];

		if (s->is.kernel != REPLAY_NONE)
			continue;
		s->is.enter_ns = v->last_ns;
		s->is.leave_ns = end_ns;
		s->is.bytes = own->bytes;
		/* Of several nobody knows which one was the last. */
		s->in_doubt = !came_last || v->lost > 1;
	}
}

void replay_place_lost(struct replay *r)
{
	size_t count, lost = 0;
	struct transfer *whole;

	for (size_t i = 0; i < r->count; i++)
		lost += r->visits[i].lost;
	if (!lost)
		return;
	whole = list_whole(r, &count);
	for (size_t i = 0; i < r->count; i++) {
		struct replay_visit *v = &r->visits[i];
		struct transfer own;

		if (!v->lost)
			continue;
		own = measure(r, v);
		place(r, v, &own, usual_ns(whole, count, &own));
	}
	free(whole);
}
