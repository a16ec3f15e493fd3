/* What the ranks of a replay would save, were some of them like the others. */
#ifndef ANALYSIS_REPLAY_SAVING_H
#define ANALYSIS_REPLAY_SAVING_H

#include "analysis/replay/replay.h"

/* Where a member computes, and how much, of as much time as is asked about. */
struct replay_place {
	uint64_t gpu; /* tells its GPU from others; 0: not known */
	double compute_ns;
};

struct replay_saving {
	/*
	 * Some share their GPU with others, to which their being late leaves more of it. What is
	 * saved lies between these bounds; saved_ns is their middle, which is a convention and no
	 * measurement: whoever reads it is to see the bounds, too.
	 */
	bool shares_gpu;
	double saved_ns, least_ns, most_ns;
};

/*
 * Of `time_ns`, which is as long as the replay or a part of it, such as a step. Members are in
 * order; `lag_ns` by stop is what lags would be, were they like the others. Places by member, or
 * NULL where nobody is to be asked about them.
 */
void replay_save(const struct replay *r, const uint32_t *who, uint32_t count, const int64_t *lag_ns,
		 const struct replay_place *places, double time_ns, struct replay_saving *ret);

#endif
