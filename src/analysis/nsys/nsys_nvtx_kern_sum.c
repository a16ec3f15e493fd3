/* nsys: which kernels ran for the NVTX ranges of each name? */
#include "analysis/cell_values.h"
#include "analysis/nsys/nsys_report.h"
#include "analysis/ranges/range_kernels.h"
#include "base/mem.h"
#include "base/sort.h"

static const struct column columns[] = {
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

struct listing {
	const struct trace *trace;
	struct range_kernels kernels;
};

static struct str range_name(const struct listing *l, const struct kernel_line *line)
{
	if (line->group.name == NAME_NONE)
		return STR_LIT("");
	return l->kernels.names.names.items[line->group.name];
}

static struct str style_name(const struct kernel_line *line)
{
	return line->group.name == NAME_NONE ? STR_LIT("") : range_style(line->group.type);
}

static uint64_t thread_key(const struct listing *l, const struct kernel_line *line)
{
	uint32_t thread = line->group.thread;

	return thread == ID_NONE ? 0 : l->trace->thread_keys.keys[thread];
}

/* NVIDIA's order: by range, process and thread, and there by total time. */
static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct kernel_line *x = a, *y = b;
	const struct listing *l = ctx;
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

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	const struct listing *l = ctx;
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

static void free_listing(void *p)
{
	range_kernels_free(&((struct listing *)p)->kernels);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));
	struct kernel_lines *lines = &l->kernels.lines;

	l->trace = t;
	report_on_free(r, free_listing, l);
	if (range_kernels_read(t, args, &l->kernels, e) < 0)
		return -1;
	sort_stable(lines->lines, lines->count, sizeof(*lines->lines), compare_lines, l);
	trace_report(r, self, columns, ARRAY_LEN(columns), lines->count, make_row, l);
	return 0;
}

NSYS_REPORT(nvtx_kern_sum, "NVTX Range Kernel Summary", "kernels by the NVTX range of their launch",
	    run, .needs = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_API) | NEEDS(TRACE_NVTX),
	    .options = &naming_options);
