/* How much GPU work did each range launch? */
#include "timeline/facts/range_sums.h"

#include "base/mem.h"

static void add(struct range_sum *to, const struct range_sum *from)
{
	to->gpu_ns = sat_add(to->gpu_ns, from->gpu_ns);
	to->ops += from->ops;
	to->kernels += from->kernels;
}

static void add_ops(const struct track_part *r, const struct attribution *of, enum trace_kind kind,
		    struct range_sum *sums)
{
	const struct events *ev = &r->trace->events[kind];

	for (uint64_t row = 0; row < ev->count; row++) {
		const uint32_t range = attribution_range(of, kind, row);
		uint32_t process, device;

		if (range == RANGE_NONE || ev->duration_ns[row] == DURATION_NONE)
			continue;
		ops_place(&r->ops, kind, row, &process, &device);
		if (!scope_has_place(&r->scope, r->trace, process, device))
			continue;
		add(&sums[range],
		    &(struct range_sum){sat_sub(op_end_ns(ev, row), ev->start_ns[row]), 1,
					kind == TRACE_KERNELS});
	}
}

struct range_sum *range_sums_make(const struct track_part *part, const struct attribution *of)
{
	const struct range_forest *f = &of->forest;
	struct range_sum *sums = mem_zalloc(f->count, sizeof(*sums));

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (part->ops.lanes[kind].ev)
			add_ops(part, of, (enum trace_kind)kind, sums);
	}
	/* Parents come before what is inside them. */
	for (size_t i = f->count; i > 0; i--) {
		const uint32_t parent = f->ranges[i - 1].parent;

		if (parent != RANGE_NONE)
			add(&sums[parent], &sums[i - 1]);
	}
	return sums;
}
