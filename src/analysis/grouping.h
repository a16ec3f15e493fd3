/* Which group does each event belong to, after filters, and how long was it inside the window? */
#ifndef ANALYSIS_GROUPING_H
#define ANALYSIS_GROUPING_H

#include "analysis/analysis.h"
#include "analysis/numbers/summary.h"

/* What identifies a group; ID_NONE where it is not grouped by that. */
struct group_key {
	uint32_t name; /* whatever `names` held */
	uint32_t process, device, stream;
};

struct grouping {
	const uint32_t *group;	    /* by event; GROUP_NONE: filtered out */
	const int64_t *duration_ns; /* by event, clipped to the window */
	struct group_key *keys;
	size_t count;
	uint64_t without_times; /* events whose start or end cannot be read: in no group */
	void *owned[2];
};

/*
 * Groups the events of a kind by names[i] (NAME_NONE is a name too) and by `by`; leaves out what
 * p->device, p->pid and p->trim exclude. Loads the columns it needs.
 */
int grouping_make(struct trace *t, enum trace_kind kind, const uint32_t *names,
		  const struct scope *p, enum group_by by, struct grouping *ret, struct err *e);
/* The same, with names[i] standing for alias[names[i]]; aliases are numbers of trace->names. */
int grouping_make_aliased(struct trace *t, enum trace_kind kind, const uint32_t *names,
			  const uint32_t *alias, const struct scope *p, enum group_by by,
			  struct grouping *ret, struct err *e);
void grouping_free(struct grouping *g);

#endif
