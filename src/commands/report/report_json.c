/* What does report.json say? */
#include "commands/report/report_summary.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/version.h"
#include "commands/report/report_tables.h"
#include "report/finding.h"
#include "report/json_value.h"
#include "text/decimal.h"
#include "text/text.h"

#include <math.h>

enum { VERSION = 1, GAPS_SHOWN = 50 };

static const struct mapped_column storm_columns[] = {
	SAME("pid"),
	NAMED("device_id", "device"),
	SAME("launches"),
	MS("window_ms", "over_ns"),
	SAME("launches_per_s"),
	US("median_kernel_us", "kernel_p50_ns"),
	NAMED("pct_under_5us", "under_5us_pct"),
	NAMED("pct_under_10us", "under_10us_pct"),
	NAMED("pct_under_20us", "under_20us_pct"),
	SAME("storm"),
};

static const struct mapped_column sync_columns[] = {
	SAME("kind"),
	NAMED("call_count", "calls"),
	MS("total_time_ms", "total_ns"),
	NAMED("pct_of_window", "window_pct"),
};

static const struct mapped_column idle_columns[] = {
	NAMED("device_id", "device"),
	MS("window_ms", "window_ns"),
	MS("busy_ms", "busy_ns"),
	MS("idle_ms", "idle_ns"),
	NAMED("idle_pct_of_window", "idle_pct"),
	MS("kernel_busy_ms", "kernel_busy_ns"),
	MS("kernel_idle_ms", "kernel_idle_ns"),
};

static const struct mapped_column blame_columns[] = {
	NAMED("device_id", "device"),
	SAME("blame"),
	MS("total_ms", "total_ns"),
	SAME("pct_of_idle"),
};

static const struct mapped_column partition_columns[] = {
	NAMED("device_id", "device"), SAME("window_ns"),       SAME("compute_ns"),
	SAME("exposed_comm_ns"),      SAME("exposed_copy_ns"), SAME("idle_ns"),
};

static const struct mapped_column attributed_columns[] = {
	NAMED("range_name", "range"),	   NAMED("range_count", "count"),
	MS("kernel_time_ms", "kernel_ns"), NAMED("kernel_count", "kernels"),
	MS("gpu_time_ms", "gpu_ns"),	   MS("gpu_self_time_ms", "gpu_self_ns"),
	MS("wall_time_ms", "wall_ns"),
};

static const struct mapped_column phase_columns[] = {
	SAME("phase"),
	MS("wall_time_ms", "wall_ns"),
	NAMED("range_count", "ranges"),
};

static const struct mapped_column phase_gpu_columns[] = {
	SAME("phase"),
	MS("gpu_time_ms", "gpu_ns"),
	SAME("gpu_ops"),
	NAMED("pct_of_gpu_time", "gpu_pct"),
};

static const struct mapped_column process_columns[] = {
	SAME("pid"),
	SAME("process"),
	MS("kernel_time_ms", "kernel_ns"),
	NAMED("pct_of_total_kernel_time", "kernel_pct"),
	NAMED("kernel_count", "kernels"),
	SAME("launches"),
	SAME("launches_per_s"),
	SAME("storm"),
	MS("sync_time_ms", "blocked_ns"),
	NAMED("nvtx_ranges", "ranges"),
	SAME("top_kernel"),
};

static const struct mapped_column quality_columns[] = {
	SAME("pid"),
	NAMED("pct_of_kernels_with_launch", "launched_pct"),
	NAMED("pct_of_kernel_time_in_nvtx", "in_ranges_pct"),
};

static const struct mapped_column schema_columns[] = {
	SAME("table"),
	SAME("rows"),
	SAME("columns"),
};

static const struct mapped_column timing_columns[] = {
	SAME("stage"),
	SAME("instances"),
	MS("mean_ms", "mean_ns"),
	MS("p50_ms", "p50_ns"),
	MS("min_ms", "min_ns"),
	MS("max_ms", "max_ns"),
	MS("stddev_ms", "stddev_ns"),
	MS("wall_ms", "wall_ns"),
	MS("gpu_busy_ms", "busy_ns"),
	NAMED("gpu_busy_pct", "busy_pct"),
	SAME("devices"),
	SAME("processes"),
};

static const struct mapped_column mfu_columns[] = {
	SAME("stage"),
	SAME("instances"),
	MS("wall_ms", "wall_ns"),
	MS("gpu_busy_ms", "busy_ns"),
	SAME("devices"),
	SAME("tokens"),
	SAME("tokens_per_s"),
	SAME("flops"),
	SAME("hardware_flops"),
	SAME("flops_per_s"),
	SAME("peak_flops_per_s"),
	SAME("mfu_pct"),
	SAME("mfu_busy_pct"),
	SAME("hfu_pct"),
	SAME("hfu_busy_pct"),
};

static const struct mapped_column code_thread_columns[] = {
	SAME("pid"),
	SAME("tid"),
	SAME("thread"),
	MS("gpu_idle_ms", "idle_ns"),
	MS("sampled_ms", "sampled_ns"),
	MS("not_sampled_ms", "unsampled_ns"),
	NAMED("samples_of", "source"),
	SAME("samples"),
	US("period_us", "period_ns"),
};

static const struct mapped_column counter_columns[] = {
	NAMED("device_id", "device"), SAME("samples"),	      SAME("bound"),
	SAME("gr_active_pct"),	      SAME("sms_active_pct"), SAME("issue_pct"),
	SAME("tensor_pct"),	      SAME("warps_pct"),      SAME("dram_read_pct"),
	SAME("dram_write_pct"),	      SAME("pcie_rx_pct"),    SAME("pcie_tx_pct"),
	SAME("nvlink_rx_pct"),	      SAME("nvlink_tx_pct"),  SAME("clock_mhz"),
	SAME("uncertain_pct"),
};

static const struct mapped_column profiled_columns[] = {
	NAMED("kernel_name", "kernel"),
	MS("total_time_ms", "run_ns"),
	NAMED("call_count", "run_count"),
	NAMED("pct_total_kernel_time", "run_pct"),
	NAMED("measured_launches", "launches"),
	US("measured_time_us", "duration_ns"),
	SAME("bound"),
	SAME("margin_pct"),
	SAME("sm_pct"),
	SAME("dram_pct"),
	SAME("occupancy_pct"),
	SAME("flops"),
	SAME("dram_bytes"),
	NAMED("flop_per_byte", "intensity"),
};

static const struct mapped_column roofline_columns[] = {
	NAMED("kernel_name", "kernel"),
	MS("headroom_ms", "headroom_ns"),
	MS("total_time_ms", "time_ns"),
	SAME("attained_pct"),
	SAME("ceiling"),
	NAMED("flop_per_byte", "intensity"),
	SAME("flops_per_s"),
	SAME("dram_bytes_per_s"),
	SAME("bound"),
};

static const struct mapped_column ceiling_columns[] = {
	SAME("device"),
	SAME("ceiling"),
	SAME("peak_flops_per_s"),
	SAME("peak_bytes_per_s"),
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

static void add_window(struct buf *b, const char *before, const struct report *r)
{
	buf_addf(b, "%s\"window\": ", before);
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

/* What every document begins with: who should do what, about which finding, for which gain. */
static void add_actions(struct buf *b, const struct parts *p)
{
	const struct finding *f;
	size_t n = 0;

	buf_adds(b, "  \"actions\": [");
	for (; (f = summary_action(p, n)); n++) {
		buf_addf(b, "%s{\"owner\": \"%s\"", n ? ",\n    " : "\n    ", owner_key(f->owner));
		json_add_text(b, ", \"action\": ", f->advice[0]);
		buf_addf(b, ", \"finding\": \"%s\"", f->id);
		json_add_text(b, ", \"why\": ", f->title);
		buf_adds(b, ", \"recoverable_ns\": ");
		decimal_add_int(b, f->recoverable_ns);
		buf_adds(b, ", \"recoverable_pct\": ");
		json_add_real(b, f->recoverable_pct);
		buf_addf(b, ", \"confidence\": \"%s\"}", confidence_name(f->confidence));
	}
	buf_adds(b, n ? "\n  ],\n" : "],\n");
}

/* After what comes before it, its own name included; at most `limit` rows, 0: all. */
static void add_list(struct buf *b, const char *before, struct mapped m, const struct table *t,
		     uint64_t limit)
{
	buf_adds(b, before);
	mapped_add_json(b, &m, t, limit);
}

static void add_idle(struct buf *b, const struct parts *p)
{
	const struct part *idle = &p->all[PART_IDLE];
	const struct table *partition = part_table(&p->all[PART_SUMMARY], "gpu_partition");
	const struct table *gaps = part_table(idle, "gaps");

	add_window(b, "    \"gpu_idle\": {", &idle->report);
	add_list(b, ", \"devices\": ", MAPPED(idle_columns), partition, 0);
	add_list(b, ", \"blame\": ", MAPPED(blame_columns), part_table(idle, "idle_blame"), 0);
	add_list(b, ", \"gaps\": ", mapped_gaps, gaps, GAPS_SHOWN);
	buf_adds(b, ", \"gaps_total\": ");
	decimal_add_int(b, gaps ? (int64_t)gaps->total_rows : 0);
	add_window(b, "},\n    \"gpu_partition\": {", &p->all[PART_SUMMARY].report);
	add_list(b, ", \"devices\": ", MAPPED(partition_columns), partition, 0);
	buf_adds(b, "},\n");
}

static void add_coverage(struct buf *b, const struct part *part)
{
	json_add_real(b,
		      part->made && part->report.has_coverage ? 100 * part->report.coverage : NAN);
}

static void add_nvtx(struct buf *b, const struct parts *p)
{
	const struct part *nvtx = &p->all[PART_NVTX];
	const struct table *phases = part_table(&p->all[PART_PHASES], "phases");

	add_list(b, "    \"nvtx\": {\"ranges\": ", mapped_ranges,
		 part_table(&p->all[PART_RANGES], "ranges"), 200);
	add_list(b, "},\n    \"nvtx_phases\": {\"phases\": ", MAPPED(phase_columns), phases, 0);
	buf_adds(b, "},\n    \"nvtx_kernel_time\": {\"coverage_pct\": ");
	add_coverage(b, nvtx);
	add_list(b, ", \"ranges\": ", MAPPED(attributed_columns), part_table(nvtx, "nvtx"), 200);
	add_list(b, "},\n    \"nvtx_kernel_phases\": {\"phases\": ", MAPPED(phase_gpu_columns),
		 phases, 0);
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
	add_list(b, ", \"kinds\": ", MAPPED(sync_columns), part_table(sync, "sync"), 0);
	add_list(b, ", \"calls\": ", mapped_sync_calls(), part_table(sync, "sync_calls"), 0);
	buf_adds(b, "},\n");
}

static void add_kernels(struct buf *b, const struct parts *p)
{
	add_list(b, "    \"top_kernels\": ", mapped_kernels(p, true),
		 part_table(&p->all[PART_KERNELS], "kernels"), p->asked->kernel_limit);
	add_list(b, ",\n    \"top_kernels_all_devices\": ", mapped_kernels(p, false),
		 part_table(&p->all[PART_SUMMARY], "kernels"), p->asked->kernel_limit);
	buf_adds(b, ",\n");
}

/* One more member of the metrics, to which the caller adds its lists and the end. */
static void begin_metric(struct buf *b, const char *name, const struct part *part)
{
	buf_addf(b, ",\n    \"%s\": {\"window\": ", name);
	json_add_window(b, &part->report);
}

/* Only the places that matter most: tables/source_lines.csv has all. */
static void add_code(struct buf *b, const struct part *part)
{
	begin_metric(b, "source_code", part);
	add_list(b, ", \"lines\": ", mapped_code, part_table(part, "code"), 200);
	add_list(b, ", \"threads\": ", MAPPED(code_thread_columns),
		 part_table(part, "code_threads"), 0);
	buf_adds(b, "}");
}

/* Over the window: tables/gpu_counters.csv has them as time goes on. */
static void add_counters(struct buf *b, const struct part *part)
{
	begin_metric(b, "gpu_counters", part);
	add_list(b, ", \"devices\": ", MAPPED(counter_columns), part_table(part, "metrics"), 0);
	buf_adds(b, "}");
}

static void add_profile(struct buf *b, const struct part *part)
{
	begin_metric(b, "ncu", part);
	buf_adds(b, ", \"coverage_pct\": ");
	add_coverage(b, part);
	add_list(b, ", \"kernels\": ", MAPPED(profiled_columns), part_table(part, "ncu_kernels"),
		 0);
	buf_adds(b, "}");
	begin_metric(b, "roofline", part);
	add_list(b, ", \"kernels\": ", MAPPED(roofline_columns), part_table(part, "roofline"), 0);
	add_list(b, ", \"ceilings\": ", MAPPED(ceiling_columns), part_table(part, "ceilings"), 0);
	buf_adds(b, "}");
}

static void add_stages(struct buf *b, const struct parts *p)
{
	const struct part *timings = &p->all[PART_TIMINGS], *mfu = &p->all[PART_MFU];

	begin_metric(b, "stage_timings", timings);
	add_list(b, ", \"stages\": ", MAPPED(timing_columns), part_table(timings, "timings"), 0);
	buf_adds(b, "}");
	if (mfu->made) {
		begin_metric(b, "mfu", mfu);
		add_list(b, ", \"stages\": ", MAPPED(mfu_columns), part_table(mfu, "mfu"), 0);
		buf_adds(b, "}");
	}
	if (p->all[PART_NCU].made)
		add_profile(b, &p->all[PART_NCU]);
	if (p->all[PART_CODE].made)
		add_code(b, &p->all[PART_CODE]);
	if (p->all[PART_COUNTERS].made)
		add_counters(b, &p->all[PART_COUNTERS]);
}

static void add_metrics(struct buf *b, const struct parts *p)
{
	const struct table *processes = part_table(&p->all[PART_PROCESSES], "processes");

	buf_adds(b, "  \"metrics\": {\n");
	add_kernels(b, p);
	add_list(b, "    \"launch_storm\": {\"devices\": ", MAPPED(storm_columns),
		 part_table(&p->all[PART_LAUNCHES], "launch_rates"), 0);
	buf_adds(b, "},\n");
	add_sync(b, p);
	add_idle(b, p);
	add_nvtx(b, p);
	add_list(b, "    \"per_pid\": ", MAPPED(process_columns), processes, 0);
	add_list(b, ",\n    \"pid_attribution\": {\"processes\": ", MAPPED(quality_columns),
		 processes, 0);
	buf_adds(b, "}");
	add_stages(b, p);
	buf_adds(b, "\n  }\n}\n");
}

int report_json_add(struct buf *b, const struct parts *p, const struct report_trace *trace,
		    const char *generated_at, struct err *e)
{
	add_head(b, trace, generated_at);
	if (add_environment(b, p, trace, e) < 0)
		return -1;
	add_window(b, "  ", &p->all[PART_FINDINGS].report);
	buf_adds(b, ",\n");
	add_warnings(b, p);
	json_add_verdict(b, &p->all[PART_FINDINGS].report);
	json_add_workload(b, &p->all[PART_FINDINGS].report);
	add_actions(b, p);
	json_add_findings(b, &p->all[PART_FINDINGS].report);
	add_list(b, "  \"schema\": {\"tables\": ", MAPPED(schema_columns),
		 part_table(&p->all[PART_SCHEMA], "tables"), 0);
	buf_adds(b, "},\n");
	add_metrics(b, p);
	return 0;
}
