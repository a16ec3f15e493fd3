/* Events whose names match a pattern, on all tracks, and the way from one to the next. */
#ifndef TIMELINE_SCENE_HITS_H
#define TIMELINE_SCENE_HITS_H

#include "timeline/scene/scene.h"
#include "timeline/track_search.h"

struct track_hits {
	struct lane_hits *lanes; /* NULL: the track has no names */
	size_t lane_count;
};

/* Zeroed: nothing was searched for. */
struct hits {
	struct track_hits *by_number; /* of tracks: some may come before them later */
	size_t tracks;
	size_t count; /* in all of them */
};

/* Who uses the scene beside a search; zeroed: nobody does, and it is never given up. */
struct hits_sharing {
	void (*lock)(void *ctx); /* while tracks are looked at, and their lanes made */
	void (*unlock)(void *ctx);
	struct search_patience patience; /* of the same ctx */
};

/*
 * Those of the tracks that have come since it was called last for these hits; all lanes are made
 * then. For hits_free() whether this fails or not, and when it fails.
 */
int hits_find(struct hits *h, struct scene *s, const char *pattern, const struct hits_sharing *with,
	      struct err *e);
void hits_free(struct hits *h);
/* Those of a lane of a track; NULL: nothing was searched for there. */
const struct lane_hits *hits_of(const struct hits *h, const struct track *t, size_t lane);
bool hits_has(const struct lane_hits *h, size_t event);

/* Hits in their order: by time, then from the uppermost down. */
struct hit_place {
	int64_t start_ns;
	struct event_place p;
};

/* Where hits are looked for; SIZE_MAX: on any track, of any capture. */
struct hits_among {
	size_t track;
	size_t capture; /* its number */
};
extern const struct hits_among hits_among_all;

/* The nearest after a place (way 1) or before it (-1); false: none. */
bool hits_near(const struct hits *h, const struct scene *s, const struct hit_place *from, int way,
	       const struct hits_among *among, struct hit_place *ret);
/* Where to begin: before all that begins at a time, or behind all that began before it. */
struct hit_place hits_from(int64_t at_ns, int way);

#endif
