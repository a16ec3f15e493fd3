/* What does report.json say of stages, and of what was asked for beyond the trace? */
#include "base/mem.h"
#include "commands/report/mapped.h"
#include "commands/report/report_json.h"
#include "report/json_value.h"

#define MAPPED(list) ((struct mapped){.columns = (list), .count = ARRAY_LEN(list)})

static const struct mapped_column timing_columns[] = {
	{"stage", "stage", AS_IS},
	{"instances", "instances", AS_IS},
	{"mean_ms", "mean_ns", NS_TO_MS},
	{"p50_ms", "p50_ns", NS_TO_MS},
	{"min_ms", "min_ns", NS_TO_MS},
	{"max_ms", "max_ns", NS_TO_MS},
	{"stddev_ms", "stddev_ns", NS_TO_MS},
	{"wall_ms", "wall_ns", NS_TO_MS},
	{"gpu_busy_ms", "busy_ns", NS_TO_MS},
	{"gpu_busy_pct", "busy_pct", AS_IS},
	{"devices", "devices", AS_IS},
	{"processes", "processes", AS_IS},
};

static const struct mapped_column mfu_columns[] = {
	{"stage", "stage", AS_IS},
	{"instances", "instances", AS_IS},
	{"wall_ms", "wall_ns", NS_TO_MS},
	{"gpu_busy_ms", "busy_ns", NS_TO_MS},
	{"devices", "devices", AS_IS},
	{"tokens", "tokens", AS_IS},
	{"tokens_per_s", "tokens_per_s", AS_IS},
	{"flops", "flops", AS_IS},
	{"hardware_flops", "hardware_flops", AS_IS},
	{"flops_per_s", "flops_per_s", AS_IS},
	{"peak_flops_per_s", "peak_flops_per_s", AS_IS},
	{"mfu_pct", "mfu_pct", AS_IS},
	{"mfu_busy_pct", "mfu_busy_pct", AS_IS},
	{"hfu_pct", "hfu_pct", AS_IS},
	{"hfu_busy_pct", "hfu_busy_pct", AS_IS},
};

static const struct mapped_column profiled_columns[] = {
	{"kernel_name", "kernel", AS_IS},
	{"total_time_ms", "run_ns", NS_TO_MS},
	{"call_count", "run_count", AS_IS},
	{"pct_total_kernel_time", "run_pct", AS_IS},
	{"measured_launches", "launches", AS_IS},
	{"measured_time_us", "duration_ns", NS_TO_US},
	{"bound", "bound", AS_IS},
	{"margin_pct", "margin_pct", AS_IS},
	{"sm_pct", "sm_pct", AS_IS},
	{"dram_pct", "dram_pct", AS_IS},
	{"occupancy_pct", "occupancy_pct", AS_IS},
	{"flops", "flops", AS_IS},
	{"dram_bytes", "dram_bytes", AS_IS},
	{"flop_per_byte", "intensity", AS_IS},
};

static const struct mapped_column roofline_columns[] = {
	{"kernel_name", "kernel", AS_IS},
	{"headroom_ms", "headroom_ns", NS_TO_MS},
	{"total_time_ms", "time_ns", NS_TO_MS},
	{"attained_pct", "attained_pct", AS_IS},
	{"ceiling", "ceiling", AS_IS},
	{"flop_per_byte", "intensity", AS_IS},
	{"flops_per_s", "flops_per_s", AS_IS},
	{"dram_bytes_per_s", "dram_bytes_per_s", AS_IS},
	{"bound", "bound", AS_IS},
};

static const struct mapped_column ceiling_columns[] = {
	{"device", "device", AS_IS},
	{"ceiling", "ceiling", AS_IS},
	{"peak_flops_per_s", "peak_flops_per_s", AS_IS},
	{"peak_bytes_per_s", "peak_bytes_per_s", AS_IS},
};

/* One more member of the metrics, to which the caller adds its lists and the end. */
static void begin(struct buf *b, const char *name, const struct part *part)
{
	buf_addf(b, ",\n    \"%s\": {\"window\": ", name);
	json_add_window(b, &part->report);
}

static void add_list(struct buf *b, const char *name, struct mapped m, const struct table *t)
{
	buf_addf(b, ", \"%s\": ", name);
	mapped_add_json(b, &m, t, 0);
}

static void add_profile(struct buf *b, const struct part *part)
{
	begin(b, "ncu", part);
	buf_adds(b, ", \"coverage_pct\": ");
	if (part->report.has_coverage)
		json_add_real(b, 100 * part->report.coverage);
	else
		buf_adds(b, "null");
	add_list(b, "kernels", MAPPED(profiled_columns), part_table(part, "ncu_kernels"));
	buf_adds(b, "}");
	begin(b, "roofline", part);
	add_list(b, "kernels", MAPPED(roofline_columns), part_table(part, "roofline"));
	add_list(b, "ceilings", MAPPED(ceiling_columns), part_table(part, "ceilings"));
	buf_adds(b, "}");
}

void report_json_add_stages(struct buf *b, const struct parts *p)
{
	const struct part *timings = &p->all[PART_TIMINGS], *mfu = &p->all[PART_MFU];

	begin(b, "stage_timings", timings);
	add_list(b, "stages", MAPPED(timing_columns), part_table(timings, "timings"));
	buf_adds(b, "}");
	if (mfu->made) {
		begin(b, "mfu", mfu);
		add_list(b, "stages", MAPPED(mfu_columns), part_table(mfu, "mfu"));
		buf_adds(b, "}");
	}
	if (p->all[PART_NCU].made)
		add_profile(b, &p->all[PART_NCU]);
}
