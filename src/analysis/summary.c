/* What are the total, the mean, the spread and the exact percentiles of each group? */
#include "analysis/summary.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct buckets {
	int64_t *values; /* group by group */
	size_t *begin;	 /* groups + 1 entries */
	struct summary *out;
};

double quantile(const int64_t *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;
	double part = at - (double)i;

	if (i + 1 >= n || part == 0)
		return (double)sorted[i];
	return (double)sorted[i] + part * ((double)sorted[i + 1] - (double)sorted[i]);
}

static int64_t saturate(__int128 x)
{
	return x > INT64_MAX ? INT64_MAX : x < INT64_MIN ? INT64_MIN : (int64_t)x;
}

/*
 * Deviations from the whole mean are small integers for real data, so that their squares are summed
 * exactly; only values years apart fall back to floating point.
 */
static double sample_deviation(const int64_t *sorted, size_t n, __int128 total)
{
	const int64_t whole_mean = (int64_t)(total / (__int128)n);
	const __int128 exact_limit = (__int128)1 << 47;
	__int128 squares = 0, offset = 0;
	double inexact = 0;

	if (n < 2)
		return 0;
	if ((__int128)sorted[n - 1] - sorted[0] >= exact_limit) {
		double mean = (double)total / (double)n;

		for (size_t i = 0; i < n; i++)
			inexact += ((double)sorted[i] - mean) * ((double)sorted[i] - mean);
		return sqrt(inexact / (double)(n - 1));
	}
	for (size_t i = 0; i < n; i++) {
		int64_t d = sorted[i] - whole_mean;

		offset += d;
		squares += (__int128)d * d;
	}
	return sqrt(((double)squares - (double)offset * (double)offset / (double)n) /
		    (double)(n - 1));
}

static struct summary summarize_sorted(const int64_t *v, size_t n)
{
	struct summary s = {.count = n};
	__int128 total = 0;

	for (size_t i = 0; i < n; i++)
		total += v[i];
	s.total = saturate(total);
	s.min = v[0];
	s.max = v[n - 1];
	s.mean = (double)total / (double)n;
	s.p50 = quantile(v, n, 0.5);
	s.p90 = quantile(v, n, 0.9);
	s.p99 = quantile(v, n, 0.99);
	s.stddev = sample_deviation(v, n, total);
	return s;
}

static int summarize_groups(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct buckets *b = ctx;

	(void)worker;
	(void)e;
	for (size_t g = begin; g < end; g++) {
		size_t n = b->begin[g + 1] - b->begin[g];
		int64_t *v = b->values + b->begin[g], *scratch;

		b->out[g] = (struct summary){0};
		if (!n)
			continue;
		scratch = mem_alloc(n, sizeof(*scratch));
		sort_i64(v, scratch, n);
		free(scratch);
		b->out[g] = summarize_sorted(v, n);
	}
	return 0;
}

void summarize(const int64_t *values, const uint32_t *group, size_t n, size_t groups,
	       struct summary *out)
{
	summarize_picked(values, NULL, group, n, groups, out);
}

void summarize_picked(const int64_t *values, const uint32_t *pick, const uint32_t *group, size_t n,
		      size_t groups, struct summary *out)
{
	struct buckets b = {.out = out, .begin = mem_zalloc(groups + 2, sizeof(*b.begin))};
	size_t *fill = b.begin + 1; /* filling moves each group's begin to its end: b.begin */
	struct err never;

	for (size_t i = 0; i < n; i++) {
		if (group[i] != GROUP_NONE)
			fill[group[i] + 1]++;
	}
	for (size_t g = 1; g <= groups; g++)
		fill[g] += fill[g - 1];
	b.values = mem_alloc(fill[groups], sizeof(*b.values));
	for (size_t i = 0; i < n; i++) {
		if (group[i] != GROUP_NONE)
			b.values[fill[group[i]]++] = values[pick ? pick[i] : i];
	}
	parallel_for(groups, 1, summarize_groups, &b, &never);
	free(b.values);
	free(b.begin);
}
