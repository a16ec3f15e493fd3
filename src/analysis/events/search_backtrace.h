/* What led to the one event that a search has found. */
#ifndef ANALYSIS_SEARCH_BACKTRACE_H
#define ANALYSIS_SEARCH_BACKTRACE_H

#include "analysis/events/event_fields.h"

/* A table of the frames behind an event, the outermost first; nothing where nobody knows them. */
void search_backtrace_report(struct report *r, const struct event_fields *f, struct event_ref at);

#endif
