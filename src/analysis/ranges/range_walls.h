/* How long each range lasted on the host, and how much of that in none of those inside it. */
#ifndef ANALYSIS_RANGE_WALLS_H
#define ANALYSIS_RANGE_WALLS_H

#include "analysis/window.h"
#include "trace/ranges/ranges.h"

struct range_walls {
	int64_t *wall_ns; /* by index in the forest, inside the window; DURATION_NONE: not in it */
	int64_t *self_ns; /* without the union of its direct children */
};

void range_walls_make(const struct range_forest *f, const struct scope *p, struct range_walls *ret);
void range_walls_free(struct range_walls *w);

#endif
