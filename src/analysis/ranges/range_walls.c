/* How long did each range last? */
#include "analysis/ranges/range_walls.h"

#include "base/mem.h"

#include <stdlib.h>

/*
 * Children come in order of their start: how far the earlier ones reach tells what of the next is
 * new, so that children which overlap are taken off once.
 */
static void take_off(int64_t *self_ns, int64_t *covered_ns, const struct span *child)
{
	int64_t fresh = child->start_ns > *covered_ns ? child->start_ns : *covered_ns;

	if (child->end_ns <= fresh)
		return;
	*self_ns = sat_sub(*self_ns, sat_sub(child->end_ns, fresh));
	*covered_ns = child->end_ns;
}

void range_walls_make(const struct range_forest *f, const struct scope *p, struct range_walls *ret)
{
	int64_t *covered = mem_alloc(f->count, sizeof(*covered));

	ret->wall_ns = mem_alloc(f->count, sizeof(*ret->wall_ns));
	ret->self_ns = mem_alloc(f->count, sizeof(*ret->self_ns));
	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];
		struct span wall;

		covered[i] = INT64_MIN;
		ret->self_ns[i] = 0;
		ret->wall_ns[i] = DURATION_NONE;
		if (!window_part(p, r->start_ns, sat_sub(r->end_ns, r->start_ns), &wall))
			continue;
		ret->wall_ns[i] = sat_sub(wall.end_ns, wall.start_ns);
		ret->self_ns[i] = ret->wall_ns[i];
		if (r->parent != RANGE_NONE)
			take_off(&ret->self_ns[r->parent], &covered[r->parent], &wall);
	}
	free(covered);
}

void range_walls_free(struct range_walls *w)
{
	free(w->wall_ns);
	free(w->self_ns);
	*w = (struct range_walls){0};
}
