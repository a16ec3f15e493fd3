/* What a search is for: some types of events, threads, streams. */
#ifndef ANALYSIS_SEARCH_TYPES_H
#define ANALYSIS_SEARCH_TYPES_H

#include "analysis/events/event_fields.h"
#include "text/pattern.h"

/* Besides those of events. */
enum { SEARCH_THREAD = EVENT_TYPES, SEARCH_STREAM, SEARCH_TYPES };

/* As --type has it, by enum event_type or the above; NULL for SEARCH_TYPES. */
const char *search_type_word(unsigned type);

/* "kernel,range" as bits 1 << type; NULL: all of them. */
int search_types_parse(const char *text, unsigned *ret, struct err *e);
/* NEEDS bits of the events that are meant. */
unsigned search_types_kinds(unsigned types);

/*
 * Kernels and calls are many, their names few: takes the kind, one of these two, off `kinds` (NEEDS
 * bits) where no name of its events matches. `met`: their names, where somebody has them (see
 * names_used()); NULL: they are looked for.
 */
int search_drop_strangers(struct trace *t, enum trace_kind kind, struct pattern *pattern,
			  const uint8_t *met, unsigned *kinds, struct err *e);

#endif
