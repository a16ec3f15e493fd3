/*
 * The members of all parts as one job: by rank, each with its part and its clock. What the parts
 * are does not depend on the order in which they come.
 */
#ifndef FLEET_JOB_H
#define FLEET_JOB_H

#include "base/err.h"
#include "base/idmap.h"
#include "fleet/clock.h"
#include "fleet/part.h"

#include <math.h>

/* A capture's time as one that all captures share: that of the reference, which is the first part.
 */
struct job_clock {
	bool known;	   /* collectives tell, or by_utc; else UTC, if that */
	int64_t shift_ns;  /* what is known before: from UTC, else from the first collective */
	int64_t origin_ns; /* where the fit's time is 0 */
	struct clock_fit fit;
	double turn_ns;	       /* of it, from not knowing the drift; see clock.h */
	double uncertainty_ns; /* against the reference, whatever lies between; INFINITY */
	double likely_ns;      /* it is hardly wrong by more than that, as far as ranks leave
				  collectives together, or UTC is right */
	uint32_t island;       /* those with the same number are known against each other … */
	double steps_ns; /* … and are apart from the reference by whole steps more or less, up
			    to that: in uncertainty_ns, too */
	bool early;	 /* it shares with others only what some leave before they come, … */
	bool by_utc;	 /* … and UTC of its machine is believed */
	bool beyond_utc; /* UTC of one machine has it elsewhere, where collectives allow it but
			    ranks would leave none of them together: it is not believed */
};

struct job_part {
	const struct part *part;
	struct job_clock clock;
};

struct job_member {
	const struct part_member *is;
	uint32_t part;	/* of the job's parts */
	uint32_t node;	/* counts from 0 in order of ranks; PART_NO_NUMBER */
	uint32_t local; /* its place on its node; PART_NO_NUMBER */
	uint64_t gpu;	/* tells its GPU from others; 0: not known */
};

struct job {
	struct job_part *parts; /* by the lowest rank in them */
	size_t part_count;
	struct job_member *members; /* by rank */
	size_t member_count;
	uint32_t node_count; /* 0: not known of all */
	uint32_t world;	     /* ranks that there should be, … */
	bool world_known;    /* … as something says; else there may be more */
	uint32_t first_rank; /* 0, or 1 where files alone tell, and count from 1 */
	size_t missing;	     /* of them */
	size_t others;	     /* processes that use a GPU and are no rank */
	double drift_max;    /* that its clocks may have, while they are set; see clock.h */
};

/* ERR_INPUT: the parts are no job, but doubles or a mixture; absent: nothing says which ranks these
 * are. */
int job_make(const struct part *const *parts, size_t count, struct job *ret, struct err *e);
void job_free(struct job *j);

static inline int64_t job_time(const struct job *j, uint32_t part, int64_t ns)
{
	const struct job_clock *c = &j->parts[part].clock;
	const double at = (double)sat_sub(ns, c->origin_ns);

	return sat_add(sat_add(ns, c->shift_ns),
		       sat_of_double(round(clock_offset_ns(&c->fit, at))));
}

/* By how many whole steps, in time, two parts may be apart from what is known of them. */
static inline double job_steps_doubt_ns(const struct job *j, uint32_t a, uint32_t b)
{
	const struct job_clock *x = &j->parts[a].clock, *y = &j->parts[b].clock;

	return x->island == y->island ? 0 : x->steps_ns + y->steps_ns;
}

/* By how much times of two parts may be wrong against each other, that included. */
static inline double job_doubt_ns(const struct job *j, uint32_t a, uint32_t b)
{
	const struct job_clock *x = &j->parts[a].clock, *y = &j->parts[b].clock;

	if (a == b)
		return 0;
	return x->uncertainty_ns - x->steps_ns + y->uncertainty_ns - y->steps_ns +
	       job_steps_doubt_ns(j, a, b);
}

#endif
