/*
 * NVIDIA's *_sum reports share one form: a line per name with its share, total, count, mean,
 * median, extremes and deviation, largest total first. Sources are added one after another.
 */
#ifndef ANALYSIS_SUM_REPORT_H
#define ANALYSIS_SUM_REPORT_H

#include "analysis/kernel_names.h"
#include "analysis/nsys/nsys_report.h"
#include "analysis/numbers/summary.h"

struct sum_line {
	struct summary s;
	struct str category; /* "CUDA_KERNEL", "PushPop", …; empty where the report has none */
	struct str name;
	struct str grid, block;
};

struct sum_lines {
	struct sum_line *lines;
	size_t count, cap;
};

void sum_lines_add(struct sum_lines *l, struct sum_line line);
/* Sorts by total, largest first; equal totals by category, name and launch shape. */
void sum_lines_sort(struct sum_lines *l);
void sum_lines_free(struct sum_lines *l);

/* Which sources of lines a report has. Each adds lines for what the trace holds, perhaps none. */
int sum_add_kernels(struct trace *t, const struct naming_args *n, struct sum_lines *l,
		    struct err *e);
int sum_add_memory(struct trace *t, struct sum_lines *l, struct err *e);
/* Lines by raw name ("cudaMalloc_v3020" and "cudaMalloc" apart), or by the name shown. */
int sum_add_api(struct trace *t, bool by_shown_name, struct sum_lines *l, struct err *e);

/*
 * Adds the table of lines to the report. After the columns of SUM_COLUMN_HEAD come the name alone,
 * category and name, or grid, block and name.
 */
void sum_report(struct report *r, const struct analysis *a, struct sum_lines *l,
		const struct column *columns, size_t column_count);

#define SUM_COLUMN_HEAD(count_key, count_title)                          \
	{"time_pct", "Time (%)", UNIT_PERCENT, 1, NULL, SHOW},           \
		{"total_ns", "Total Time (ns)", UNIT_NS, 0, NULL, SHOW}, \
		{count_key, count_title, UNIT_COUNT, 0, NULL, SHOW},     \
		{"avg_ns", "Avg (ns)", UNIT_NS, 1, NULL, SHOW},          \
		{"med_ns", "Med (ns)", UNIT_NS, 1, NULL, SHOW},          \
		{"min_ns", "Min (ns)", UNIT_NS, 0, NULL, SHOW},          \
		{"max_ns", "Max (ns)", UNIT_NS, 0, NULL, SHOW},          \
	{                                                                \
		"stddev_ns", "StdDev (ns)", UNIT_NS, 1, NULL, SHOW       \
	}

enum { SUM_HEAD_COLUMNS = 8 };

#endif
