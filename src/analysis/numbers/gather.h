/* The values that lie in a few ranges, put together: most of an array is of no more interest. */
#ifndef ANALYSIS_GATHER_H
#define ANALYSIS_GATHER_H

#include "analysis/numbers/offsets.h"

enum { GATHER_RANGES = 3, GATHER_PIECE = 1 << 18 };

/* Offsets from low[k] on, size[k] of them. A range that nobody needs has none. */
struct gather_ranges {
	uint64_t low[GATHER_RANGES], size[GATHER_RANGES];
};

/*
 * Copies what lies in the ranges, in its order, to `out`. `begin` says for every GATHER_PIECE
 * values where those of them go: all cores copy at once. Quick where few do.
 */
void offsets_gather(const struct offsets *values, size_t n, const struct gather_ranges *in,
		    const size_t *begin, void *out);

#endif
