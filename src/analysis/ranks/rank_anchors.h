/*
 * The ranges that may be windows of ranks: those that match an anchor. One that never closed is
 * none: nobody knows how long it took.
 */
#ifndef ANALYSIS_RANK_ANCHORS_H
#define ANALYSIS_RANK_ANCHORS_H

#include "analysis/ranks/rank_window.h"

/* Of the ranks that are asked for, inside the bounds that were given. */
struct rank_anchors {
	int64_t *start_ns;
	uint32_t *row, *rank; /* rank: index in the map */
	size_t count, cap;
	uint64_t open;		 /* further ones that never closed */
	uint64_t of_other_ranks; /* further ones, of ranks that nobody asks about */
};

/* Ranges must be loaded, with all that is read here, and none closed since. ERR_USAGE when
 * `pattern` is none. */
int rank_anchors_list(struct rank_anchors *ret, const struct trace *t,
		      const struct rank_window_args *q, const struct rank_map *m,
		      const char *pattern, struct err *e);
/* Drops those that begin outside the window that their rank has, and these windows with them. */
void rank_anchors_keep_inside(struct rank_anchors *a, struct rank_windows *out);
/* Of each rank the median one by start becomes its window. */
void rank_anchors_take_medians(const struct rank_anchors *a, const struct trace *t,
			       struct rank_windows *out);
void rank_anchors_free(struct rank_anchors *a);

#endif
