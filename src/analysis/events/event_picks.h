/* The threads and ranges of a few events among millions. */
#ifndef ANALYSIS_EVENT_PICKS_H
#define ANALYSIS_EVENT_PICKS_H

#include "analysis/events/event_joins.h"

/* Thread and path of events that were asked for; ID_NONE, RANGE_NONE. */
uint32_t event_picks_thread(const struct event_picks *p, enum trace_kind kind, uint32_t row);
uint32_t event_picks_path(const struct event_picks *p, enum trace_kind kind, uint32_t row);
void event_picks_free(struct event_picks *p); /* NULL is fine */

#endif
