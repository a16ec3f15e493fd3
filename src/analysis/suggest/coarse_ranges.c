/* Which ranges are so wide that they say nothing? */
#include "analysis/suggest/coarse_ranges.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* A range around a few ops is as narrow as it gets. */
enum { LEAST_OPS = 10 };

/* Work inside of inner ranges up to this share does not tell the parts of a range. */
static const double INNER = 0.05;

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

void coarse_ranges_find(const struct launched *l, struct user_ranges *u,
			const struct iterations *steps, struct span window)
{
	struct path_work *work = mem_zalloc(u->paths.count, sizeof(*work));

	add_work(l, u, work);
	add_walls(u, window, work);
	for (size_t i = 0; i < u->paths.count; i++) {
		const struct path_work *w = &work[i];

		u->coarse[i] = (w->wide || is_step(u, i, steps)) &&
			       (double)w->self.ns >= (1 - INNER) * (double)w->all.ns &&
			       w->self.ops >= LEAST_OPS * w->instances;
	}
	free(work);
}
