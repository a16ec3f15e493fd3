/* NVIDIA's *_trace reports, and what else has many rows: each is made as it is printed. */
#ifndef ANALYSIS_TRACE_REPORT_H
#define ANALYSIS_TRACE_REPORT_H

#include "analysis/analysis.h"

void trace_report(struct report *r, const struct analysis *a, const struct column *columns,
		  size_t column_count, uint64_t rows,
		  void (*row)(const void *ctx, uint64_t i, struct cell *cells), const void *ctx);

#endif
