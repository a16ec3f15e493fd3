/* Ops of a list as groups: by name, all as one, or kernels by name and shape of their launch. */
#ifndef ANALYSIS_OP_GROUPS_H
#define ANALYSIS_OP_GROUPS_H

#include "analysis/events/event_list.h"
#include "analysis/time_table.h"

enum op_grouping { OPS_EACH, OPS_BY_NAME, OPS_AS_ONE, OPS_BY_SHAPE };

/* EVENT_BITs of what groups are made of. */
uint64_t op_groups_fields(enum op_grouping by);
/* Adds their table. */
int op_groups_report(struct report *r, struct trace *t, const struct table_args *a,
		     struct event_fields *f, const struct event_list *l, enum op_grouping by,
		     struct err *e);

#endif
