/* What NVIDIA's reports share: how one is defined, its table, and how it writes an NVTX range. */
#ifndef ANALYSIS_NSYS_REPORT_H
#define ANALYSIS_NSYS_REPORT_H

#include "analysis/analysis.h"
#include "analysis/kernel_names.h"
#include "analysis/numbers/summary.h"
#include "base/buf.h"
#include "trace/ranges/ranges.h"

/* The report ID of `gpuwhy stats`, nsys_ID in list.def; further members of the analysis follow. */
#define NSYS_REPORT(ID, TITLE, SUMMARY, RUN, ...)    \
	const struct analysis analysis_nsys_##ID = { \
		.name = #ID,                         \
		.title = TITLE,                      \
		.summary = SUMMARY,                  \
		.nsys = true,                        \
		.run = RUN,                          \
		__VA_ARGS__,                         \
	}

/* NVIDIA's reports do not know graphs that were recorded as a whole. */
#define NEEDS_GPU_OPS (NEEDS(TRACE_KERNELS) | NEEDS_COPIES_OR_SETS)

/* Adds a table of perhaps millions of rows: each is made as it is printed. */
void trace_report(struct report *r, const struct analysis *a, const struct column *columns,
		  size_t column_count, uint64_t rows,
		  void (*row)(const void *ctx, uint64_t i, struct cell *cells), const void *ctx);

/* Numbers of rows by start; NULL: they lie in order, as exports nearly always have them. */
uint32_t *order_unless_sorted(const int64_t *start_ns, uint64_t count);

/* Real programs nest some dozen ranges; a hostile file must not make each row a megabyte. */
enum { DEEPEST_SHOWN = 250 };

/* "PushPop" or "StartEnd", by the type of its event. */
struct str range_style(uint32_t event_type);

/* The number that a range is known by: that of its row, counted from 1. */
static inline int64_t range_id(const struct range_forest *f, uint32_t range)
{
	return (int64_t)f->ranges[range].row + 1;
}

/* The ids of the ranges around it and its own, outermost first: ":1:5:6". */
void range_add_stack(struct buf *b, const struct range_forest *f, uint32_t range);

/* Grid and block dimensions as NVIDIA prints them: " 264    2    1". */
enum { SHAPE_BYTES = 36 };

int shape_require(struct trace *t, struct err *e);
struct str shape_text(uint32_t *const dimensions[3], uint64_t kernel, char out[SHAPE_BYTES]);

/*
 * NVIDIA's *_sum reports share one form: a line per name with its share, total, count, mean,
 * median, extremes and deviation, largest total first. Sources are added one after another.
 */

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
