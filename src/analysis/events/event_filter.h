/*
 * Which events are wanted, as people write it: 'name~flash && duration_us>50'. docs/filters.md is
 * the manual. A comparison is a column (analysis/events/event_fields.h), one of == != < <= > >= ~
 * !~ and a value; && || ! and brackets join them. ~ is "has somewhere in it", or a pattern
 * (text/name_pattern.h). An event without the column matches no comparison with it.
 */
#ifndef ANALYSIS_EVENT_FILTER_H
#define ANALYSIS_EVENT_FILTER_H

#include "analysis/events/event_fields.h"

struct event_filter;

/* --filter */
struct filter_args {
	const char *expression; /* or NULL */
};
extern const struct option_group event_filter_options;

/* ERR_USAGE with the place where it stops making sense. */
int event_filter_parse(struct event_filter **ret, const char *text, struct err *e);
void event_filter_free(struct event_filter *x); /* NULL is fine */
/* EVENT_BITs of the columns it looks at, which must be among those that are open; 0 for NULL. */
uint64_t event_filter_fields(const struct event_filter *x);

/* 1: wanted, 0: not, -1: ERR_USAGE, a pattern takes too long. NULL wants all. */
int event_filter_matches(struct event_filter *x, struct event_fields *f, struct event_ref at,
			 struct err *e);

#endif
