/* Exact aggregates of many values by group: the arithmetic behind every table of totals. */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include "analysis/numbers/by_group.h"

struct summary {
	uint64_t count;
	int64_t total, min, max;
	double mean;
	double p50, p90, p99; /* linear interpolation at q·(n−1) */
	double stddev;	      /* of a sample: n−1; 0 for one value */
};

/* values[i] belongs to group[i] < groups. Fills out[0..groups); an empty group has count 0. */
void summarize(const int64_t *values, const uint32_t *group, size_t n, size_t groups,
	       struct summary *out);

/* The same where the values are values[pick[i]]. */
void summarize_picked(const int64_t *values, const uint32_t *pick, const uint32_t *group, size_t n,
		      size_t groups, struct summary *out);

/* The same for values that lie together already (see by_group_make()), which are used up by that.
 */
void summarize_by_group(struct by_group *values, struct summary *out);

/* Their medians alone, which leaves them as they are; 0 where a group is empty. */
void medians_by_group(const struct by_group *values, double *out);

/* A value, and how often it is there. */
struct counted_value {
	int64_t value;
	uint64_t count;
};

/*
 * The same of values that are counted, ascending, each once: to the digit what all of them in a row
 * would have. Empty: all of it is 0.
 */
struct summary summarize_counted(const struct counted_value *values, size_t n);

/* The quantile of sorted values. */
double quantile(const int64_t *sorted, size_t n, double q);

#endif
