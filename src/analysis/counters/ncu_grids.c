/* Did ncu see launches like those of the run? */
#include "analysis/counters/ncu_grids.h"

#include "analysis/cell_values.h"
#include "base/saturate.h"

#include <math.h>

/* Below this much the mean of a kernel's launches may be that of others. */
enum { SEEN_ENOUGH_PCT = 95 };

bool ncu_grids_speak(const struct ncu_study *s, size_t group)
{
	return !s->joined || s->join.of_group[group].measured_ns != 0;
}

double ncu_grids_time(const struct ncu_study *s, size_t group)
{
	return ncu_grids_speak(s, group) ? ncu_study_time(s, group) : NAN;
}

struct cell ncu_grids_cell(const struct ncu_study *s, size_t group)
{
	const struct ncu_traced *t = s->joined ? ncu_join_traced(&s->join, group) : NULL;
	const int64_t seen_ns = t ? s->join.of_group[group].measured_ns : NCU_UNSAID;

	return seen_ns == NCU_UNSAID ? cell_null() : pct_cell(seen_ns, t->total_ns);
}

void ncu_grids_add(struct ncu_grids *g, const struct ncu_study *s, size_t group)
{
	const struct ncu_traced *t = s->joined ? ncu_join_traced(&s->join, group) : NULL;
	const int64_t seen_ns = t ? s->join.of_group[group].measured_ns : 0;

	if (!t)
		return;
	g->of_ns = sat_add(g->of_ns, t->total_ns);
	g->unseen += seen_ns == 0;
	if (seen_ns == NCU_UNSAID)
		g->unsaid_ns = sat_add(g->unsaid_ns, t->total_ns);
	else
		g->seen_ns = sat_add(g->seen_ns, seen_ns);
}

static double percent(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 100;
}

void ncu_grids_warn(const struct ncu_grids *g, struct report *r, const char *elsewhere)
{
	const double seen = percent(g->seen_ns, sat_sub(g->of_ns, g->unsaid_ns));

	if (g->unsaid_ns)
		report_warning(
			r,
			"for %.0f%% of these kernels' time it is unknown whether ncu measured the "
			"same grids: the trace or the CSV does not contain them",
			percent(g->unsaid_ns, g->of_ns));
	if (seen < SEEN_ENOUGH_PCT)
		report_warning(r, "ncu measured the grids of %.0f%% of these kernels' time: %s",
			       seen, elsewhere);
	else if (g->unseen)
		report_warning(r,
			       "ncu measured %zu of these kernels only at grids that the run does "
			       "not have: %s",
			       g->unseen, elsewhere);
}
