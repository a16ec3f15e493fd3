/* Which ranges are so wide that they say nothing? */
#include "analysis/suggest/coarse_ranges.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* A range around a few ops, and nothing else, is as narrow as it gets. */
enum { LEAST_OPS = 10 };

struct path_work {
	struct gpu_sum self, all;
	uint64_t instances; /* in the window */
	bool wide;	    /* one of them takes over half of the window */
};

static void add_work(const struct launched *l, const struct user_ranges *u, struct path_work *work)
{
	for (size_t i = 0; i < l->at.launches.launch_count; i++) {
		const uint32_t all = l->at.range_of_launch[i];
		const uint32_t range = all == RANGE_NONE ? RANGE_NONE : u->of_all[all];

		if (range != RANGE_NONE)
			gpu_sum_add(&work[u->paths.of_range[range]].self, &l->of_launch[i]);
	}
	for (size_t i = u->paths.count; i-- > 0;) {
		const uint32_t parent = u->paths.all[i].parent;
		struct path_work *w = &work[i];

		w->all.ns = sat_add(w->all.ns, w->self.ns);
		w->all.ops += w->self.ops;
		if (parent != RANGE_NONE) {
			work[parent].all.ns = sat_add(work[parent].all.ns, w->all.ns);
			work[parent].all.ops += w->all.ops;
		}
	}
}

static void add_walls(const struct user_ranges *u, struct span window, struct path_work *work)
{
	for (size_t i = 0; i < u->forest.count; i++) {
		const struct range *r = &u->forest.ranges[i];
		const struct span part = span_common((struct span){r->start_ns, r->end_ns}, window);
		struct path_work *w = &work[u->paths.of_range[i]];

		if (part.end_ns < part.start_ns)
			continue;
		w->instances++;
		w->wide |= span_ns(part) > span_ns(window) / 2;
	}
}

static bool is_step(const struct user_ranges *u, size_t path, const struct iterations *steps)
{
	return steps->name &&
	       str_eq(range_name_shown(u->folded.names.items[u->paths.all[path].name]),
		      str_of(steps->name));
}

/* Steps, and what is around them; a path's parents come before it. */
static bool *find_steps(const struct user_ranges *u, const struct iterations *steps)
{
	bool *found = mem_zalloc(u->paths.count, sizeof(*found));

	for (size_t i = u->paths.count; i-- > 0;) {
		const uint32_t parent = u->paths.all[i].parent;

		found[i] |= is_step(u, i, steps);
		if (found[i] && parent != RANGE_NONE)
			found[parent] = true;
	}
	return found;
}

void coarse_ranges_find(const struct launched *l, struct user_ranges *u,
			const struct iterations *steps, struct span window)
{
	struct path_work *work = mem_zalloc(u->paths.count, sizeof(*work));
	bool *step = find_steps(u, steps);

	add_work(l, u, work);
	add_walls(u, window, work);
	for (size_t i = 0; i < u->paths.count; i++) {
		const struct path_work *w = &work[i];
		const bool has_parts = w->all.ops > w->self.ops;

		u->coarse[i] = (w->wide || step[i]) &&
			       (has_parts || w->self.ops >= LEAST_OPS * w->instances);
	}
	free(step);
	free(work);
}
