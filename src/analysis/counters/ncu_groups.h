/*
 * Launches that Nsight Compute measured, summed up by kernel, or each by itself. What one launch
 * does not say is unknown of the sum; shares are means by time.
 */
#ifndef ANALYSIS_NCU_GROUPS_H
#define ANALYSIS_NCU_GROUPS_H

#include "ncu/ncu.h"

/* Which of a device's ceilings is the nearest at what a kernel does. */
enum { NCU_CEILING_DRAM = NCU_PATHS, NCU_CEILING_NONE };

struct ncu_group {
	struct str name, device_name;
	const struct ncu_kernel *longest; /* of its launches */
	size_t launches;
	double duration_ns;
	double ops[NCU_PATHS];
	double flops, dram_bytes;
	struct ncu_shares pct;
	double occupancy_pct, theoretical_pct;
	enum ncu_bound bound;
	double margin;
	double least_ns; /* what it would take at the nearest ceiling */
	int ceiling;	 /* which that is, of the launch that takes longest: a path, or one above */
};

struct ncu_groups {
	struct ncu_group *all; /* the most time first */
	size_t count;
	uint32_t *of_kernel; /* by kernel of the report */
	double duration_ns;  /* of those whose time is known */
};

void ncu_groups_make(struct ncu_groups *g, const struct ncu_report *r, bool each_launch);
void ncu_groups_free(struct ncu_groups *g);

/*
 * Numbers of the values, the largest first, unknown ones (NAN) last; equal ones stay in their
 * order. The caller frees it.
 */
uint32_t *ncu_order(const double *values, size_t count);
/* "DRAM" or a path's name; NULL for NCU_CEILING_NONE. */
const char *ncu_ceiling_name(int ceiling);
/* The path of most operations, or NCU_PATHS. */
enum ncu_path ncu_main_path(const double *ops);

#endif
