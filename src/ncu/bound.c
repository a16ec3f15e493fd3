/* What does a kernel spend its time on? */
#include "ncu/ncu.h"

#include <math.h>

const char *ncu_bound_name(enum ncu_bound b)
{
	static const char *const names[] = {
		[NCU_BOUND_UNKNOWN] = "unknown", [NCU_BOUND_COMPUTE] = "compute",
		[NCU_BOUND_DRAM] = "DRAM",	 [NCU_BOUND_L2] = "L2",
		[NCU_BOUND_L1] = "L1",		 [NCU_BOUND_MEMORY] = "memory",
		[NCU_BOUND_LATENCY] = "latency",
	};

	return names[b];
}

/* The share of all memory is that of its busiest part, but a part's own may be measured better. */
static enum ncu_bound memory_part(const struct ncu_shares *s)
{
	if (isnan(s->dram) || (isnan(s->l2) && isnan(s->l1)))
		return s->dram >= NCU_BUSY_PCT ? NCU_BOUND_DRAM : NCU_BOUND_MEMORY;
	/* Whatever comes from DRAM passes the caches: a busy DRAM is the reason, not they. */
	if (s->dram >= NCU_BUSY_PCT || (!(s->l2 > s->dram) && !(s->l1 > s->dram)))
		return NCU_BOUND_DRAM;
	return !(s->l2 < s->l1) ? NCU_BOUND_L2 : NCU_BOUND_L1;
}

enum ncu_bound ncu_bound_of(const struct ncu_shares *s, double *ret_margin)
{
	/* fmax() leaves out what is unknown. */
	double memory = isnan(s->memory) ? fmax(s->dram, fmax(s->l2, s->l1)) : s->memory;
	double most = fmax(s->sm, memory);

	*ret_margin = NAN;
	if (isnan(s->sm) || isnan(memory))
		return NCU_BOUND_UNKNOWN;
	if (most < NCU_BUSY_PCT) {
		*ret_margin = NCU_BUSY_PCT - most;
		return NCU_BOUND_LATENCY;
	}
	*ret_margin = fabs(s->sm - memory);
	return s->sm >= memory ? NCU_BOUND_COMPUTE : memory_part(s);
}
