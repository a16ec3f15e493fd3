/*
 * What names of steps say about two queues: a collective that is launched in 'step 17' of one rank
 * is launched in 'step 17' of the other. Names are the program's own, and a rank may count its own
 * steps: this counts only where what ranks do does not tell.
 */
#ifndef FLEET_QUEUE_NAMES_H
#define FLEET_QUEUE_NAMES_H

#include "fleet/job/queue_pair.h"

enum queue_names {
	NAMES_SILENT, /* they count nothing, or not on both sides */
	NAMES_AGREE,
	NAMES_DIFFER,
};

enum queue_names queue_names_at(const struct queue_pair *p, int64_t place);
/* The place at which steps of one name begin together, if they agree then. False: there is none. */
bool queue_names_find(const struct queue_pair *p, int64_t *ret);

#endif
