/* nsys: when did the GPU work on what each NVTX range launched? */
#include "analysis/cell_values.h"
#include "analysis/nsys/projected.h"
#include "analysis/nsys/range_text.h"
#include "analysis/nsys/trace_report.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"name", "Name", UNIT_NAME, 0, NULL, SHOW},
	{"proj_start_ns", "Projected Start (ns)", UNIT_TIME_NS, 0, NULL, SHOW},
	{"proj_duration_ns", "Projected Duration (ns)", UNIT_NS, 0, NULL, SHOW},
	{"start_ns", "Orig Start (ns)", UNIT_TIME_NS, 0, NULL, SHOW},
	{"duration_ns", "Orig Duration (ns)", UNIT_NS, 0, NULL, SHOW},
	{"style", "Style", UNIT_NAME, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, NULL, SHOW},
	{"tid", "TID", UNIT_ID, 0, NULL, SHOW},
	{"gpu_ops", "NumGPUOps", UNIT_COUNT, 0, NULL, SHOW},
	{"level", "Lvl", UNIT_ID, 0, NULL, SHOW},
	{"children", "NumChild", UNIT_COUNT, 0, NULL, SHOW},
	{"range_id", "RangeId", UNIT_ID, 0, "", SHOW},
	{"parent_id", "ParentId", UNIT_ID, 0, NULL, SHOW},
	{"range_stack", "RangeStack", UNIT_NAME, 0, NULL, SHOW},
};

struct listing {
	struct projected projected;
	uint32_t *order;
	struct buf stack; /* of the row made last */
};

static void make_row(const void *ctx, uint64_t row, struct cell *out)
{
	struct listing *l = (struct listing *)ctx;
	const struct projected *p = &l->projected;
	const struct range_forest *f = &p->projections.forest;
	size_t i = l->order[row];
	const struct range *r = projected_range(p, i);
	const struct projection *work = projected_work(p, i);

	buf_clear(&l->stack);
	range_add_stack(&l->stack, f, p->ranges[i]);
	*out++ = cell_str(p->names.names.items[p->names.of_row[r->row]]);
	*out++ = cell_int(work->start_ns);
	*out++ = cell_int(projected_ns(p, i));
	*out++ = cell_int(r->start_ns);
	*out++ = cell_int(sat_sub(r->end_ns, r->start_ns));
	*out++ = cell_str(range_style(projected_type(p, i)));
	*out++ = pid_cell(p->trace, r->thread);
	*out++ = tid_cell(p->trace, r->thread);
	*out++ = cell_int(work->launches);
	*out++ = cell_int(r->level);
	*out++ = cell_int(work->children);
	*out++ = cell_int(range_id(f, p->ranges[i]));
	*out++ = r->parent == RANGE_NONE ? cell_null() : cell_int(range_id(f, r->parent));
	*out++ = cell_str(buf_str(&l->stack));
}

/* By start; ranges that begin at once stay in the order of their rows. */
static uint32_t *order_ranges(const struct projected *p)
{
	int64_t *key = mem_alloc(p->count, sizeof(*key));
	uint32_t *by_row, *order;

	for (size_t i = 0; i < p->count; i++)
		key[i] = projected_range(p, i)->row;
	by_row = sort_new_order(key, p->count);
	for (size_t i = 0; i < p->count; i++)
		key[i] = projected_range(p, by_row[i])->start_ns;
	order = sort_new_order(key, p->count);
	for (size_t i = 0; i < p->count; i++)
		order[i] = by_row[order[i]];
	free(by_row);
	free(key);
	return order;
}

static void free_listing(void *p)
{
	struct listing *l = p;

	projected_free(&l->projected);
	free(l->order);
	buf_free(&l->stack);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	(void)args;
	report_on_free(r, free_listing, l);
	if (projected_read(t, &l->projected, e) < 0)
		return -1;
	l->order = order_ranges(&l->projected);
	trace_report(r, self, columns, ARRAY_LEN(columns), l->projected.count, make_row, l);
	return 0;
}

const struct analysis analysis_nsys_nvtx_gpu_proj_trace = {
	.name = "nvtx_gpu_proj_trace",
	.title = "NVTX GPU Projection Trace",
	.summary = "every NVTX range with the GPU work launched inside it",
	.nsys = true,
	.needs = NEEDS(TRACE_NVTX) | NEEDS(TRACE_API),
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS),
	.run = run,
};
