/* What all ranks of a trace would gain, were one of them like the others: by a replay. */
#ifndef ANALYSIS_STRAGGLER_GAIN_H
#define ANALYSIS_STRAGGLER_GAIN_H

#include "analysis/comm/straggler_sets.h"
#include "analysis/replay/replay_saving.h"

/*
 * Of `time_ns`, which the sets lie in. `compute_ns` by member is what it computed meanwhile.
 * Whoever asks has found the launches of the collectives.
 */
void straggler_gain(const struct collectives *c, const struct straggler_sets *sets,
		    const struct rank_map *ranks, const double *compute_ns, size_t member,
		    double time_ns, struct replay_saving *ret);

#endif
