/* Which paths of ranges are inside a range that somebody named, or inside a phase. */
#ifndef ANALYSIS_PATHS_UNDER_H
#define ANALYSIS_PATHS_UNDER_H

#include "analysis/events/event_joins.h"

#include <stdbool.h>

/* By path; all are freed with free(). */
struct paths_under {
	bool *is;    /* the range, or one around it, is meant */
	bool *meant; /* the range itself is */
};

/*
 * `text` is a pattern of names (text/name_pattern.h); where a range is called just so, only those
 * that are. ERR_INPUT when there is no such push/pop range.
 */
int paths_under_range(struct paths_under *ret, const struct event_joins *j, const char *text,
		      struct err *e);
/*
 * The same for a phase: ranges that the map, or without one (NULL) what ranges usually are called,
 * takes for it; what is inside another phase is not.
 */
int paths_under_phase(struct paths_under *ret, const struct event_joins *j, const char *phase,
		      const char *phase_map, struct err *e);
void paths_under_free(struct paths_under *u);

#endif
