/*
 * GPU time that ranges or phases do not have, because it was launched by threads without any of
 * them: PyTorch opens a range around the backward pass on one thread and launches it from another.
 */
#ifndef ANALYSIS_LAUNCHES_OUTSIDE_H
#define ANALYSIS_LAUNCHES_OUTSIDE_H

#include "analysis/analysis.h"

struct launches_outside {
	int64_t ns;
	int64_t of_ns; /* all GPU work */
};

/*
 * Of threads without a push/pop range that `range`, a name as in analysis/events/paths_under.h,
 * means; NULL: of any phase, as p->phase_map tells, or names. Filters and the window of p apply.
 * ERR_INPUT where `range` means none; without any phase it is nothing.
 */
int launches_outside_find(struct launches_outside *ret, struct trace *t, const struct scope *p,
			  const char *range, struct err *e);
/* Whether it is so much that people should know. */
bool launches_outside_matters(const struct launches_outside *x);
/*
 * Tells it: "… threads without `ranges` and is `so`: …", as text for whatever says it, or as a note
 * where it matters.
 */
void launches_outside_add(struct buf *b, const struct launches_outside *x, const char *ranges,
			  const char *so);
void launches_outside_note(struct report *r, const struct launches_outside *x, const char *ranges,
			   const char *so);

#endif
