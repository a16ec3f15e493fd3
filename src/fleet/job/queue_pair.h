/*
 * The kernels of two queues that are held against each other, on whatever clocks they have: which
 * of one may be the same collective as which of the other?
 */
#ifndef FLEET_QUEUE_PAIR_H
#define FLEET_QUEUE_PAIR_H

#include "fleet/job/instances.h"

/* Of two queues' kernels that are looked at to find a place. */
enum { QUEUE_SAMPLES = 512 };
/* That UTC of captures of one machine is wrong by, at most. */
#define QUEUE_MACHINE_NS 1e6

/* `b` is to be matched with `a`. */
struct queue_pair {
	const struct job *job;
	const struct instance_queue *a, *b;
	int64_t shift_ns; /* from b's clock to a's, as UTC has it; else from their first kernels */
	bool has_utc;
	bool one_machine; /* which has one clock, as far as UTC of both is right */
	bool together;	  /* on one clock … */
	bool by_clock;	  /* … which is the job's: those of both are known */
	double doubt_ns;  /* how well */
	bool leaves_early;
	bool by_name; /* they have a name in common, and no communicator that is known */
};

/* Where one follows the other without a gap: b's kernel j is a's kernel j + place. */
struct queue_place {
	size_t first, count; /* of b's kernels: those that say so */
	int64_t place;
	double far_ns;	      /* how far from what is expected the clocks are then */
	struct clock_fit fit; /* of the clocks; not known where collectives are left early */
};

/* Neither is empty. */
void queue_pair_init(struct queue_pair *p, const struct job *j, const struct instance_queue *a,
		     const struct instance_queue *b, bool leaves_early);
/* Believes the clocks of both captures from now on. False: they are not known. */
bool queue_pair_by_clock(struct queue_pair *p);

static inline int64_t queue_pair_fewer(const struct queue_pair *p)
{
	return (int64_t)(p->a->count < p->b->count ? p->a->count : p->b->count);
}

/* What a's kernel i and b's kernel j say about the clocks, if they are one collective. */
void queue_pair_bound(const struct queue_pair *p, size_t i, size_t j, struct clock_bound *ret);

/*
 * The place at which `count` of b's kernels from `first` on agree with a's; of several that do the
 * one at which clocks are nearest to UTC. `even`: there are as many of both, so that `expected` is
 * believed. False: none agrees.
 */
bool queue_pair_find(const struct queue_pair *p, size_t first, size_t count, int64_t expected,
		     bool even, struct queue_place *ret);
/* The same, if that is the place that is expected, and nobody would look further. */
bool queue_pair_expect(const struct queue_pair *p, size_t first, size_t count, int64_t expected,
		       bool even, struct queue_place *ret);
/* The place at which a's kernel began when b's kernel `first` did, by UTC. */
int64_t queue_pair_by_time(const struct queue_pair *p, size_t first);
/* The place of b's kernel `j` by the clocks of both alone: a's kernel that is over with it. */
void queue_pair_find_by_clock(const struct queue_pair *p, size_t j, struct queue_place *ret);

#endif
