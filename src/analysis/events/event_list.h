/* The events that a question is about, one after another: of some kinds, filtered, by time. */
#ifndef ANALYSIS_EVENT_LIST_H
#define ANALYSIS_EVENT_LIST_H

#include "analysis/events/event_filter.h"

/* A zeroed struct is empty and valid. */
struct event_list {
	uint64_t begin[TRACE_KINDS + 1]; /* of each kind's rows among those of all */
	uint32_t *items;		 /* numbers among those of all */
	size_t count, cap;
	uint64_t without_times[TRACE_KINDS]; /* left out: their times cannot be read */
	uint64_t backwards;		     /* end before they begin, and take no time */
};

/* One more reason to leave an event out: 1: it stays, 0: it goes, -1: an error. */
typedef int event_choice(void *ctx, struct event_fields *f, struct event_ref at, struct err *e);

/*
 * All events of the kinds that f has open which its window, device and process, and the choice,
 * leave, in the order of the trace. Marks are events; what else NVTX records is not.
 */
int event_list_make(struct event_list *l, struct event_fields *f, event_choice *choice, void *ctx,
		    struct err *e);
/* By start, then by kind and row. */
void event_list_sort(struct event_list *l, const struct trace *t);
/* By keys of its items, the smallest first; equal ones stay in order. */
void event_list_arrange(struct event_list *l, const int64_t *keys);
void event_list_free(struct event_list *l);

static inline struct event_ref event_list_at(const struct event_list *l, size_t i)
{
	int kind = 0;

	while (l->items[i] >= l->begin[kind + 1])
		kind++;
	return (struct event_ref){(enum trace_kind)kind, (uint32_t)(l->items[i] - l->begin[kind])};
}

#endif
