/*
 * What happens in a job's collectives, once more: each rank enters its next one as long after
 * the one before as it did, and leaves it when all have entered and its own transfer is done. Where
 * compute goes on beside a collective, it is not its end that the next one comes after, but what
 * was begun with it; then the next waits for the end only as they share a stream.
 * Unchanged that is what was observed. With one rank's delays replaced by the usual ones it is what
 * the job would have done without that rank's being slow; a rank that only passes a wait on has
 * no delays of its own, and saves nothing.
 */
#ifndef FLEET_REPLAY_H
#define FLEET_REPLAY_H

#include "fleet/job/instances.h"

/* A rank in a collective. Times are the job's. */
struct replay_stop {
	uint32_t member;
	uint32_t kernel;  /* of the member's collectives */
	uint32_t before;  /* its stop before this; UINT32_MAX: this is its first */
	uint32_t follows; /* its latest stop of this communicator, which it has left before: one
			     stream has both; UINT32_MAX: none */
	bool is_beside;	  /* compute went on beside it */
	bool from_entry;  /* what it did between went on while it was in the one before */
	bool waited;	  /* it began as soon as it had left what it follows: it may have been
			     ready earlier */
	int64_t enter_ns, leave_ns;
	int64_t lag_ns;	      /* since it left the one before, or since it entered that */
	int64_t usual_lag_ns; /* of ranks with its role in this and in those like it elsewhere */
	int64_t gap_ns;	      /* if it waited: since it left what it follows; else 0 */
	int64_t slack_ns;     /* if it waited: by then it had been ready for so long, at least */
	int64_t transfer_ns;  /* from the last entry to its leaving; below 0: it left before that */
};

/* A collective that all members of its class have. */
struct replay_visit {
	uint32_t instance;	   /* of the instances */
	uint32_t first, count;	   /* stops */
	bool is_beside;		   /* compute went on beside it */
	int64_t last_ns;	   /* when the last one entered */
	int64_t usual_transfer_ns; /* of this and of those like it elsewhere */
};

struct replay {
	const struct job *job;
	const struct instances *x;
	struct replay_visit *visits; /* in order of their last entry */
	size_t count;
	struct replay_stop *stops; /* by visit */
	size_t stop_count;
	uint32_t *role; /* by member */
	uint32_t roles;
};

/* What is replaced. Arrays may be NULL: nothing is. */
struct replay_change {
	const bool *usual_lags;	     /* by member */
	const bool *usual_transfers; /* by class */
	const double *stretch;	     /* by member: its lags take so many times as long */
};

/* Of collectives whose last entry lies in `window`, a time of the job. */
void replay_make(const struct job *j, const struct instances *x, struct span window,
		 struct replay *ret);
void replay_free(struct replay *r);

/* How much earlier all would have left the last collective. `ends` by visit: when all had left it;
 * may be NULL. */
int64_t replay_saved_ns(const struct replay *r, const struct replay_change *c, int64_t *ends);

#endif
