/* Has a baseline crept, from one small regression to the next? */
#include "commands/diff/baseline_creep.h"

#include "base/mem.h"
#include "statistics/portable_math.h"
#include "statistics/student.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_RUNS = 4 };	  /* a line through fewer says little */
static const double level = 0.05; /* of a false alarm */

/* Where runs stand in their order. Those of one day stand together: among them it is that of names.
 */
static void place_runs(const struct baseline *b, double *places)
{
	size_t end;

	for (size_t begin = 0; begin < b->run_count; begin = end) {
		const char *day = b->runs[begin]->facts.date;

		for (end = begin; end < b->run_count && strcmp(b->runs[end]->facts.date, day) == 0;)
			end++;
		for (size_t i = begin; i < end; i++)
			places[i] = (double)(begin + end - 1) / 2;
	}
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* By how much a line through the runs rises from the first to the last, and by how much at least;
 * logarithms. */
struct rise {
	double change, least;
};

static struct rise find_rise(const double *x, const double *y, size_t n)
{
	const double mx = mean_of(x, n), my = mean_of(y, n), span = x[n - 1] - x[0];
	double sxx = 0, sxy = 0, residue = 0, slope;

	for (size_t i = 0; i < n; i++) {
		sxx += (x[i] - mx) * (x[i] - mx);
		sxy += (x[i] - mx) * (y[i] - my);
	}
	slope = sxy / sxx;
	for (size_t i = 0; i < n; i++) {
		const double off = y[i] - my - slope * (x[i] - mx);

		residue += off * off;
	}
	return (struct rise){slope * span, (slope - student_quantile(1 - level, (double)n - 2) *
							    sqrt(residue / ((double)n - 2) / sxx)) *
						   span};
}

static void warn_of_runs(struct report *r, const char *name, const struct baseline *b,
			 double tolerance)
{
	SCOPED double *places = mem_alloc(b->run_count, sizeof(*places));
	SCOPED double *logs = mem_alloc(b->run_count, sizeof(*logs));
	struct rise rise;

	place_runs(b, places);
	if (b->run_count < FEWEST_RUNS || places[0] == places[b->run_count - 1])
		return;
	for (size_t i = 0; i < b->run_count; i++) {
		const double ns = account_step_ns(b->runs[i]);

		if (!b->runs[i]->facts.date[0] || !(ns > 0))
			return;
		logs[i] = portable_log(ns);
	}
	rise = find_rise(places, logs, b->run_count);
	if (rise.least <= portable_log(1 + tolerance))
		return;
	report_warning(r,
		       "the baseline '%s' creeps: from %s to %s its runs became %.2g %% slower, "
		       "each by too little to be refused; find out what did it, and save the "
		       "baseline again from runs that are as fast as they should be",
		       name, baseline_date(b, false), baseline_date(b, true),
		       100 * portable_expm1(rise.change));
}

/* Of one change everybody knows. */
static void note_accepted(struct report *r, const struct baseline *b, double tolerance)
{
	double factor = 1;

	for (size_t i = 0; i < b->accepted_count; i++)
		factor *= 1 + b->accepted[i].change_pct / 100;
	if (b->accepted_count > 1 && factor > 1 + tolerance)
		report_note(
			r,
			"The %zu changes that were accepted since %s make a step %.3g %% longer "
			"together.",
			b->accepted_count, b->accepted[0].date, 100 * (factor - 1));
}

void baseline_warn_creep(struct report *r, const char *name, const struct baseline *b,
			 double tolerance)
{
	warn_of_runs(r, name, b, tolerance);
	note_accepted(r, b, tolerance);
}
