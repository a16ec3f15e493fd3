/* How likely is a count by chance alone? */
#include "analysis/numbers/chance.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static double log_factorial(uint64_t n)
{
	int sign;

	return lgamma_r((double)n + 1, &sign);
}

/* Beyond the mean each term is smaller than the one before: the sum ends where they vanish. */
double chance_at_least(uint64_t n, uint64_t hits, double p)
{
	double term, sum = 0;

	if (hits == 0 || p >= 1)
		return 1;
	if (hits > n || p <= 0)
		return 0;
	if ((double)hits <= (double)n * p)
		return 1 - chance_at_least(n, n - hits + 1, 1 - p);
	term = exp(log_factorial(n) - log_factorial(hits) - log_factorial(n - hits) +
		   (double)hits * log(p) + (double)(n - hits) * log1p(-p));
	for (uint64_t k = hits; k <= n && term > 1e-16 * sum; k++) {
		sum += term;
		term *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
	}
	return sum < 1 ? sum : 1;
}

static double log_choices(uint64_t n, uint64_t of)
{
	return log_factorial(n) - log_factorial(of) - log_factorial(n - of);
}

double chance_at_least_drawn(uint64_t n, uint64_t marked, uint64_t drawn, uint64_t hits)
{
	const uint64_t most = marked < drawn ? marked : drawn;
	double sum = 0;

	if (marked > n || drawn > n)
		return 0;
	for (uint64_t k = hits; k <= most; k++) {
		if (drawn - k <= n - marked)
			sum += exp(log_choices(marked, k) + log_choices(n - marked, drawn - k) -
				   log_choices(n, drawn));
	}
	return sum < 1 ? sum : 1;
}

int64_t chance_least_that_counts(const int64_t *values, size_t n, double share)
{
	int64_t *sorted = mem_copy(values, n, sizeof(*sorted)),
		*scratch = mem_alloc(n, sizeof(*scratch));
	int64_t all = 0, sum = 0, least = 0;

	for (size_t i = 0; i < n; i++)
		all = sat_add(all, values[i]);
	sort_i64(sorted, scratch, n);
	for (size_t i = n; i-- > 0 && (double)sum < share * (double)all;) {
		least = sorted[i];
		sum = sat_add(sum, least);
	}
	free(scratch);
	free(sorted);
	return least;
}
