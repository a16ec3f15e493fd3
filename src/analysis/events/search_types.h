/* What a search is for: some types of events, threads, streams. */
#ifndef ANALYSIS_SEARCH_TYPES_H
#define ANALYSIS_SEARCH_TYPES_H

#include "analysis/events/event_types.h"

/* Besides those of events. */
enum { SEARCH_THREAD = EVENT_TYPES, SEARCH_STREAM, SEARCH_TYPES };

/* As --type has it, by enum event_type or the above; NULL for SEARCH_TYPES. */
const char *search_type_word(unsigned type);

/* "kernel,range" as bits 1 << type; NULL: all of them. */
int search_types_parse(const char *text, unsigned *ret, struct err *e);
/* NEEDS bits of the events that are meant. */
unsigned search_types_kinds(unsigned types);

#endif
