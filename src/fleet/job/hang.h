/*
 * A job that came to a halt: who waits for whom? At the end a rank is in a collective that others
 * never come to, or in none. Who is in none, and others wait for it, is to blame; who is in one
 * only passes that on. Where all of them wait for each other, they came to their collectives in
 * another order.
 */
#ifndef FLEET_HANG_H
#define FLEET_HANG_H

#include "fleet/job/instances.h"

#define HANG_NOBODY UINT32_MAX

/* A collective that ranks are in until the end, far longer than in any before. */
struct hang_wait {
	uint32_t class;	  /* of the instances */
	int64_t k;	  /* the how manieth of it */
	int64_t since_ns; /* when the first one entered, on the job's clock */
	size_t first_inside, inside;
	size_t first_absent,
		absent;	   /* those that did not come, though they came to the one before */
	bool others;	   /* ranks that there is no capture of at that time belong to it, too */
	bool sizes_differ; /* those that came have different sizes */
	uint32_t level;	   /* 1: for who is to blame; 2: for those who wait in such; … */
};

enum hang_cause {
	HANG_NONE,
	HANG_STOPPED,	 /* ranks come to no collective any more */
	HANG_ORDER,	 /* ranks wait for each other */
	HANG_SIZES,	 /* ranks are in one collective with different sizes */
	HANG_NO_CAPTURE, /* ranks wait for one that there is no capture of */
};

struct hang {
	enum hang_cause cause;
	struct hang_wait *waits; /* in order of time */
	size_t wait_count;
	uint32_t *inside, *absent; /* members, which the waits have */
	uint32_t *roots;	   /* members that are to blame, in order */
	size_t root_count;
	uint32_t
		*level; /* by member: 0 is a root, HANG_NOBODY does not wait; else as of its wait */
};

/* After clocks are set. */
void hang_find(const struct job *j, const struct instances *x, struct hang *ret);
void hang_free(struct hang *h);

#endif
