/*
 * Which receives are posted ahead?
 *
 * Where each direction of a pair has its own communicator, programs post a receive before what they
 * compute meanwhile. Its kernel waits on a stream of its own: when it began says nothing of when
 * the rank needed the data, and it keeps nobody waiting.
 */
#include "analysis/replay/replay.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	SELDOM =
		10, /* one in so many collectives a receive that is posted ahead may come last in */
	BESIDE = 4, /* at least this part of its stays the rank computes meanwhile */
	STALLS = 2, /* of the rank, that end with one of them, at least */
};

/* A rank's stays in the collectives of two, summed up. */
struct stays {
	size_t known, last, stalls;
	int64_t ns, beside_ns, stall_ns;
};

static bool is_of_two(const struct replay *r, const struct replay_visit *v)
{
	return r->classes[v->class].type == COLL_SEND_RECV && v->count == 2 && !v->lost;
}

static void add_stay(struct stays *to, const struct replay_visit *v, const struct replay_entry *is)
{
	const int64_t ns = sat_sub(is->leave_ns, is->enter_ns);

	to->known++;
	to->last += is->enter_ns == v->last_ns;
	to->stalls += is->stall_ns > 0;
	to->ns = sat_add(to->ns, ns);
	to->beside_ns = sat_add(to->beside_ns, sat_sub(ns, is->exposed_ns));
	to->stall_ns = sat_add(to->stall_ns, is->stall_ns);
}

/*
 * It is there before the other, computes while it waits, and then has to wait for what comes, at
 * times at least: who sends and goes on does not.
 */
static bool posts_ahead(const struct stays *own, const struct stays *other)
{
	return own->known && SELDOM * own->last <= own->known &&
	       own->beside_ns >= own->ns / BESIDE && own->stalls >= STALLS &&
	       own->stall_ns > other->stall_ns;
}

void replay_find_ahead(struct replay *r)
{
	struct stays *all = mem_zalloc(2 * r->class_count, sizeof(*all));

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t n = 0; n < v->count && is_of_two(r, v); n++)
			add_stay(&all[2 * v->class + n], v, &r->stops[v->first + n].is);
	}
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];
		const struct stays *of = &all[2 * v->class];

		for (uint32_t n = 0; n < v->count && is_of_two(r, v); n++) {
			struct replay_stop *s = &r->stops[v->first + n];

			s->is_ahead =
				s->is.enter_ns < v->last_ns && posts_ahead(&of[n], &of[1 - n]);
		}
	}
	free(all);
}
