/* How likely a count is by chance alone. */
#ifndef ANALYSIS_CHANCE_H
#define ANALYSIS_CHANCE_H

#include <stdint.h>

/* That of `n` independent draws, each a hit with probability `p`, at least `hits` are hits. */
double chance_at_least(uint64_t n, uint64_t hits, double p);

#endif
