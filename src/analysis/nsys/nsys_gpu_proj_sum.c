/* nsys: how long did the GPU work on what the NVTX ranges of each name launched? */
#include "analysis/nsys/projected.h"
#include "analysis/nsys/range_text.h"
#include "analysis/nsys/trace_report.h"
#include "analysis/numbers/summary.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column columns[] = {
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

static struct cell average(uint64_t total, uint64_t count)
{
	return cell_real((double)total / (double)count);
}

static void make_row(const void *ctx, uint64_t i, struct cell *out)
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
	*out++ = average(l->launches, s->count);
	*out++ = average(l->levels, s->count);
	*out++ = average(l->children, s->count);
}

static void free_lines(void *p)
{
	struct lines *l = p;

	projected_free(&l->projected);
	idmap_free(&l->groups);
	free(l->all);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct lines *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	(void)args;
	report_on_free(r, free_lines, l);
	if (projected_read(t, &l->projected, e) < 0)
		return -1;
	sum_lines(l);
	sort_stable(l->all, l->count, sizeof(*l->all), compare_lines, NULL);
	trace_report(r, self, columns, ARRAY_LEN(columns), l->count, make_row, l);
	return 0;
}

const struct analysis analysis_nsys_nvtx_gpu_proj_sum = {
	.name = "nvtx_gpu_proj_sum",
	.title = "NVTX GPU Projection Summary",
	.summary = "NVTX ranges by the time of the GPU work launched inside them",
	.nsys = true,
	.needs = NEEDS(TRACE_NVTX) | NEEDS(TRACE_API),
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS),
	.run = run,
};
