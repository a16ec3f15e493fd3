/* Is much of the window what its author calls a warm-up? */
#include "analysis/findings/explain.h"

#include "analysis/steps/warm_ups.h"
#include "base/saturate.h"
#include "text/units.h"

#include <stdlib.h>

static const double much = 0.25; /* of the window */
static const double enough =
	0.0001; /* of it that comes after: else there is nothing to ask about */

/* How long the window is in ranges that are called a warm-up, and when the last of them ends. */
static int64_t sum_warm_ups(const struct explain *x, int64_t *ret_end_ns)
{
	size_t count;
	struct warm_up *all = warm_ups_list(x->trace, &count);
	int64_t reached_ns = x->timeline.from_ns, ns = 0;

	*ret_end_ns = x->timeline.from_ns;
	for (size_t i = 0; i < count; i++) {
		struct span *when = &all[i].when;

		if (when->end_ns > x->timeline.to_ns)
			when->end_ns = x->timeline.to_ns;
		ns = sat_add(ns, span_beyond(*when, &reached_ns));
		if (when->end_ns > *ret_end_ns)
			*ret_end_ns = when->end_ns;
	}
	free(all);
	return ns;
}

/* Nothing is sure of a window that is mostly something else. */
static void lower_confidence(struct explain *x)
{
	for (size_t i = 0; i < x->found_count; i++) {
		if (x->found[i].confidence == CONFIDENCE_HIGH && x->found[i].recoverable_ns > 0)
			x->found[i].confidence = CONFIDENCE_MEDIUM;
	}
}

void explain_warm_up(struct explain *x)
{
	struct finding *f;
	int64_t end_ns, ns;

	/* Where there are steps the cold ones are not in it; a window that is asked for is wanted.
	 */
	if (x->scope.chosen != SPAN_GPU || !x->trace->events[TRACE_NVTX].name)
		return;
	ns = sum_warm_ups(x, &end_ns);
	if (!is_share(ns, x->window_ns, much) ||
	    !is_share(x->timeline.to_ns - end_ns, x->window_ns, enough))
		return;
	lower_confidence(x);
	x->warm_up = arena_printf(&x->report->arena,
				  " But %.0f %% of this window is a warm-up: --trim %.6f %.6f asks "
				  "about the rest.",
				  100 * (double)ns / (double)x->window_ns, (double)end_ns / 1e9,
				  (double)x->timeline.to_ns / 1e9);
	f = find_fact(x, "warm_up_in_window", SEVERITY_LOW,
		      "%.0f %% of the window is a warm-up, by the name of its ranges",
		      100 * (double)ns / (double)x->window_ns);
	f->how = "not estimated: the findings above count the warm-up, too";
	find_evidence_over(f, "in ranges that are called a warm-up", UNIT_NS, cell_int(ns),
			   x->timeline.from_ns, end_ns);
	find_advice(f, arena_printf(&x->report->arena,
				    "ask about what comes after it: --trim %.6f %.6f, or --marker "
				    "REGEX with the name of what repeats there",
				    (double)end_ns / 1e9, (double)x->timeline.to_ns / 1e9));
	f->unless = "the warm-up is what you want to know about";
}
