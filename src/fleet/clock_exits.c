/* Do two ranks leave together what they enter apart? */
#include "fleet/clock.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdlib.h>

static const double together_ns = 25e3; /* both leave within this: links and launches take it … */
static const double far_ns = 100e3;	/* … and nobody farther apart: he did not wait */
static const double nearly_all = 0.9;	/* … of so many of them */
static const double clearly = 2;	/* times as far entries vary as exits */

/* How far `share` of the values are from the middle one at most. Puts them in another order. */
static double spread(int64_t *values, size_t count, double share)
{
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));
	int64_t middle;
	double result;

	sort_i64(values, scratch, count);
	middle = values[count / 2];
	for (size_t i = 0; i < count; i++)
		values[i] = values[i] > middle ? values[i] - middle : middle - values[i];
	sort_i64(values, scratch, count);
	result = (double)values[(size_t)(share * (double)(count - 1))];
	free(scratch);
	return result;
}

/* By how much the two are apart when they leave, or when they enter: both vary about something. */
static double spread_of(const struct clock_bound *b, size_t count, double drift, bool entries,
			double share)
{
	int64_t *apart = mem_alloc(count, sizeof(*apart));
	double result;

	for (size_t i = 0; i < count; i++) {
		const double ns =
			entries ? b[i].least_ns + b[i].most_ns - b[i].even_ns : b[i].even_ns;

		apart[i] = sat_of_double(ns - drift * b[i].at_ns);
	}
	result = spread(apart, count, share);
	free(apart);
	return result;
}

/*
 * A sender that leaves early does so as long after it entered as its bytes take: exits vary with
 * entries then, however regularly the two follow each other.
 */
bool clock_exits_are_together(const struct clock_bound *b, size_t count, double drift_max,
			      double *ret_apart_ns)
{
	const double drift = clock_guess_drift(b, count, drift_max);
	const double exits_ns = spread_of(b, count, drift, false, 0.5);

	*ret_apart_ns = spread_of(b, count, drift, false, 1);
	return *ret_apart_ns <= far_ns &&
	       spread_of(b, count, drift, false, nearly_all) <= together_ns &&
	       spread_of(b, count, drift, true, 0.5) >= clearly * exits_ns;
}
