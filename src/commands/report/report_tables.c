/* What is in the CSV tables of a report? */
#include "commands/report/report_tables.h"

#include "base/mem.h"

#include <stdlib.h>

/* With or without percentiles, by device or not: the rest is the same. */
#define KERNEL_TIMES(percentile)                                                                  \
	{"call_count", "count", AS_IS}, {"total_time_ns", "total_ns", AS_IS},                     \
		{"total_time_ms", "total_ns", NS_TO_MS}, {"avg_duration_us", "avg_ns", NS_TO_US}, \
		{"min_duration_us", "min_ns", NS_TO_US}, {"max_duration_us", "max_ns", NS_TO_US}, \
		{"p50_duration_us", "p50_ns", percentile},                                        \
		{"p90_duration_us", "p90_ns", percentile},                                        \
	{                                                                                         \
		"pct_total_kernel_time", "pct", AS_IS                                             \
	}

static const struct mapped_column kernel_columns[] = {
	{"kernel_name", "kernel", AS_IS},
	{"device_id", "device", AS_IS},
	KERNEL_TIMES(NS_TO_US),
};

static const struct mapped_column kernel_columns_without_percentiles[] = {
	{"kernel_name", "kernel", AS_IS},
	{"device_id", "device", AS_IS},
	KERNEL_TIMES(LEFT_OUT),
};

static const struct mapped_column all_devices_columns[] = {
	{"kernel_name", "kernel", AS_IS},
	KERNEL_TIMES(NS_TO_US),
};

static const struct mapped_column all_devices_columns_without_percentiles[] = {
	{"kernel_name", "kernel", AS_IS},
	KERNEL_TIMES(LEFT_OUT),
};

static const struct mapped_column gap_columns[] = {
	{"device_id", "device", AS_IS},	   {"gap_start_ns", "start_ns", AS_IS},
	{"gap_end_ns", "end_ns", AS_IS},   {"gap_ms", "gap_ns", NS_TO_MS},
	{"meanwhile", "meanwhile", AS_IS}, {"nvtx_range", "range", AS_IS},
	{"op_before", "before", AS_IS},	   {"op_after", "after", AS_IS},
};

static const struct mapped_column range_columns[] = {
	{"range_name", "range", AS_IS},
	{"count", "count", AS_IS},
	{"total_time_ms", "total_ns", NS_TO_MS},
	{"avg_duration_us", "avg_ns", NS_TO_US},
	{"p50_duration_us", "p50_ns", NS_TO_US},
	{"p90_duration_us", "p90_ns", NS_TO_US},
	{"style", "style", AS_IS},
};

static const struct mapped_column pid_kernel_columns[] = {
	{"pid", NULL, AS_IS},
	{"pid_total_kernel_time_ms", NULL, AS_IS},
	{"pid_pct_of_total_kernel_time", NULL, AS_IS},
	{"kernel_name", "kernel", AS_IS},
	{"device_id", "device", AS_IS},
	{"call_count", "count", AS_IS},
	{"total_time_ms", "total_ns", NS_TO_MS},
	{"avg_duration_us", "avg_ns", NS_TO_US},
	{"pct_of_pid_kernel_time", "pct", AS_IS},
	{"pct_of_total_kernel_time", "total_ns", NS_TO_PCT},
};

static const struct mapped_column pid_sync_columns[] = {
	{"pid", NULL, AS_IS},
	{"api_name", "call", AS_IS},
	{"call_count", "calls", AS_IS},
	{"total_time_ms", "total_ns", NS_TO_MS},
	{"avg_duration_us", "avg_ns", NS_TO_US},
	{"kind", "kind", AS_IS},
};

static const struct mapped_column pid_range_columns[] = {
	{"pid", NULL, AS_IS},
	{"range_name", "range", AS_IS},
	{"nvtx_count", "count", AS_IS},
	{"nvtx_total_time_ms", "wall_ns", NS_TO_MS},
	{"attributed_kernel_time_ms", "kernel_ns", NS_TO_MS},
	{"attributed_kernel_count", "kernels", AS_IS},
	{"pid_attribution_coverage_pct", NULL, AS_IS},
	{"attributed_gpu_time_ms", "gpu_ns", NS_TO_MS},
};

#define MAPPED(list) ((struct mapped){.columns = (list), .count = ARRAY_LEN(list)})

struct mapped mapped_kernels(const struct parts *p)
{
	return p->asked->no_kernel_percentiles ? MAPPED(kernel_columns_without_percentiles)
					       : MAPPED(kernel_columns);
}

struct mapped mapped_kernels_all_devices(const struct parts *p)
{
	return p->asked->no_kernel_percentiles ? MAPPED(all_devices_columns_without_percentiles)
					       : MAPPED(all_devices_columns);
}

struct mapped mapped_gaps(void)
{
	return MAPPED(gap_columns);
}

struct mapped mapped_ranges(void)
{
	return MAPPED(range_columns);
}

struct mapped mapped_sync_calls(void)
{
	struct mapped m = MAPPED(pid_sync_columns);

	/* Without the process, which comes first. */
	m.columns++;
	m.count--;
	return m;
}

double table_total(const struct table *t, const char *key)
{
	int column = t ? table_column(t, key) : -1;
	struct cell *cells;
	double total = 0;

	if (column < 0)
		return 0;
	cells = mem_zalloc(t->column_count, sizeof(*cells));
	for (uint64_t i = 0; i < t->rows; i++) {
		t->row(t->ctx, i, cells);
		total += cells[column].kind == CELL_INT ? (double)cells[column].i : 0;
	}
	free(cells);
	return total;
}

static void add_simple(struct buf *b, struct mapped m, const struct table *t)
{
	mapped_add_csv_header(b, &m);
	mapped_add_csv(b, &m, t);
}

static void add_kernels(struct buf *b, const struct parts *p)
{
	add_simple(b, mapped_kernels(p), part_table(&p->all[PART_KERNELS], "kernels"));
}

static void add_ranges(struct buf *b, const struct parts *p)
{
	add_simple(b, mapped_ranges(), part_table(&p->all[PART_RANGES], "ranges"));
}

static void add_gaps(struct buf *b, const struct parts *p)
{
	add_simple(b, mapped_gaps(), part_table(&p->all[PART_IDLE], "gaps"));
}

static void add_kernels_by_pid(struct buf *b, const struct parts *p)
{
	double all_ns = table_total(part_table(&p->all[PART_KERNELS], "kernels"), "total_ns");
	struct mapped m = MAPPED(pid_kernel_columns);

	m.whole_ns = all_ns;
	mapped_add_csv_header(b, &m);
	for (size_t i = 0; i < p->process_count; i++) {
		const struct table *t = part_table(parts_kernels_of(p, i), "kernels");
		double ns = table_total(t, "total_ns");
		struct cell extra[] = {cell_int(p->processes[i].pid), cell_real(ns / 1e6),
				       all_ns > 0 ? cell_real(100 * ns / all_ns) : cell_null()};

		m.extra = extra;
		mapped_add_csv(b, &m, t);
	}
}

static void add_sync_by_pid(struct buf *b, const struct parts *p)
{
	struct mapped m = MAPPED(pid_sync_columns);

	mapped_add_csv_header(b, &m);
	for (size_t i = 0; i < p->process_count; i++) {
		struct cell pid = cell_int(p->processes[i].pid);

		m.extra = &pid;
		mapped_add_csv(b, &m, part_table(parts_sync_of(p, i), "sync_calls"));
	}
}

static void add_ranges_by_pid(struct buf *b, const struct parts *p)
{
	struct mapped m = MAPPED(pid_range_columns);

	mapped_add_csv_header(b, &m);
	for (size_t i = 0; i < p->process_count; i++) {
		const struct part *part = parts_nvtx_of(p, i);
		struct cell extra[] = {cell_int(p->processes[i].pid),
				       part->report.has_coverage
					       ? cell_real(100 * part->report.coverage)
					       : cell_null()};

		m.extra = extra;
		mapped_add_csv(b, &m, part_table(part, "nvtx"));
	}
}

static const struct report_table_file files[REPORT_TABLES] = {
	{"tables/kernels.csv", add_kernels},
	{"tables/nvtx_ranges.csv", add_ranges},
	{"tables/gpu_idle_gaps.csv", add_gaps},
	{"tables/kernels_by_pid.csv", add_kernels_by_pid},
	{"tables/sync_by_pid.csv", add_sync_by_pid},
	{"tables/nvtx_by_pid.csv", add_ranges_by_pid},
};

const struct report_table_file *report_table_file_at(size_t i)
{
	return &files[i];
}
