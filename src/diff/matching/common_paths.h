/*
 * Range paths as far as both sides have them. A range that somebody put around code, took away or
 * renamed is no change of what lies in it: "backward / autograd" is "backward" beside a side that
 * has no autograd there.
 */
#ifndef DIFF_MATCHING_COMMON_PATHS_H
#define DIFF_MATCHING_COMMON_PATHS_H

#include "diff/sides.h"
#include "text/strtab.h"

struct common_paths {
	struct strtab paths[SIDES]; /* those of leaves and of the host, whole */
	const char **common[SIDES]; /* by number of these; in the arena */
};

/* From the runs of both sides alone. */
void common_paths_make(struct common_paths *ret, const struct sides *s, struct arena *arena);
void common_paths_free(struct common_paths *c);

/* Of a path of that side; the whole one where it is not known. */
const char *common_path_of(const struct common_paths *c, enum side side, const char *path);

#endif
