/* What does report.json say? */
#include "commands/report/report_json.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/version.h"
#include "commands/report/report_summary.h"
#include "commands/report/report_tables.h"
#include "report/json_value.h"
#include "text/decimal.h"
#include "text/text.h"

#include <stdlib.h>

enum { VERSION = 1, GAPS_SHOWN = 50 };

#define MAPPED(list) ((struct mapped){.columns = (list), .count = ARRAY_LEN(list)})

static const struct mapped_column storm_columns[] = {
	{"pid", "pid", AS_IS},
	{"device_id", "device", AS_IS},
	{"launches", "launches", AS_IS},
	{"window_ms", "over_ns", NS_TO_MS},
	{"launches_per_s", "launches_per_s", AS_IS},
	{"median_kernel_us", "kernel_p50_ns", NS_TO_US},
	{"pct_under_5us", "under_5us_pct", AS_IS},
	{"pct_under_10us", "under_10us_pct", AS_IS},
	{"pct_under_20us", "under_20us_pct", AS_IS},
	{"storm", "storm", AS_IS},
};

static const struct mapped_column sync_columns[] = {
	{"kind", "kind", AS_IS},
	{"call_count", "calls", AS_IS},
	{"total_time_ms", "total_ns", NS_TO_MS},
	{"pct_of_window", "window_pct", AS_IS},
};

static const struct mapped_column idle_columns[] = {
	{"device_id", "device", AS_IS},
	{"window_ms", "window_ns", NS_TO_MS},
	{"busy_ms", "busy_ns", NS_TO_MS},
	{"idle_ms", "idle_ns", NS_TO_MS},
	{"idle_pct_of_window", "idle_pct", AS_IS},
	{"kernel_busy_ms", "kernel_busy_ns", NS_TO_MS},
	{"kernel_idle_ms", "kernel_idle_ns", NS_TO_MS},
};

static const struct mapped_column blame_columns[] = {
	{"device_id", "device", AS_IS},
	{"blame", "blame", AS_IS},
	{"total_ms", "total_ns", NS_TO_MS},
	{"pct_of_idle", "pct_of_idle", AS_IS},
};

static const struct mapped_column partition_columns[] = {
	{"device_id", "device", AS_IS},
	{"window_ns", "window_ns", AS_IS},
	{"compute_ns", "compute_ns", AS_IS},
	{"exposed_comm_ns", "exposed_comm_ns", AS_IS},
	{"exposed_copy_ns", "exposed_copy_ns", AS_IS},
	{"idle_ns", "idle_ns", AS_IS},
};

static const struct mapped_column attributed_columns[] = {
	{"range_name", "range", AS_IS},
	{"range_count", "count", AS_IS},
	{"kernel_time_ms", "kernel_ns", NS_TO_MS},
	{"kernel_count", "kernels", AS_IS},
	{"gpu_time_ms", "gpu_ns", NS_TO_MS},
	{"gpu_self_time_ms", "gpu_self_ns", NS_TO_MS},
	{"wall_time_ms", "wall_ns", NS_TO_MS},
};

static const struct mapped_column phase_columns[] = {
	{"phase", "phase", AS_IS},
	{"wall_time_ms", "wall_ns", NS_TO_MS},
	{"range_count", "ranges", AS_IS},
};

static const struct mapped_column phase_gpu_columns[] = {
	{"phase", "phase", AS_IS},
	{"gpu_time_ms", "gpu_ns", NS_TO_MS},
	{"gpu_ops", "gpu_ops", AS_IS},
	{"pct_of_gpu_time", "gpu_pct", AS_IS},
};

static const struct mapped_column process_columns[] = {
	{"pid", "pid", AS_IS},
	{"process", "process", AS_IS},
	{"kernel_time_ms", "kernel_ns", NS_TO_MS},
	{"pct_of_total_kernel_time", "kernel_pct", AS_IS},
	{"kernel_count", "kernels", AS_IS},
	{"launches", "launches", AS_IS},
	{"launches_per_s", "launches_per_s", AS_IS},
	{"storm", "storm", AS_IS},
	{"sync_time_ms", "blocked_ns", NS_TO_MS},
	{"nvtx_ranges", "ranges", AS_IS},
	{"top_kernel", "top_kernel", AS_IS},
};

static const struct mapped_column quality_columns[] = {
	{"pid", "pid", AS_IS},
	{"pct_of_kernels_with_launch", "launched_pct", AS_IS},
	{"pct_of_kernel_time_in_nvtx", "in_ranges_pct", AS_IS},
};

static const struct mapped_column schema_columns[] = {
	{"table", "table", AS_IS},
	{"rows", "rows", AS_IS},
	{"columns", "columns", AS_IS},
};

static void add_head(struct buf *b, const struct report_trace *trace, const char *generated_at)
{
	buf_addf(b, "{\n  \"schema_version\": %d,\n", VERSION);
	buf_adds(b, "  \"tool\": {\"name\": \"gpuwhy\", \"version\": \"" GPUWHY_VERSION "\"},\n");
	buf_addf(b, "  \"generated_at\": \"%s\",\n  \"trace\": ", generated_at);
	json_add_trace(b, trace);
	buf_adds(b, ",\n");
}

/* The row that summary.md shows, under the same keys. */
static int add_environment(struct buf *b, const struct parts *p, const struct report_trace *trace,
			   struct err *e)
{
	struct report view = {.trace = *trace};
	const struct rows *rows;
	int result = summary_environment(p, &view, &rows, e);

	if (result == 0) {
		buf_adds(b, "  \"environment\": {");
		json_add_members(b, &rows->table, rows->cells);
		buf_adds(b, "},\n");
	}
	report_free(&view);
	return result;
}

static void add_window(struct buf *b, const struct report *r)
{
	buf_adds(b, "\"window\": ");
	json_add_window(b, r);
}

static void add_warnings(struct buf *b, const struct parts *p)
{
	struct strtab warnings;
	struct arena texts = {0};

	parts_warnings(p, &texts, &warnings);
	buf_adds(b, "  \"warnings\": [");
	for (size_t i = 0; i < warnings.count; i++) {
		buf_adds(b, i ? ",\n    " : "\n    ");
		text_add_json(b, warnings.items[i]);
	}
	buf_adds(b, warnings.count ? "\n  ],\n" : "],\n");
	strtab_free(&warnings);
	arena_free(&texts);
}

static void add_list(struct buf *b, const char *name, struct mapped m, const struct table *t,
		     uint64_t limit)
{
	buf_addf(b, "\"%s\": ", name);
	mapped_add_json(b, &m, t, limit);
}

static void add_idle(struct buf *b, const struct parts *p)
{
	const struct part *idle = &p->all[PART_IDLE];
	const struct table *partition = part_table(&p->all[PART_SUMMARY], "gpu_partition");
	const struct table *gaps = part_table(idle, "gaps");

	buf_adds(b, "    \"gpu_idle\": {");
	add_window(b, &idle->report);
	buf_adds(b, ", ");
	add_list(b, "devices", MAPPED(idle_columns), partition, 0);
	buf_adds(b, ", ");
	add_list(b, "blame", MAPPED(blame_columns), part_table(idle, "idle_blame"), 0);
	buf_adds(b, ", ");
	add_list(b, "gaps", mapped_gaps(), gaps, GAPS_SHOWN);
	buf_adds(b, ", \"gaps_total\": ");
	decimal_add_int(b, gaps ? (int64_t)gaps->total_rows : 0);
	buf_adds(b, "},\n    \"gpu_partition\": {");
	add_window(b, &p->all[PART_SUMMARY].report);
	buf_adds(b, ", ");
	add_list(b, "devices", MAPPED(partition_columns), partition, 0);
	buf_adds(b, "},\n");
}

static void add_nvtx(struct buf *b, const struct parts *p)
{
	const struct part *nvtx = &p->all[PART_NVTX];
	const struct table *phases = part_table(&p->all[PART_PHASES], "phases");

	buf_adds(b, "    \"nvtx\": {");
	add_list(b, "ranges", mapped_ranges(), part_table(&p->all[PART_RANGES], "ranges"), 200);
	buf_adds(b, "},\n    \"nvtx_phases\": {");
	add_list(b, "phases", MAPPED(phase_columns), phases, 0);
	buf_adds(b, "},\n    \"nvtx_kernel_time\": {\"coverage_pct\": ");
	if (nvtx->made && nvtx->report.has_coverage)
		json_add_real(b, 100 * nvtx->report.coverage);
	else
		buf_adds(b, "null");
	buf_adds(b, ", ");
	add_list(b, "ranges", MAPPED(attributed_columns), part_table(nvtx, "nvtx"), 200);
	buf_adds(b, "},\n    \"nvtx_kernel_phases\": {");
	add_list(b, "phases", MAPPED(phase_gpu_columns), phases, 0);
	buf_adds(b, "},\n");
}

/* Its percentages are of the window, which is the trim or the whole capture. */
static void add_sync(struct buf *b, const struct parts *p)
{
	const struct part *sync = &p->all[PART_SYNC];
	int64_t window_ns = window_length(&sync->report);

	buf_adds(b, "    \"sync\": {\"window_ns\": ");
	if (window_ns > 0)
		decimal_add_int(b, window_ns);
	else
		buf_adds(b, "null");
	buf_adds(b, ", ");
	add_list(b, "kinds", MAPPED(sync_columns), part_table(sync, "sync"), 0);
	buf_adds(b, ", ");
	add_list(b, "calls", mapped_sync_calls(), part_table(sync, "sync_calls"), 0);
	buf_adds(b, "},\n");
}

static void add_kernels(struct buf *b, const struct parts *p)
{
	buf_adds(b, "    ");
	add_list(b, "top_kernels", mapped_kernels(p), part_table(&p->all[PART_KERNELS], "kernels"),
		 p->asked->kernel_limit);
	buf_adds(b, ",\n    ");
	add_list(b, "top_kernels_all_devices", mapped_kernels_all_devices(p),
		 part_table(&p->all[PART_SUMMARY], "kernels"), p->asked->kernel_limit);
	buf_adds(b, ",\n");
}

static void add_metrics(struct buf *b, const struct parts *p)
{
	const struct table *processes = part_table(&p->all[PART_PROCESSES], "processes");

	buf_adds(b, "  \"metrics\": {\n");
	add_kernels(b, p);
	buf_adds(b, "    \"launch_storm\": {");
	add_list(b, "devices", MAPPED(storm_columns),
		 part_table(&p->all[PART_LAUNCHES], "launch_rates"), 0);
	buf_adds(b, "},\n");
	add_sync(b, p);
	add_idle(b, p);
	add_nvtx(b, p);
	buf_adds(b, "    ");
	add_list(b, "per_pid", MAPPED(process_columns), processes, 0);
	buf_adds(b, ",\n    \"pid_attribution\": {");
	add_list(b, "processes", MAPPED(quality_columns), processes, 0);
	buf_adds(b, "}");
	report_json_add_stages(b, p);
	buf_adds(b, "\n  }\n}\n");
}

int report_json_add(struct buf *b, const struct parts *p, const struct report_trace *trace,
		    const char *generated_at, struct err *e)
{
	add_head(b, trace, generated_at);
	if (add_environment(b, p, trace, e) < 0)
		return -1;
	buf_adds(b, "  ");
	add_window(b, &p->all[PART_FINDINGS].report);
	buf_adds(b, ",\n");
	add_warnings(b, p);
	json_add_findings(b, &p->all[PART_FINDINGS].report);
	buf_adds(b, "  \"schema\": {");
	add_list(b, "tables", MAPPED(schema_columns), part_table(&p->all[PART_SCHEMA], "tables"),
		 0);
	buf_adds(b, "},\n");
	add_metrics(b, p);
	return 0;
}
