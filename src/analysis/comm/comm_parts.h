/* The five parts of a time on a GPU as the columns of a table. */
#ifndef ANALYSIS_COMM_PARTS_H
#define ANALYSIS_COMM_PARTS_H

#include "analysis/cell_values.h"
#include "analysis/comm/comm_walk.h"

/* clang-format off */
#define COMM_PART_COLUMNS                                                                          \
	{"overlap_pct", "Overlap %", UNIT_PERCENT, 0, NULL, SHOW},                                   \
	{"comm_only_ns", "Exposed comm", UNIT_NS, 0, NULL, SHOW},                                     \
	{"comm_only_pct", "Exposed %", UNIT_PERCENT, 0, NULL, SHOW},                                 \
	{"both_ns", "Overlapped comm", UNIT_NS, 0, NULL, SHOW},                                               \
	{"compute_only_ns", "Compute only", UNIT_NS, 0, NULL, SHOW},                               \
	{"copy_only_ns", "Exposed copy", UNIT_NS, 0, NULL, SHOW},                                     \
	{"idle_ns", "Idle", UNIT_NS, 0, NULL, SHOW},                                               \
	{"comm_ns", "Total comm", UNIT_NS, 0, NULL, SHOW_IF_ROOM}
/* clang-format on */

/* `window_ns` is what the parts sum up to. */
static inline void comm_parts_cells(struct rows *rows, const int64_t ns[COMM_PARTS],
				    int64_t window_ns)
{
	int64_t comm_ns = ns[PART_BOTH] + ns[PART_COMM];

	rows_add(rows, pct_cell(ns[PART_BOTH], comm_ns));
	rows_add(rows, cell_int(ns[PART_COMM]));
	rows_add(rows, pct_cell(ns[PART_COMM], window_ns));
	rows_add(rows, cell_int(ns[PART_BOTH]));
	rows_add(rows, cell_int(ns[PART_COMPUTE]));
	rows_add(rows, cell_int(ns[PART_COPY]));
	rows_add(rows, cell_int(ns[PART_IDLE]));
	rows_add(rows, cell_int(comm_ns));
}

#endif
