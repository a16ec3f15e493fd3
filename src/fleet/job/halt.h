/*
 * A job whose last collectives never ended. No capture has their kernels: what is known is which
 * calls of NCCL, or launches, no kernel came of, and that GPUs did nothing from then on. Who did
 * nothing either, and called nothing, is who the others wait for. Where hang.h sees kernels that
 * ended at last, it knows more.
 */
#ifndef FLEET_HALT_H
#define FLEET_HALT_H

#include "fleet/job/instances.h"

enum halt_state {
	HALT_OTHER, /* it went on, or nothing is known of it */
	HALT_WAITS, /* in a call that no kernel came of, for longer than usual */
	HALT_IDLE,  /* its GPU does nothing, and it has called nothing */
	HALT_GONE,  /* its capture was over when others began to wait */
	HALT_CUT,   /* its capture lacks GPU work at its end: it tells nothing about that */
	HALT_STATES,
};

struct halt {
	enum halt_state *state;	   /* by member */
	int64_t *number;	   /* by member that waits: the how manieth collective; -1 */
	size_t count[HALT_STATES]; /* members */
	bool has_since;		   /* of a member that waits the clock is known: … */
	int64_t since_ns;	   /* … of the first call of such, on the job's clock … */
	uint32_t first;		   /* … and who made it; else one that waits */
};

/* After clocks are set. No rank waits: there is no halt. */
void halt_find(const struct job *j, const struct instances *x, struct halt *ret);
void halt_free(struct halt *h);

/* How long a member's capture goes on after a moment of its own clock. */
int64_t halt_goes_on(const struct job *j, uint32_t member, int64_t own_ns);

#endif
