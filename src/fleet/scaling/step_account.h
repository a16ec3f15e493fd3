/*
 * Where the usual step of a job goes, over all its ranks: shares that sum up to it, to the
 * nanosecond. Waiting is apart from transferring, and what named stragglers cost apart from both.
 */
#ifndef FLEET_SCALING_STEP_ACCOUNT_H
#define FLEET_SCALING_STEP_ACCOUNT_H

#include "fleet/scaling/waits.h"
#include "fleet/stragglers/stragglers.h"

enum step_share {
	SHARE_COMPUTE,
	SHARE_TRANSFER,	  /* exposed communication, without waiting */
	SHARE_STRAGGLERS, /* what a step would be shorter, were they like the others */
	SHARE_IMBALANCE,  /* exposed waiting for other ranks, beyond that */
	SHARE_COPIES,	  /* exposed */
	SHARE_IDLE,
	STEP_SHARES,
};

struct step_account {
	int64_t step_ns;	 /* the usual one, as `fleet` has it */
	int64_t ns[STEP_SHARES]; /* which sum up to it */
	double unknown; /* share of the exposed communication of which nobody knows who waited */
};

/* Of a job whose members all have steps. */
void step_account_make(const struct stragglers *s, const struct member_waits *w,
		       struct step_account *ret);

/*
 * Whole numbers in proportion to the shares, which sum up to the total: the largest takes what
 * rounding leaves. All zero shares leave the total to SHARE_IDLE.
 */
void shares_fit(const double shares[STEP_SHARES], int64_t total, int64_t ret[STEP_SHARES]);

#endif
