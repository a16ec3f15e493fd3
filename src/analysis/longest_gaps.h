/* The longest of many gaps: there may be millions, of which a handful is shown. */
#ifndef ANALYSIS_LONGEST_GAPS_H
#define ANALYSIS_LONGEST_GAPS_H

#include "analysis/gaps.h"

/* Set `limit`, zero the rest. */
struct longest_gaps {
	uint64_t limit; /* 0: keeps all */
	struct gap *gaps;
	size_t count, cap;
	int64_t least_ns; /* gaps shorter than this are not among them */
};

void longest_gaps_add(struct longest_gaps *l, const struct gap *gap);
/* After the last one: the longest first, of equal ones the first that came. */
void longest_gaps_sort(struct longest_gaps *l);
void longest_gaps_free(struct longest_gaps *l);

#endif
