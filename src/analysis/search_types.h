/* What a search is for: which kinds of events, and threads and streams. */
#ifndef ANALYSIS_SEARCH_TYPES_H
#define ANALYSIS_SEARCH_TYPES_H

#include "analysis/event_joins.h"

enum search_type {
	SEARCH_KERNEL,
	SEARCH_MEMCPY,
	SEARCH_MEMSET,
	SEARCH_GRAPH,
	SEARCH_API,
	SEARCH_RANGE,
	SEARCH_MARK,
	SEARCH_THREAD,
	SEARCH_STREAM,
	SEARCH_TYPES,
};

/* As --type has them. */
extern const char *const search_type_words[SEARCH_TYPES];

/* "kernel,range" as bits 1 << type; NULL: all of them. */
int search_types_parse(const char *text, unsigned *ret, struct err *e);
/* NEEDS bits of the events that are meant. */
unsigned search_types_kinds(unsigned types);
enum search_type search_type_of(const struct trace *t, struct event_ref at);

#endif
