/* What NVIDIA's reports share: how one is defined, its table, and how it writes an NVTX range. */
#ifndef ANALYSIS_NSYS_REPORT_H
#define ANALYSIS_NSYS_REPORT_H

#include "analysis/analysis.h"
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

/* Columns that dimensions need. */
#define SHAPE_COLUMNS                                                                             \
	(COL_BIT(COL_GRID_X) | COL_BIT(COL_GRID_Y) | COL_BIT(COL_GRID_Z) | COL_BIT(COL_BLOCK_X) | \
	 COL_BIT(COL_BLOCK_Y) | COL_BIT(COL_BLOCK_Z))

int shape_require(struct trace *t, struct err *e);
struct str shape_text(uint32_t *const dimensions[3], uint64_t kernel, char out[SHAPE_BYTES]);

#endif
