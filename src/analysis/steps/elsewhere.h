/*
 * GPU time that ranges or phases do not have, because it was launched by threads without any of
 * them: PyTorch opens a range around the backward pass on one thread and launches it from another.
 */
#ifndef ANALYSIS_ELSEWHERE_H
#define ANALYSIS_ELSEWHERE_H

#include "analysis/analysis.h"

struct elsewhere {
	int64_t ns;
	int64_t of_ns; /* all GPU work */
};

/*
 * Of threads without a push/pop range that `range`, a name as in analysis/events/paths_under.h,
 * means; NULL: of any phase, as p->phase_map tells, or names. Filters and the window of p apply.
 * ERR_INPUT where `range` means none; without any phase it is nothing.
 */
int elsewhere_find(struct elsewhere *ret, struct trace *t, const struct scope *p, const char *range,
		   struct err *e);
/* Whether it is so much that people should know. */
bool elsewhere_matters(const struct elsewhere *x);
/*
 * Tells it: "… threads without `ranges` and is `so`: …", as text for whatever says it, or as a note
 * where it matters.
 */
void elsewhere_add(struct buf *b, const struct elsewhere *x, const char *ranges, const char *so);
void elsewhere_note(struct report *r, const struct elsewhere *x, const char *ranges,
		    const char *so);

#endif
