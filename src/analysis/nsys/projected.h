/* What NVIDIA's nvtx_gpu_proj reports are made from. */
#ifndef ANALYSIS_PROJECTED_H
#define ANALYSIS_PROJECTED_H

#include "trace/ranges/projection.h"

/* The ranges inside which work was launched, and their names. */
struct projected {
	const struct trace *trace;
	struct projections projections;
	struct range_names names;
	uint32_t *ranges; /* indices in the forest */
	size_t count;
};

/* A trace where no range has any is refused, as absent. Is freed whether this fails or not. */
int projected_read(struct trace *t, struct projected *ret, struct err *e);
void projected_free(struct projected *p);

static inline const struct range *projected_range(const struct projected *p, size_t i)
{
	return &p->projections.forest.ranges[p->ranges[i]];
}

static inline const struct projection *projected_work(const struct projected *p, size_t i)
{
	return &p->projections.of_range[p->ranges[i]];
}

static inline int64_t projected_ns(const struct projected *p, size_t i)
{
	const struct projection *w = projected_work(p, i);

	return sat_sub(w->end_ns, w->start_ns);
}

static inline uint32_t projected_type(const struct projected *p, size_t i)
{
	return p->trace->events[TRACE_NVTX].event_type[projected_range(p, i)->row];
}

#endif
