/* nsys: how long did NVTX ranges take, by name and one by one, and which kernels ran for them? */
#include "analysis/analysis.h"
#include "analysis/cell_values.h"
#include "analysis/nsys/nsys_report.h"
#include "analysis/ranges/range_kernels.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column range_columns[] = {
	SUM_COLUMN_HEAD("instances", "Instances"),
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
};

static const struct column styled_columns[] = {
	SUM_COLUMN_HEAD("instances", "Instances"),
	{"style", "Style", UNIT_NAME, 0, "", SHOW},
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
};

enum style { PUSH_POP = 1, START_END = 2 };

static void add_style(const struct events *ev, const struct range_names *names, enum style style,
		      struct sum_lines *l)
{
	bool (*wanted)(uint32_t) = style == PUSH_POP ? nvtx_is_push_pop : nvtx_is_start_end;
	struct str label = range_style(style == PUSH_POP ? NVTX_PUSH_POP : NVTX_START_END);
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	struct summary *sums = mem_alloc(names->names.count, sizeof(*sums));

	for (uint64_t i = 0; i < ev->count; i++)
		group[i] = wanted(ev->event_type[i]) ? names->of_row[i] : GROUP_NONE;
	summarize(ev->duration_ns, group, ev->count, names->names.count, sums);
	for (size_t i = 0; i < names->names.count; i++) {
		if (sums[i].count)
			sum_lines_add(l, (struct sum_line){.s = sums[i],
							   .category = label,
							   .name = names->names.items[i]});
	}
	free(sums);
	free(group);
}

/* The names must outlive the report. */
static void keep_names(struct report *r, struct sum_lines *l)
{
	for (size_t i = 0; i < l->count; i++)
		l->lines[i].name = arena_str(&r->arena, l->lines[i].name);
}

static int collect(struct trace *t, struct report *r, unsigned styles, struct sum_lines *l,
		   struct err *e)
{
	struct range_names names;

	if (range_names_read(t, &names, e) < 0)
		return -1;
	if (styles & PUSH_POP)
		add_style(&t->events[TRACE_NVTX], &names, PUSH_POP, l);
	if (styles & START_END)
		add_style(&t->events[TRACE_NVTX], &names, START_END, l);
	keep_names(r, l);
	range_names_free(&names);
	if (l->count)
		return 0;
	err_set(e, ERR_INPUT, "'%s' does not contain NVTX %s ranges", t->path,
		styles == PUSH_POP    ? "push/pop"
		: styles == START_END ? "start/end"
				      : "push/pop or start/end");
	e->absent = true;
	return err_hint(e, "annotate the program with NVTX and capture it with: nsys profile %s …",
			trace_kind_flag(TRACE_NVTX));
}

static int sum_styles(const struct analysis *self, struct trace *t, struct report *r,
		      unsigned styles, struct err *e)
{
	struct sum_lines lines = {0};
	int result = collect(t, r, styles, &lines, e);

	if (result == 0 && styles == (PUSH_POP | START_END))
		sum_report(r, self, &lines, styled_columns, ARRAY_LEN(styled_columns));
	else if (result == 0)
		sum_report(r, self, &lines, range_columns, ARRAY_LEN(range_columns));
	sum_lines_free(&lines);
	return result;
}

static int run_all(const struct analysis *self, struct trace *t, const void *args, struct report *r,
		   struct err *e)
{
	(void)args;
	return sum_styles(self, t, r, PUSH_POP | START_END, e);
}

static int run_push_pop(const struct analysis *self, struct trace *t, const void *args,
			struct report *r, struct err *e)
{
	(void)args;
	return sum_styles(self, t, r, PUSH_POP, e);
}

static int run_start_end(const struct analysis *self, struct trace *t, const void *args,
			 struct report *r, struct err *e)
{
	(void)args;
	return sum_styles(self, t, r, START_END, e);
}

NSYS_REPORT(nvtx_sum, "NVTX Range Summary", "NVTX ranges by total time", run_all,
	    .needs = NEEDS(TRACE_NVTX));

NSYS_REPORT(nvtx_pushpop_sum, "NVTX Push/Pop Range Summary", "NVTX push/pop ranges by total time",
	    run_push_pop, .needs = NEEDS(TRACE_NVTX));

NSYS_REPORT(nvtx_startend_sum, "NVTX Start/End Range Summary",
	    "NVTX start/end ranges by total time", run_start_end, .needs = NEEDS(TRACE_NVTX));

static const struct column trace_columns[] = {
	{"start_ns", "Start (ns)", UNIT_TIME_NS, 0, NULL, SHOW},
	{"end_ns", "End (ns)", UNIT_TIME_NS, 0, NULL, SHOW},
	{"duration_ns", "Duration (ns)", UNIT_NS, 0, NULL, SHOW},
	{"children_ns", "DurChild (ns)", UNIT_NS, 0, NULL, SHOW},
	{"self_ns", "DurNonChild (ns)", UNIT_NS, 0, NULL, SHOW},
	{"name", "Name", UNIT_NAME, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, NULL, SHOW},
	{"tid", "TID", UNIT_ID, 0, NULL, SHOW},
	{"level", "Lvl", UNIT_ID, 0, NULL, SHOW},
	{"children", "NumChild", UNIT_COUNT, 0, NULL, SHOW},
	{"range_id", "RangeId", UNIT_ID, 0, "", SHOW},
	{"parent_id", "ParentId", UNIT_ID, 0, NULL, SHOW},
	{"range_stack", "RangeStack", UNIT_NAME, 0, NULL, SHOW},
	{"name_tree", "NameTree", UNIT_NAME, 0, NULL, SHOW},
};

/* The direct children of a range. */
struct brood {
	int64_t total_ns;
	uint32_t count;
};

struct listing {
	const struct trace *trace;
	struct range_forest forest;
	struct range_names names;
	struct brood *broods; /* by range */
	uint32_t *order;
	struct buf stack, tree; /* of the row made last */
};

static void make_range_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct listing *l = (struct listing *)ctx;
	uint32_t at = l->order[i];
	const struct range *r = &l->forest.ranges[at];
	const struct brood *children = &l->broods[at];
	int64_t duration = sat_sub(r->end_ns, r->start_ns);
	struct str name = l->names.names.items[l->names.of_row[r->row]];

	buf_clear(&l->stack);
	range_add_stack(&l->stack, &l->forest, at);
	buf_clear(&l->tree);
	buf_addn(&l->tree, '-', 2 * (size_t)(r->level < DEEPEST_SHOWN ? r->level : DEEPEST_SHOWN));
	buf_addstr(&l->tree, name);
	*out++ = cell_int(r->start_ns);
	*out++ = cell_int(r->end_ns);
	*out++ = cell_int(duration);
	*out++ = cell_int(children->total_ns);
	*out++ = cell_int(sat_sub(duration, children->total_ns));
	*out++ = cell_str(name);
	*out++ = pid_cell(l->trace, r->thread);
	*out++ = tid_cell(l->trace, r->thread);
	*out++ = cell_int(r->level);
	*out++ = cell_int(children->count);
	*out++ = cell_int(range_id(&l->forest, at));
	*out++ = r->parent == RANGE_NONE ? cell_null() : cell_int(range_id(&l->forest, r->parent));
	*out++ = cell_str(buf_str(&l->stack));
	*out++ = cell_str(buf_str(&l->tree));
}

static void count_children(struct listing *l)
{
	const struct range *ranges = l->forest.ranges;

	l->broods = mem_zalloc(l->forest.count, sizeof(*l->broods));
	for (size_t i = 0; i < l->forest.count; i++) {
		struct brood *b;

		if (ranges[i].parent == RANGE_NONE)
			continue;
		b = &l->broods[ranges[i].parent];
		b->count++;
		b->total_ns = sat_add(b->total_ns, sat_sub(ranges[i].end_ns, ranges[i].start_ns));
	}
}

static void order_by_start(struct listing *l)
{
	size_t n = l->forest.count;
	int64_t *start = mem_alloc(n, sizeof(*start));

	for (size_t i = 0; i < n; i++)
		start[i] = l->forest.ranges[i].start_ns;
	l->order = sort_new_order(start, n);
	free(start);
}

static void free_listing(void *p)
{
	struct listing *l = p;

	range_forest_free(&l->forest);
	range_names_free(&l->names);
	free(l->broods);
	free(l->order);
	buf_free(&l->stack);
	buf_free(&l->tree);
}

static int run_push_pop_trace(const struct analysis *self, struct trace *t, const void *args,
			      struct report *r, struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	(void)args;
	l->trace = t;
	report_on_free(r, free_listing, l);
	if (range_names_read(t, &l->names, e) < 0 ||
	    range_forest_build(t, FOREST_PUSH_POP, &l->forest, e) < 0)
		return -1;
	count_children(l);
	order_by_start(l);
	trace_report(r, self, trace_columns, ARRAY_LEN(trace_columns), l->forest.count,
		     make_range_row, l);
	return 0;
}

NSYS_REPORT(nvtx_pushpop_trace, "NVTX Push/Pop Range Trace",
	    "every NVTX push/pop range with its stack", run_push_pop_trace,
	    .needs = NEEDS(TRACE_NVTX));

static const struct column kernel_columns[] = {
	{"range", "NVTX Range", UNIT_NAME, 0, "", SHOW},
	{"style", "Style", UNIT_NAME, 0, "", SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	{"range_count", "NVTX Inst", UNIT_COUNT, 0, NULL, SHOW},
	{"kernel_count", "Kern Inst", UNIT_COUNT, 0, NULL, SHOW},
	{"total_ns", "Total Time (ns)", UNIT_NS, 0, NULL, SHOW},
	{"avg_ns", "Avg (ns)", UNIT_NS, 1, NULL, SHOW},
	{"med_ns", "Med (ns)", UNIT_NS, 1, NULL, SHOW},
	{"min_ns", "Min (ns)", UNIT_NS, 0, NULL, SHOW},
	{"max_ns", "Max (ns)", UNIT_NS, 0, NULL, SHOW},
	{"stddev_ns", "StdDev (ns)", UNIT_NS, 1, NULL, SHOW},
	{"kernel_name", "Kernel Name", UNIT_KERNEL, 0, "", SHOW},
};

struct kernel_listing {
	const struct trace *trace;
	struct range_kernels kernels;
};

static struct str range_name(const struct kernel_listing *l, const struct kernel_line *line)
{
	if (line->group.name == NAME_NONE)
		return STR_LIT("");
	return l->kernels.names.names.items[line->group.name];
}

static struct str style_name(const struct kernel_line *line)
{
	return line->group.name == NAME_NONE ? STR_LIT("") : range_style(line->group.type);
}

static uint64_t thread_key(const struct kernel_listing *l, const struct kernel_line *line)
{
	uint32_t thread = line->group.thread;

	return thread == ID_NONE ? 0 : l->trace->thread_keys.keys[thread];
}

/* NVIDIA's order: by range, process and thread, and there by total time. */
static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct kernel_line *x = a, *y = b;
	const struct kernel_listing *l = ctx;
	uint64_t x_thread = thread_key(l, x), y_thread = thread_key(l, y);
	int c = 0;

	if (x->group.name != y->group.name && (c = str_cmp(range_name(l, x), range_name(l, y))))
		return c;
	if (x_thread != y_thread)
		return x_thread < y_thread ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	c = str_cmp(trace_name(l->trace, x->kernel), trace_name(l->trace, y->kernel));
	return c ? c : str_cmp(style_name(x), style_name(y));
}

static void make_kernel_row(const void *ctx, uint64_t i, struct cell *out)
{
	const struct kernel_listing *l = ctx;
	const struct kernel_line *line = &l->kernels.lines.lines[i];

	*out++ = text_or_null(range_name(l, line));
	*out++ = text_or_null(style_name(line));
	*out++ = pid_cell(l->trace, line->group.thread);
	*out++ = tid_cell(l->trace, line->group.thread);
	*out++ = cell_int(line->range_count);
	*out++ = cell_int(line->kernel_count);
	*out++ = cell_int(line->total_ns);
	*out++ = cell_real(line->mean_ns);
	*out++ = cell_real(line->median_ns);
	*out++ = cell_int(line->min_ns);
	*out++ = cell_int(line->max_ns);
	*out++ = cell_real(line->stddev_ns);
	*out++ = cell_str(trace_name(l->trace, line->kernel));
}

static void free_kernel_listing(void *p)
{
	range_kernels_free(&((struct kernel_listing *)p)->kernels);
}

static int run_kernels(const struct analysis *self, struct trace *t, const void *args,
		       struct report *r, struct err *e)
{
	struct kernel_listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));
	struct kernel_lines *lines = &l->kernels.lines;

	l->trace = t;
	report_on_free(r, free_kernel_listing, l);
	if (range_kernels_read(t, args, &l->kernels, e) < 0)
		return -1;
	sort_stable(lines->lines, lines->count, sizeof(*lines->lines), compare_lines, l);
	trace_report(r, self, kernel_columns, ARRAY_LEN(kernel_columns), lines->count,
		     make_kernel_row, l);
	return 0;
}

NSYS_REPORT(nvtx_kern_sum, "NVTX Range Kernel Summary", "kernels by the NVTX range of their launch",
	    run_kernels, .needs = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_API) | NEEDS(TRACE_NVTX),
	    .options = &naming_options);
