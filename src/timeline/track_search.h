/* Events whose names match a pattern: one pass over a track on all cores. */
#ifndef TIMELINE_TRACK_SEARCH_H
#define TIMELINE_TRACK_SEARCH_H

#include "timeline/track_set.h"

/* Events of a lane, by their numbers, in order. */
struct lane_hits {
	uint32_t *at;
	size_t count;
};

/* Asked every few milliseconds, while no lock is held: whether anybody still waits for the hits. */
struct search_patience {
	bool (*keeps_on)(void *ctx); /* NULL: somebody does */
	void *ctx;
};

struct name_search;

/* ERR_USAGE when the text is no pattern. Upper and lower case are the same. */
int name_search_begin(struct name_search **ret, const char *pattern,
		      const struct search_patience *patience, struct err *e);
void name_search_end(struct name_search *n);
/*
 * For each lane of the track its hits, which lane_hits_free() frees; NULL: the track has no names.
 * Its lanes are made. Names are read under the trace's lock, some at a time.
 */
int name_search_track(struct name_search *n, const struct track *t, struct lane_hits **ret,
		      struct err *e);
void lane_hits_free(struct lane_hits *h, size_t lanes);

#endif
