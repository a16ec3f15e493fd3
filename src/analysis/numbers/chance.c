/* How likely is a count by chance alone? */
#include "analysis/numbers/chance.h"

#include <math.h>

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
