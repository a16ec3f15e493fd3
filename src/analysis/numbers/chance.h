/* How likely a count is by chance alone. */
#ifndef ANALYSIS_CHANCE_H
#define ANALYSIS_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/* That of `n` independent draws, each a hit with probability `p`, at least `hits` are hits. */
double chance_at_least(uint64_t n, uint64_t hits, double p);

/* That of `n` things, `marked` of which are hits, `drawn` at once have at least `hits` of these. */
double chance_at_least_drawn(uint64_t n, uint64_t marked, uint64_t drawn, uint64_t hits);

/*
 * The least of those values that make up a share of the sum of all, the largest first: what is
 * less is too little for chance to be told from anything else. Values are not negative.
 */
int64_t chance_least_that_counts(const int64_t *values, size_t n, double share);

#endif
