/*
 * What the ranges around a moment of a thread say: the label that a preset's rules give to the
 * innermost range that they know.
 */
#ifndef ANALYSIS_MARKERS_H
#define ANALYSIS_MARKERS_H

#include "analysis/ranks/preset.h"
#include "trace/ranges/innermost.h"

#define LABEL_NONE STRTAB_NONE

struct markers {
	struct trace *trace;
	struct strtab labels;
	uint32_t *label_of_name; /* by number in trace->names; of names of ranges that were asked */
	struct picked_ranges ranges; /* that have a label */
};

/* Of the push/pop ranges that touch the time between. A trace without ranges has no labels. */
int markers_make(struct trace *t, const struct preset_rules *rules, int64_t from_ns, int64_t to_ns,
		 struct markers *ret, struct err *e);
void markers_free(struct markers *m);
/* Number of the label, or LABEL_NONE. */
uint32_t markers_find(const struct markers *m, uint32_t thread, int64_t at_ns);

#endif
