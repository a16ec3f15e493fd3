/* The time of a step in a range, on both sides, as far as the account tells it. */
#ifndef DIFF_TABLES_PLACE_TIMES_H
#define DIFF_TABLES_PLACE_TIMES_H

#include "diff/diff.h"

/* Leaves of these classes (a bit each), with this act of the host (BLAMES: any), in ranges of a
 * name and those in them (NULL: anywhere). Memsets are no copies. */
struct place_part {
	unsigned classes;
	enum blame act;
	const char *place;
};

/*
 * Of a step. A range that one side has alone is told by what lies around it on both sides: somebody
 * may have put it there, or renamed it, and what is in it was there before. False: neither side has
 * any such leaf.
 */
bool place_times_find(const struct diff *d, const struct place_part *p, double ret_ns[SIDES]);
/* Of one side, in its own ranges. */
bool place_time_of(const struct side_runs *s, const struct place_part *p, double *ret_ns);

#endif
