/* How large is the shift, if it is told by how else the labels could have been dealt? */
#include "statistics/permutation.h"

#include "base/mem.h"
#include "base/sort.h"
#include "statistics/random.h"
#include "statistics/welch.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* One entry for each way to deal the labels but the one seen. */
struct ways {
	int64_t *typical; /* as keys that sort */
	size_t count, as_far;
	double shift, per_sum; /* seen; what a sum that changes sides changes of it */
	double rounding;       /* that shifts may be wrong by: values are large beside them */
};

static double rounding_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(values[i]);
	return 1e-14 * sum;
}

/* `sum` changes sides, of `k` values of each, or of `k` pairs. */
static void add_way(struct ways *w, double sum, size_t k)
{
	/* Ways that are the same but for rounding count as the same. */
	w->as_far += fabs(w->shift - sum * w->per_sum) >= fabs(w->shift) - w->rounding;
	w->typical[w->count++] = sort_key_of_double(sum / (double)k);
}

/* The sums of all subsets, by the bits of the subset. */
static double *new_subset_sums(const double *values, size_t n)
{
	double *sums = mem_alloc((size_t)1 << n, sizeof(*sums));

	sums[0] = 0;
	for (size_t set = 1; set < (size_t)1 << n; set++)
		sums[set] = sums[set & (set - 1)] + values[__builtin_ctzl(set)];
	return sums;
}

static size_t ways_to_choose(size_t n, size_t k)
{
	size_t ways = 1;

	for (size_t i = 1; i <= k; i++)
		ways = ways * (n - k + i) / i;
	return ways;
}

static void try_all(const double *a, size_t na, const double *b, size_t nb, struct ways *w)
{
	SCOPED double *of_a = new_subset_sums(a, na), *of_b = new_subset_sums(b, nb);

	w->typical = mem_alloc(ways_to_choose(na + nb, na), sizeof(*w->typical));
	for (size_t i = 1; i < (size_t)1 << na; i++) {
		const int k = __builtin_popcountl(i);

		for (size_t j = 1; j < (size_t)1 << nb; j++) {
			if (__builtin_popcountl(j) == k)
				add_way(w, of_b[j] - of_a[i], (size_t)k);
		}
	}
}

/* Deals labels to all at random: what of `a` became `b`, and the other way round. */
static size_t deal(struct random *r, const double *a, size_t na, const double *b, size_t nb,
		   size_t *places, double *ret_sum)
{
	double from_a = 0, from_b = 0;
	size_t k = 0;

	for (size_t i = 0; i < na; i++) {
		const size_t other = i + random_below(r, na + nb - i), place = places[other];

		places[other] = places[i];
		places[i] = place;
		if (place >= na) {
			from_b += b[place - na];
			k++;
		}
	}
	for (size_t i = na; i < na + nb; i++)
		from_a += places[i] < na ? a[places[i]] : 0;
	*ret_sum = from_b - from_a;
	return k;
}

static void try_some(const double *a, size_t na, const double *b, size_t nb, uint64_t seed,
		     struct ways *w)
{
	SCOPED size_t *places = mem_alloc(na + nb, sizeof(*places));
	struct random r = random_of(seed);

	for (size_t i = 0; i < na + nb; i++)
		places[i] = i;
	w->typical = mem_alloc(PERMUTATION_DRAWS, sizeof(*w->typical));
	while (w->count < PERMUTATION_DRAWS) {
		double sum;
		const size_t k = deal(&r, a, na, b, nb, places, &sum);

		/* Labels as they were are counted once, beside the draws. */
		if (k > 0)
			add_way(w, sum, k);
	}
}

/* A bound is rejected by at most this share of all ways, the one seen among them. */
static void find_bounds(struct ways *w, struct estimate *ret)
{
	const size_t all = w->count + 1, outside = (size_t)(ONE_SIDED * (double)all);
	SCOPED int64_t *scratch = mem_alloc(w->count, sizeof(*scratch));

	sort_i64(w->typical, scratch, w->count);
	ret->level = (double)outside / (double)all;
	ret->low = sort_double_of_key(w->typical[outside - 1]);
	ret->high = sort_double_of_key(w->typical[w->count - outside]);
	ret->p = (double)(w->as_far + 1) / (double)all;
	free(w->typical);
}

void permutation_shift(const double *before, size_t before_count, const double *after,
		       size_t after_count, uint64_t seed, struct estimate *ret)
{
	const double na = (double)before_count, nb = (double)after_count;
	double va, vb, from, to;
	struct ways w = {.per_sum = 1 / na + 1 / nb};

	from = welch_mean(before, before_count, &va);
	to = welch_mean(after, after_count, &vb);
	w.shift = ret->shift = to - from;
	w.rounding = rounding_of(before, before_count) + rounding_of(after, after_count);
	ret->df = na + nb - 2;
	ret->se = sqrt(((na - 1) * va + (nb - 1) * vb) / ret->df * w.per_sum);
	if (before_count <= PERMUTATION_MOST_EXACT && after_count <= PERMUTATION_MOST_EXACT)
		try_all(before, before_count, after, after_count, &w);
	else
		try_some(before, before_count, after, after_count, seed, &w);
	find_bounds(&w, ret);
}

static void flip_all(const double *differences, size_t n, struct ways *w)
{
	SCOPED double *sums = new_subset_sums(differences, n);

	w->typical = mem_alloc((size_t)1 << n, sizeof(*w->typical));
	for (size_t set = 1; set < (size_t)1 << n; set++)
		add_way(w, sums[set], (size_t)__builtin_popcountl(set));
}

static void flip_some(const double *differences, size_t n, uint64_t seed, struct ways *w)
{
	struct random r = random_of(seed);

	w->typical = mem_alloc(PERMUTATION_DRAWS, sizeof(*w->typical));
	while (w->count < PERMUTATION_DRAWS) {
		double sum = 0;
		size_t k = 0;

		for (size_t i = 0; i < n; i++) {
			const bool flipped = random_next(&r) >> 63;

			sum += flipped ? differences[i] : 0;
			k += flipped;
		}
		if (k > 0)
			add_way(w, sum, k);
	}
}

void permutation_pairs(const double *differences, size_t n, uint64_t seed, struct estimate *ret)
{
	struct ways w = {.per_sum = 2 / (double)n};
	double variance;

	w.shift = ret->shift = welch_mean(differences, n, &variance);
	w.rounding = rounding_of(differences, n);
	ret->df = (double)n - 1;
	ret->se = sqrt(variance / (double)n);
	if (n <= PERMUTATION_MOST_EXACT)
		flip_all(differences, n, &w);
	else
		flip_some(differences, n, seed, &w);
	find_bounds(&w, ret);
}
