/* What events there are, in the words that searches, filters and tables have for them. */
#ifndef ANALYSIS_EVENT_TYPES_H
#define ANALYSIS_EVENT_TYPES_H

#include "analysis/events/event_joins.h"

enum event_type {
	EVENT_TYPE_KERNEL,
	EVENT_TYPE_MEMCPY,
	EVENT_TYPE_MEMSET,
	EVENT_TYPE_GRAPH,
	EVENT_TYPE_API,
	EVENT_TYPE_RANGE,
	EVENT_TYPE_MARK,
	EVENT_TYPES,
};

/* By enum event_type; NULL ends them. */
extern const char *const event_type_words[EVENT_TYPES + 1];
/* All of them, for people. */
#define EVENT_TYPES_SAID "kernel, memcpy, memset, graph, api, range or mark"

/* Marks are told from ranges by COL_EVENT_TYPE, where it is loaded. */
enum event_type event_type_of(const struct trace *t, struct event_ref at);
/* Whose rows they are. */
enum trace_kind event_type_kind(enum event_type type);

#endif
