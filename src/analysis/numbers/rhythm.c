/* How likely is it that what happens now and then happens at one distance? */
#include "analysis/numbers/rhythm.h"

#include "analysis/numbers/chance.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* The distance that most hits have from the one before; 0: it is 1, or there is none. */
static size_t usual_distance(const bool *hit, size_t n)
{
	uint32_t *count = mem_zalloc(n + 1, sizeof(*count));
	size_t last = n, usual = 0;

	for (size_t k = 0; k < n; k++) {
		if (!hit[k])
			continue;
		if (last < n)
			count[k - last]++;
		last = k;
	}
	for (size_t i = 1; i <= n; i++)
		usual = count[i] > count[usual] ? i : usual;
	free(count);
	return usual < 2 ? 0 : usual;
}

/* Of the places that are so far apart, beginning with any: how many are hit, at most. */
static uint64_t count_hits(const bool *hit, size_t n, size_t distance, size_t *ret_first)
{
	uint64_t *count = mem_zalloc(distance, sizeof(*count)), hits;

	*ret_first = 0;
	for (size_t k = 0; k < n; k++)
		count[k % distance] += hit[k];
	for (size_t i = 1; i < distance; i++)
		*ret_first = count[i] > count[*ret_first] ? i : *ret_first;
	hits = count[*ret_first];
	free(count);
	return hits;
}

/* In how many ways a few places, all that there are at one distance, can be chosen. */
static double count_ways(size_t n)
{
	double ways = 0;

	for (size_t distance = 2; (RHYTHM_LEAST - 1) * distance < n; distance++)
		ways += fmin((double)distance, (double)(n - (RHYTHM_LEAST - 1) * distance));
	return ways;
}

static uint64_t count_all(const bool *hit, size_t n)
{
	uint64_t all = 0;

	for (size_t k = 0; k < n; k++)
		all += hit[k];
	return all;
}

/* Choosing any so many, how likely all lie at one distance, each that far from the one before. */
static double chance_of_perfect(size_t n, uint64_t all)
{
	double ways = 0;

	for (size_t distance = 2; (all - 1) * distance < n; distance++)
		ways += (double)(n - (all - 1) * distance);
	return ways * chance_at_least_drawn(n, all, all, all);
}

bool rhythm_is_perfect(const bool *hit, size_t n)
{
	const size_t distance = usual_distance(hit, n);
	size_t last = n;

	for (size_t k = 0; k < n; k++) {
		if (!hit[k])
			continue;
		if (last < n && k - last != distance)
			return false;
		last = k;
	}
	return distance && count_all(hit, n) >= RHYTHM_LEAST;
}

double rhythm_chance(const bool *hit, size_t n)
{
	const size_t distance = usual_distance(hit, n);
	const uint64_t all = count_all(hit, n);
	size_t first;
	uint64_t hits;

	if (all < RHYTHM_LEAST || !distance || (RHYTHM_LEAST - 1) * distance >= n)
		return 1;
	if (rhythm_is_perfect(hit, n))
		return chance_of_perfect(n, all);
	hits = count_hits(hit, n, distance, &first);
	return fmin(1, count_ways(n) *
			       chance_at_least_drawn(n, (n - 1 - first) / distance + 1, all, hits));
}
