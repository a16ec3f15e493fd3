/* Range paths inside a step: those of the ranges around a launch or a gap, as far as the step's. */
#ifndef DIFF_STEP_PATHS_H
#define DIFF_STEP_PATHS_H

#include "trace/ranges/range_paths.h"

/*
 * Of a path: of a deeper one the innermost are told. A name may be of any length and have " / " in
 * it: whoever takes each range around a path takes no more than these, or time and memory grow with
 * the square of its length.
 */
enum { STEP_PATH_RANGES = 64 };

struct step_paths {
	struct range_paths paths;
	const char **texts; /* by path, in the arena; the two last: no range, between two steps */
};

/*
 * Names lose their counters; `step` is that of the ranges that are steps, or NULL. A trace without
 * ranges has no paths. For step_paths_free() whether this fails or not.
 */
int step_paths_make(struct step_paths *ret, struct trace *t, const struct range_forest *f,
		    const char *step, struct arena *arena, struct err *e);
void step_paths_free(struct step_paths *p);

/* Whether a path is that of a range, or of one inside it: "forward / attn" is in "forward". */
bool step_path_is_in(const char *path, const char *around);

static inline uint32_t step_path_none(const struct step_paths *p)
{
	return (uint32_t)p->paths.count;
}

static inline uint32_t step_path_between(const struct step_paths *p)
{
	return (uint32_t)p->paths.count + 1;
}

static inline uint32_t step_path_of(const struct step_paths *p, uint32_t range)
{
	return range == RANGE_NONE || p->paths.of_range[range] == RANGE_NONE
		       ? step_path_none(p)
		       : p->paths.of_range[range];
}

#endif
