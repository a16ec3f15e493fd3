/*
 * What happens in the collectives of several ranks, once more: each rank enters its next one as
 * long after the one before as it did, in the order of their launches, and leaves it when all have
 * entered and its own transfer is done. Where compute goes on beside a collective, it is not its
 * end that the next one comes after, but when the rank was ready for it, as compute went on from
 * there even if the collective had to wait for its stream; then the next waits for the end as they
 * share a stream, or as the GPU had to wait for what it brings in between. Unchanged that is what
 * was observed. With one rank's delays replaced by the usual ones it is what the ranks would have
 * done without that rank's being slow; a rank that only passes a wait on has no delays of its own,
 * and saves nothing.
 *
 * Which kernels are one collective, and where clocks lie, is known to who fills it in: ranks of one
 * trace, or those of many captures.
 */
#ifndef ANALYSIS_REPLAY_H
#define ANALYSIS_REPLAY_H

#include "analysis/replay/roles.h"
#include "base/saturate.h"

#define REPLAY_NONE UINT32_MAX /* no stop, no kernel, nobody */

/* A rank's kernel in a collective. Times are those of a clock that all ranks share. */
struct replay_entry {
	uint32_t member;
	uint32_t kernel; /* whatever it is called by who fills it in; REPLAY_NONE: it is lost, and
			    nothing else is known but its member and class */
	uint32_t class;	 /* of the member's own */
	int64_t enter_ns, leave_ns;
	int64_t exposed_ns; /* of it, with no compute beside it on this GPU */
	int64_t idle_ns;    /* before it, with neither compute nor a copy on this GPU */
	int64_t stall_ns;   /* by its end, since this GPU computed, which it did again at once then;
			       else 0 */
	int64_t queued_ns;  /* since its launch returned; 0: not known */
	int64_t blocked_ns; /* its host was held up by a full queue until then, summed up */
	int64_t bytes;	    /* below 0: not known */
};

/* Between two collectives of a rank: it went on when it had left another, which it had to wait for.
 */
struct replay_wait {
	uint32_t stop;	  /* of that */
	int64_t after_ns; /* what it did from there to the next wait, or until it was ready */
};

/* A rank in a collective. */
struct replay_stop {
	struct replay_entry is;
	uint32_t visit;
	uint32_t before; /* its last anchor before this, in the order of launches; REPLAY_NONE: this
			    is its first */
	int64_t due_ns;	 /* neither it nor one that is launched after it began earlier: what it
			    depends on had happened by then */
	uint32_t follows; /* its latest stop of this communicator, which it has left before: one
			     stream has both; REPLAY_NONE: none */
	uint32_t base;	  /* before this: the latest that its host launched with nothing left to do
			     on the GPU, since when it has waited for none of it; REPLAY_NONE: not
			     known, or it waited just now */
	bool from_entry;  /* what it did between went on while it was in the one before */
	bool waited;	  /* it began as soon as it had left what it follows: it may have been
			     ready earlier */
	int64_t ready_ns; /* when it would have begun, had its stream been free: if it waited, by
			     then at the latest, and as soon as is usual */
	bool is_ahead;	  /* a receive that was posted ahead: it was there before it was needed, and
			     nothing is counted from it, or late by it */
	bool is_anchor;	  /* others are counted from here: it did not wait, as most like it */
	bool is_counted;  /* what it is late by is not in what a later one is late by */
	bool in_doubt;	  /* a kernel is lost: when it came, or how long after the one before, is
			     not known */
	int64_t lag_ns;	  /* until it was ready, since it left the one before, or since it was ready
			     for that, without its waits */
	uint32_t first_wait, waits;
	int64_t waited_ns;    /* in these */
	int64_t host_ns;      /* what its host took for that while the GPU waited; 0: not known */
	int64_t usual_lag_ns; /* of ranks with its role in this and in those like it elsewhere */
	int64_t gap_ns;	      /* if it waited: since it left what it follows; else 0 */
	int64_t transfer_ns;  /* from the last entry to its leaving; below 0: it left before that */
};

/* A collective. */
struct replay_visit {
	uint32_t class;
	uint32_t number;	   /* counts in its class */
	uint32_t instance;	   /* whatever it is called by who fills it in */
	uint32_t first, count;	   /* stops */
	uint32_t lost;		   /* of these */
	bool is_beside;		   /* compute went on beside it */
	int64_t last_ns;	   /* when the last one entered */
	int64_t usual_transfer_ns; /* of this and of those like it elsewhere */
};

struct replay {
	const struct replay_class *classes;
	size_t class_count, member_count;
	struct replay_visit *visits; /* in order of their last entry */
	size_t count, cap;
	struct replay_stop *stops; /* those of a visit one after another */
	size_t stop_count, stop_cap;
	uint32_t *order; /* all stops, by when they are due; those of a member as it came to them */
	struct replay_wait *waits; /* those of a stop one after another, in order of time */
	size_t wait_count, wait_cap;
	struct roles roles;
};

/* When its host launched it; INT64_MIN: not known. */
static inline int64_t replay_launched_ns(const struct replay_stop *s)
{
	return s->is.queued_ns > 0 && s->is.kernel != REPLAY_NONE
		       ? sat_sub(s->is.enter_ns, s->is.queued_ns)
		       : INT64_MIN;
}

/* What its host took from one launch to the other, but where the GPU held it up; both are known. */
static inline int64_t replay_host_ns(const struct replay_stop *from, const struct replay_stop *to)
{
	return sat_sub(sat_sub(replay_launched_ns(to), replay_launched_ns(from)),
		       sat_sub(to->is.blocked_ns, from->is.blocked_ns));
}

/* What it took itself longer than usual; below 0: shorter. */
static inline int64_t replay_late_ns(const struct replay_stop *s)
{
	return sat_sub(s->lag_ns > s->host_ns ? s->lag_ns : s->host_ns, s->usual_lag_ns);
}

/* How long a rank waits in a collective for the last to come: who has left waits no longer. */
static inline int64_t replay_wait_ns(const struct replay_visit *v, const struct replay_entry *is)
{
	const int64_t until_ns = is->leave_ns < v->last_ns ? is->leave_ns : v->last_ns;

	return until_ns > is->enter_ns ? sat_sub(until_ns, is->enter_ns) : 0;
}

/* What is replaced. Arrays may be NULL: nothing is. */
struct replay_change {
	const bool *usual_lags;	     /* by member */
	const bool *usual_transfers; /* by class */
	const double *stretch;	     /* by member: its lags take so many times as long */
	const int64_t *lag_ns;	     /* by stop: its lag */
	bool of_longest; /* what that is shorter by is taken from the longest of what a rank does
			    between its waits, as a stall is, and not from all of it */
};

/* Classes stay the caller's, and are there as long as the replay is. */
void replay_begin(struct replay *ret, const struct replay_class *classes, size_t class_count,
		  size_t member_count);
/*
 * A collective, of which at least one entry is known. A kernel that is lost left with the others,
 * and came last where the transfer would have been too long otherwise.
 */
void replay_add(struct replay *r, const struct replay_visit *is, const struct replay_entry *entries,
		uint32_t count);
/* All are added. Stages by member, as labels say, or NULL. */
void replay_end(struct replay *r, const uint32_t *stage);
void replay_free(struct replay *r);

/* How much earlier all would have left the last collective. `ends` by visit: when all had left it;
 * may be NULL. */
int64_t replay_saved_ns(const struct replay *r, const struct replay_change *c, int64_t *ends);
/* The same, of all the time from the first collective on, which nobody is late for, to the last. */
double replay_saved_share(const struct replay *r, const struct replay_change *c);

struct replay_uses;

/* Within the room: lost entries, then all stops, once visits are in order; then what is usual. */
void replay_place_lost(struct replay *r);
/*
 * Whether what follows a stop did not wait for its end. What is sent to a rank it needs: once
 * nothing is left to compute beside it, what follows is held up by it.
 */
bool replay_goes_on_beside(const struct replay *r, const struct replay_stop *s);
void replay_find_ahead(struct replay *r);
void replay_find_order(struct replay *r);
void replay_find_follows(struct replay *r);
void replay_place_stops(struct replay *r);
void replay_find_anchors(struct replay *r, const struct replay_uses *u);
void replay_find_waits(struct replay *r);
void replay_set_usual(struct replay *r, const struct replay_uses *u);
/* Once lags are known: waits for what came before it was needed, as such that were seen tell. */
void replay_find_needs(struct replay *r);
/* Stops that are alike on ranks of one role have the same: the n-th of a visit. */
uint64_t replay_kind_of(const struct replay *r, const struct replay_uses *u,
			const struct replay_visit *v, uint32_t n);
/* The lower of two in the middle: what half of them are slower than is not usual. */
int64_t replay_lower_median(int64_t *values, int64_t *scratch, size_t n);

#endif
