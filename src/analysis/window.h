/* The window of time that an answer is about. Windows clip: a straddling event counts for its part.
 */
#ifndef ANALYSIS_WINDOW_H
#define ANALYSIS_WINDOW_H

#include "analysis/analysis.h"

struct span {
	int64_t start_ns, end_ns;
};

/* Part of [start, start + duration) inside the window; false when there is none. */
bool window_clip(const struct params *p, int64_t start_ns, int64_t duration_ns, int64_t *ret_ns);

/* The trim's length, else the capture's; false when the export does not say, or it has none. */
bool window_length(const struct params *p, const struct trace *t, int64_t *ret_ns);
/* The same as a span; a negative duration counts as none. */
bool window_part(const struct params *p, int64_t start_ns, int64_t duration_ns, struct span *ret);

/* Heads the report with the analysis's title and the window it used. */
void window_report(struct report *r, const struct analysis *a, const struct trace *t,
		   const struct params *p);

#endif
