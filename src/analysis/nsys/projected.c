/* Which ranges have work on the GPU? */
#include "analysis/nsys/projected.h"

#include "base/mem.h"

#include <stdlib.h>

static void list_projected(struct projected *p)
{
	const struct projections *all = &p->projections;

	p->ranges = mem_alloc(all->forest.count, sizeof(*p->ranges));
	for (size_t i = 0; i < all->forest.count; i++) {
		if (all->of_range[i].launches)
			p->ranges[p->count++] = (uint32_t)i;
	}
}

static int refuse(const struct trace *t, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' does not contain GPU work launched inside NVTX ranges",
		t->path);
	e->absent = true;
	return err_hint(e, "capture both with: nsys profile --trace=cuda,nvtx …");
}

int projected_read(struct trace *t, struct projected *ret, struct err *e)
{
	*ret = (struct projected){.trace = t};
	if (projections_read(t, &ret->projections, e) < 0 ||
	    range_names_read(t, &ret->names, e) < 0)
		return -1;
	list_projected(ret);
	return ret->count ? 0 : refuse(t, e);
}

void projected_free(struct projected *p)
{
	projections_free(&p->projections);
	range_names_free(&p->names);
	free(p->ranges);
	*p = (struct projected){0};
}
