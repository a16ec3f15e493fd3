/*
 * Steps are alike, so that two queues may agree at several places, whole steps apart. What tells
 * which of them is right: both leave far more evenly there than anywhere else; both captures saw
 * the communicator being set up; UTC, as far as that is to be trusted. Otherwise nobody can tell,
 * and clocks are known to whole steps only.
 */
#ifndef FLEET_QUEUE_RIVALS_H
#define FLEET_QUEUE_RIVALS_H

#include "fleet/job/queue_pair.h"

/* Whether *at, where nearly nobody would look further, has no rival: a look around it tells. */
bool queue_rivals_none(const struct queue_pair *p, const struct queue_place *at);

/*
 * The place of all of b's kernels among all that agree. *ret_doubt_ns: how far from there clocks
 * would be at others that are as likely; 0: there are none. False: none agrees.
 */
bool queue_rivals_find(const struct queue_pair *p, int64_t expected, struct queue_place *ret,
		       double *ret_doubt_ns);

/*
 * Where b lies beside a, whether they belong together or not: captures begin at different steps.
 * That is where it is expected unless names of steps, its length or the clock of their machine say
 * otherwise.
 */
int64_t queue_rivals_likely(const struct queue_pair *p, int64_t expected);

/*
 * Whether both leave so much more evenly at one place than at another that this one is wrong; or
 * names of steps agree there, and differ here.
 */
bool queue_rivals_beat(const struct queue_pair *p, const struct queue_place *better,
		       const struct queue_place *other);

#endif
