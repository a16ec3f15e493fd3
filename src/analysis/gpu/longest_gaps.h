/* The longest of many gaps: there may be millions, of which a handful is shown. */
#ifndef ANALYSIS_LONGEST_GAPS_H
#define ANALYSIS_LONGEST_GAPS_H

#include "analysis/gpu/gaps.h"

/* How short a gap is too short, as several that look at once have found out; begins as 0. */
typedef _Atomic int64_t gap_floor;

/* Set `limit` and `floor`, zero the rest. */
struct longest_gaps {
	uint64_t limit;	  /* 0: keeps all */
	gap_floor *floor; /* of all whose gaps will be one list; not needed where all are kept */
	struct gap *gaps;
	size_t count, cap;
	struct gap least; /* those that come after it are not among them */
	bool has_least;
};

void longest_gaps_add(struct longest_gaps *l, const struct gap *gap);
/* Those of another, which came after these. */
void longest_gaps_add_all(struct longest_gaps *l, const struct longest_gaps *more);
/* After the last one: the longest first, of equal ones the earliest. */
void longest_gaps_sort(struct longest_gaps *l);
void longest_gaps_free(struct longest_gaps *l);

#endif
