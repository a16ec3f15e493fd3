/* When did each GPU work on what was launched inside each range? */
#include "base/mem.h"
#include "base/parallel.h"
#include "timeline/track_set.h"
#include "trace/ranges/attribution.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The ops of one kind on one GPU, each put into the innermost range around its launch. */
struct projecting {
	const struct track_part *set;
	const struct attribution *of;
	enum trace_kind kind;
	uint32_t device;
	_Atomic int64_t *first_ns, *last_ns; /* by range */
};

/* Most ops lie within what is known already: those write nothing. */
static void lower(_Atomic int64_t *to, int64_t value)
{
	int64_t now = atomic_load_explicit(to, memory_order_relaxed);

	while (value < now && !atomic_compare_exchange_weak(to, &now, value))
		;
}

static void raise_to(_Atomic int64_t *to, int64_t value)
{
	int64_t now = atomic_load_explicit(to, memory_order_relaxed);

	while (value > now && !atomic_compare_exchange_weak(to, &now, value))
		;
}

static void project_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct projecting *p = ctx;
	const struct track_part *r = p->set;
	const struct events *ev = &r->trace->events[p->kind];

	(void)worker;
	for (size_t row = begin; row < end; row++) {
		const uint32_t range = attribution_range(p->of, p->kind, row);
		uint32_t process, device;

		if (range == RANGE_NONE || ev->duration_ns[row] == DURATION_NONE)
			continue;
		ops_place(&r->ops, p->kind, row, &process, &device);
		if (device != p->device || !scope_has_place(&r->scope, r->trace, process, device))
			continue;
		lower(&p->first_ns[range], ev->start_ns[row]);
		raise_to(&p->last_ns[range], op_end_ns(ev, row));
	}
}

/* What is inside a range is inside those around it, which come before it. */
static void widen_parents(const struct range_forest *f, struct projecting *p)
{
	for (size_t i = f->count; i > 0; i--) {
		const uint32_t parent = f->ranges[i - 1].parent;

		if (parent == RANGE_NONE)
			continue;
		lower(&p->first_ns[parent], p->first_ns[i - 1]);
		raise_to(&p->last_ns[parent], p->last_ns[i - 1]);
	}
}

static void list_spans(const struct range_source *ranges, const struct projecting *p,
		       struct span_source *ret)
{
	span_source_begin(ret);
	ret->base.nests = true;
	span_source_reserve(ret, ranges->forest.count);
	for (uint32_t i = 0; i < ranges->forest.count; i++) {
		if (p->first_ns[i] <= p->last_ns[i])
			span_source_add(ret, (struct derived_span){p->first_ns[i], p->last_ns[i], i,
								   range_source_class(ranges, i)});
	}
}

/* One GPU after another: what is known of each range is there once. */
static void project(const struct track_part *r, struct projecting *p, struct span_source *ret)
{
	for (size_t i = 0; i < r->ranges.forest.count; i++) {
		p->first_ns[i] = INT64_MAX;
		p->last_ns[i] = INT64_MIN;
	}
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		p->kind = (enum trace_kind)kind;
		if (r->ops.lanes[kind].ev)
			parallel_each(r->trace->events[kind].count, PARALLEL_ROWS, project_some, p);
	}
	widen_parents(&r->ranges.forest, p);
	list_spans(&r->ranges, p, ret);
}

static void add_all(struct track_part *r, const struct attribution *of)
{
	const size_t ranges = r->ranges.forest.count;
	struct projecting p = {.set = r,
			       .of = of,
			       .first_ns = mem_alloc(ranges, sizeof(*p.first_ns)),
			       .last_ns = mem_alloc(ranges, sizeof(*p.last_ns))};

	size_t at;

	r->projected = mem_zalloc(r->partitions.count, sizeof(*r->projected));
	for (size_t i = 0; i < r->partitions.count; i++) {
		p.device = r->partitions.all[i].device;
		project(r, &p, &r->projected[i]);
		if (r->projected[i].count && track_part_find_gpu(r, p.device, &at))
			track_part_insert(r, at + 1,
					  (struct track){.kind = TRACK_PROJECTED,
							 .label = "ranges",
							 .process = ID_NONE,
							 .device = p.device,
							 .thread = ID_NONE,
							 .depth = 1,
							 .derived = &r->projected[i]});
	}
	free(p.first_ns);
	free(p.last_ns);
}

int track_part_add_projected(struct track_part *r, struct err *e)
{
	struct attribution of;

	if (!r->ranges.forest.count || !r->partitions.count)
		return 0;
	if (attribution_make(r->trace, joinable_kinds(r->trace), &of, e) < 0)
		return err_forgive_absent(e);
	/* Both number the ranges of the same forest. */
	if (of.forest.count == r->ranges.forest.count)
		add_all(r, &of);
	attribution_free(&of);
	return 0;
}
