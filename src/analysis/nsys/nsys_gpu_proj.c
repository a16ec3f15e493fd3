/* nsys: how long did the GPU work on what NVTX ranges launched, by name and range by range? */
#include "analysis/cell_values.h"
#include "analysis/nsys/nsys_report.h"
#include "analysis/numbers/summary.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/ranges/projection.h"

#include <stdlib.h>

/* The ranges inside which work was launched, and their names. */
struct projected {
	const struct trace *trace;
	struct projections projections;
	struct range_names names;
	uint32_t *ranges; /* indices in the forest */
	size_t count;
};

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

/* A trace where no range has any is refused, as absent. Is freed whether this fails or not. */
static int projected_read(struct trace *t, struct projected *ret, struct err *e)
{
	*ret = (struct projected){.trace = t};
	if (projections_read(t, &ret->projections, e) < 0 ||
	    range_names_read(t, &ret->names, e) < 0)
		return -1;
	list_projected(ret);
	return ret->count ? 0 : refuse(t, e);
}

static void projected_free(struct projected *p)
{
	projections_free(&p->projections);
	range_names_free(&p->names);
	free(p->ranges);
	*p = (struct projected){0};
}

static const struct column sum_columns[] = {
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
	{"style", "Style", UNIT_NAME, 0, "", SHOW},
	{"proj_total_ns", "Total Proj Time (ns)", UNIT_NS, 0, NULL, SHOW},
	{"range_total_ns", "Total Range Time (ns)", UNIT_NS, 0, NULL, SHOW},
	{"instances", "Range Instances", UNIT_COUNT, 0, NULL, SHOW},
	{"proj_avg_ns", "Proj Avg (ns)", UNIT_NS, 1, NULL, SHOW},
	{"proj_med_ns", "Proj Med (ns)", UNIT_NS, 1, NULL, SHOW},
	{"proj_min_ns", "Proj Min (ns)", UNIT_NS, 0, NULL, SHOW},
	{"proj_max_ns", "Proj Max (ns)", UNIT_NS, 0, NULL, SHOW},
	{"proj_stddev_ns", "Proj StdDev (ns)", UNIT_NS, 1, NULL, SHOW},
	{"gpu_ops", "Total GPU Ops", UNIT_COUNT, 0, NULL, SHOW},
	{"gpu_ops_avg", "Avg GPU Ops", UNIT_RATIO, 1, NULL, SHOW},
	{"level_avg", "Avg Range Lvl", UNIT_RATIO, 1, NULL, SHOW},
	{"children_avg", "Avg Num Child", UNIT_RATIO, 1, NULL, SHOW},
};

/* The ranges of one name and style. */
struct line {
	struct str name, style;
	struct summary projected;
	int64_t range_ns;
	uint64_t launches, levels, children; /* totals */
};

struct lines {
	struct projected projected; /* has the names */
	struct idmap groups;
	struct line *all;
	size_t count, cap;
};

static uint32_t line_of(struct lines *l, size_t i)
{
	const struct range_names *names = &l->projected.names;
	uint32_t name = names->of_row[projected_range(&l->projected, i)->row];
	uint32_t type = projected_type(&l->projected, i);
	uint32_t line = idmap_number_pair(&l->groups, name, nvtx_is_push_pop(type));

	if (line == l->count) {
		MEM_GROW(l->all, l->cap, l->count + 1);
		l->all[l->count++] = (struct line){
			.name = names->names.items[name],
			.style = range_style(type),
		};
	}
	return line;
}

static void add_range(struct lines *l, size_t i, struct line *line)
{
	const struct range *r = projected_range(&l->projected, i);
	const struct projection *work = projected_work(&l->projected, i);

	line->range_ns = sat_add(line->range_ns, sat_sub(r->end_ns, r->start_ns));
	line->launches += work->launches;
	line->levels += r->level;
	line->children += work->children;
}

static void sum_lines(struct lines *l)
{
	size_t count = l->projected.count;
	int64_t *value = mem_alloc(count, sizeof(*value));
	uint32_t *line = mem_alloc(count, sizeof(*line));
	struct summary *sums;

	for (size_t i = 0; i < count; i++) {
		value[i] = projected_ns(&l->projected, i);
		line[i] = line_of(l, i);
		add_range(l, i, &l->all[line[i]]);
	}
	sums = mem_alloc(l->count, sizeof(*sums));
	summarize(value, line, count, l->count, sums);
	for (size_t i = 0; i < l->count; i++)
		l->all[i].projected = sums[i];
	free(sums);
	free(line);
	free(value);
}

static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct line *x = a, *y = b;
	int c;

	(void)ctx;
	if (x->projected.total != y->projected.total)
		return x->projected.total > y->projected.total ? -1 : 1;
	c = str_cmp(x->name, y->name);
	return c ? c : str_cmp(x->style, y->style);
}

static struct cell average_cell(uint64_t total, uint64_t count)
{
	return cell_real((double)total / (double)count);
}

static void make_sum_row(const void *ctx, uint64_t i, struct cell *out)
{
	const struct lines *lines = ctx;
	const struct line *l = &lines->all[i];
	const struct summary *s = &l->projected;

	*out++ = cell_str(l->name);
	*out++ = cell_str(l->style);
	*out++ = cell_int(s->total);
	*out++ = cell_int(l->range_ns);
	*out++ = cell_int((int64_t)s->count);
	*out++ = cell_real(s->mean);
	*out++ = cell_real(s->p50);
	*out++ = cell_int(s->min);
	*out++ = cell_int(s->max);
	*out++ = cell_real(s->stddev);
	*out++ = cell_int((int64_t)l->launches);
	*out++ = average_cell(l->launches, s->count);
	*out++ = average_cell(l->levels, s->count);
	*out++ = average_cell(l->children, s->count);
}

static void free_lines(void *p)
{
	struct lines *l = p;

	projected_free(&l->projected);
	idmap_free(&l->groups);
	free(l->all);
}

static int run_sum(const struct analysis *self, struct trace *t, const void *args, struct report *r,
		   struct err *e)
{
	struct lines *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	(void)args;
	report_on_free(r, free_lines, l);
	if (projected_read(t, &l->projected, e) < 0)
		return -1;
	sum_lines(l);
	sort_stable(l->all, l->count, sizeof(*l->all), compare_lines, NULL);
	trace_report(r, self, sum_columns, ARRAY_LEN(sum_columns), l->count, make_sum_row, l);
	return 0;
}

NSYS_REPORT(nvtx_gpu_proj_sum, "NVTX GPU Projection Summary",
	    "NVTX ranges by the time of the GPU work launched inside them", run_sum,
	    .needs = NEEDS(TRACE_NVTX) | NEEDS(TRACE_API), .needs_any = NEEDS_GPU_OPS);

static const struct column trace_columns[] = {
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

static void make_trace_row(const void *ctx, uint64_t row, struct cell *out)
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

static int run_trace(const struct analysis *self, struct trace *t, const void *args,
		     struct report *r, struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	(void)args;
	report_on_free(r, free_listing, l);
	if (projected_read(t, &l->projected, e) < 0)
		return -1;
	l->order = order_ranges(&l->projected);
	trace_report(r, self, trace_columns, ARRAY_LEN(trace_columns), l->projected.count,
		     make_trace_row, l);
	return 0;
}

NSYS_REPORT(nvtx_gpu_proj_trace, "NVTX GPU Projection Trace",
	    "every NVTX range with the GPU work launched inside it", run_trace,
	    .needs = NEEDS(TRACE_NVTX) | NEEDS(TRACE_API), .needs_any = NEEDS_GPU_OPS);
