/* How many steps alone make the difference? */
#include "statistics/driving_steps.h"

static double sum_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

size_t driving_steps(const double *faster, size_t faster_count, const double *slower,
		     size_t slower_count, double usual)
{
	double low = sum_of(faster, faster_count), high = sum_of(slower, slower_count);
	size_t from = 0, to = slower_count;

	while (faster_count - from > 1 && to > 1) {
		const double lows = (double)(faster_count - from), highs = (double)to;
		/* What leaving out the shortest of one, or the longest of the other, changes. */
		const double by_short = usual * (low / lows - faster[from]) / (lows - 1),
			     by_long = (slower[to - 1] - high / highs) / (highs - 1);

		if (high / highs <= usual * low / lows)
			break;
		if (by_long >= by_short)
			high -= slower[--to];
		else
			low -= faster[from++];
	}
	return from + (slower_count - to);
}
