/* How do our tables look under the names that scripts know, and what is in a report's CSV files? */
#include "commands/report/report_tables.h"

#include "base/mem.h"
#include "report/cell_text.h"
#include "report/json_value.h"
#include "report/present.h"

#include <stdlib.h>

struct reading {
	const struct mapped *m;
	const struct table *t;
	int *index; /* by mapped column: ours, or -1 */
	struct cell *cells;
};

static void reading_begin(struct reading *r, const struct mapped *m, const struct table *t)
{
	*r = (struct reading){.m = m, .t = t};
	r->index = mem_alloc(m->count, sizeof(*r->index));
	for (size_t i = 0; i < m->count; i++)
		r->index[i] = t && m->columns[i].from ? table_column(t, m->columns[i].from) : -1;
	r->cells = mem_zalloc(t ? t->column_count : 1, sizeof(*r->cells));
}

static void reading_end(struct reading *r)
{
	free(r->index);
	free(r->cells);
}

static struct cell convert(const struct mapped *m, struct cell c, enum convert how)
{
	double ns = c.kind == CELL_INT ? (double)c.i : c.r;

	if (how == PERCENTILE && m->no_percentiles)
		return cell_null();
	if (how == AS_IS || (c.kind != CELL_INT && c.kind != CELL_REAL))
		return c;
	if (how == NS_TO_PCT)
		return m->whole_ns > 0 ? cell_real(100 * ns / m->whole_ns) : cell_null();
	return cell_real(how == NS_TO_MS ? ns / 1e6 : ns / 1e3);
}

static struct cell mapped_cell(const struct reading *r, size_t column)
{
	size_t extra = 0;

	if (r->m->columns[column].from)
		return r->index[column] < 0 ? cell_null()
					    : convert(r->m, r->cells[r->index[column]],
						      r->m->columns[column].convert);
	for (size_t i = 0; i < column; i++)
		extra += !r->m->columns[i].from;
	return r->m->extra[extra];
}

static void add_csv_cell(struct buf *b, const struct cell *c)
{
	if (c->kind == CELL_TEXT)
		csv_add_field(b, c->s);
	else
		cell_add_raw(b, c);
}

static void mapped_add_csv_header(struct buf *b, const struct mapped *m)
{
	for (size_t i = 0; i < m->count; i++)
		buf_addf(b, "%s%s", i ? "," : "", m->columns[i].to);
	buf_addc(b, '\n');
}

/* All rows; a table that is NULL has none, a column that it lacks is empty. */
static void mapped_add_csv(struct buf *b, const struct mapped *m, const struct table *t)
{
	struct reading r;

	reading_begin(&r, m, t);
	for (uint64_t i = 0; t && i < t->rows; i++) {
		t->row(t->ctx, i, r.cells);
		for (size_t c = 0; c < m->count; c++) {
			struct cell cell = mapped_cell(&r, c);

			if (c)
				buf_addc(b, ',');
			add_csv_cell(b, &cell);
		}
		buf_addc(b, '\n');
	}
	reading_end(&r);
}

static void add_object(struct buf *b, const struct reading *r)
{
	buf_addc(b, '{');
	for (size_t c = 0; c < r->m->count; c++) {
		struct cell cell = mapped_cell(r, c);
		int index = r->index[c];

		buf_addf(b, "%s\"%s\": ", c ? ", " : "", r->m->columns[c].to);
		json_add_cell(b, index >= 0 ? r->t->columns[index].unit : UNIT_ID, &cell);
	}
	buf_addc(b, '}');
}

void mapped_add_json(struct buf *b, const struct mapped *m, const struct table *t, uint64_t limit)
{
	uint64_t rows = t ? t->rows : 0;
	struct reading r;

	if (limit && rows > limit)
		rows = limit;
	reading_begin(&r, m, t);
	buf_addc(b, '[');
	for (uint64_t i = 0; i < rows; i++) {
		t->row(t->ctx, i, r.cells);
		buf_adds(b, i ? ",\n      " : "\n      ");
		add_object(b, &r);
	}
	buf_adds(b, rows ? "\n    ]" : "]");
	reading_end(&r);
}

/* By device or not: the rest is the same. */
#define KERNEL_TIMES                                                              \
	NAMED("call_count", "count"), NAMED("total_time_ns", "total_ns"),         \
		MS("total_time_ms", "total_ns"), US("avg_duration_us", "avg_ns"), \
		US("min_duration_us", "min_ns"), US("max_duration_us", "max_ns"), \
		{"p50_duration_us", "p50_ns", PERCENTILE},                        \
		{"p90_duration_us", "p90_ns", PERCENTILE}, NAMED("pct_total_kernel_time", "pct")

static const struct mapped_column kernel_columns[] = {NAMED("kernel_name", "kernel"),
						      NAMED("device_id", "device"), KERNEL_TIMES};
static const struct mapped_column all_devices_columns[] = {NAMED("kernel_name", "kernel"),
							   KERNEL_TIMES};

static const struct mapped_column gap_columns[] = {
	NAMED("device_id", "device"),
	NAMED("gap_start_ns", "start_ns"),
	NAMED("gap_end_ns", "end_ns"),
	MS("gap_ms", "gap_ns"),
	SAME("meanwhile"),
	NAMED("nvtx_range", "range"),
	NAMED("op_before", "before"),
	NAMED("op_after", "after"),
};

static const struct mapped_column range_columns[] = {
	NAMED("range_name", "range"),
	SAME("count"),
	MS("total_time_ms", "total_ns"),
	US("avg_duration_us", "avg_ns"),
	US("p50_duration_us", "p50_ns"),
	US("p90_duration_us", "p90_ns"),
	SAME("style"),
};

static const struct mapped_column pid_kernel_columns[] = {
	{"pid", NULL, AS_IS},
	{"pid_total_kernel_time_ms", NULL, AS_IS},
	{"pid_pct_of_total_kernel_time", NULL, AS_IS},
	NAMED("kernel_name", "kernel"),
	NAMED("device_id", "device"),
	NAMED("call_count", "count"),
	MS("total_time_ms", "total_ns"),
	US("avg_duration_us", "avg_ns"),
	NAMED("pct_of_pid_kernel_time", "pct"),
	{"pct_of_total_kernel_time", "total_ns", NS_TO_PCT},
};

static const struct mapped_column pid_sync_columns[] = {
	{"pid", NULL, AS_IS},
	NAMED("api_name", "call"),
	NAMED("call_count", "calls"),
	MS("total_time_ms", "total_ns"),
	US("avg_duration_us", "avg_ns"),
	SAME("kind"),
};

static const struct mapped_column pid_range_columns[] = {
	{"pid", NULL, AS_IS},
	NAMED("range_name", "range"),
	NAMED("nvtx_count", "count"),
	MS("nvtx_total_time_ms", "wall_ns"),
	MS("attributed_kernel_time_ms", "kernel_ns"),
	NAMED("attributed_kernel_count", "kernels"),
	{"pid_attribution_coverage_pct", NULL, AS_IS},
	MS("attributed_gpu_time_ms", "gpu_ns"),
};

static const struct mapped_column code_columns[] = {
	SAME("pid"),
	SAME("tid"),
	NAMED("function_name", "function"),
	SAME("file"),
	SAME("line"),
	NAMED("code_of", "owner"),
	MS("gpu_idle_ms", "idle_ns"),
	NAMED("pct_of_gpu_idle", "idle_pct"),
	NAMED("mostly_in", "down_to"),
	MS("gpu_idle_self_ms", "idle_self_ns"),
	MS("gpu_idle_with_callees_ms", "idle_total_ns"),
	MS("host_time_ms", "host_ns"),
	MS("launched_gpu_time_ms", "gpu_ns"),
};

#define MEAN_AND_MAX(key) SAME(key "_pct"), SAME(key "_max_pct")

static const struct mapped_column counter_columns[] = {
	NAMED("device_id", "device"), SAME("start_ns"),		SAME("end_ns"),
	MEAN_AND_MAX("sms_active"),   MEAN_AND_MAX("tensor"),	MEAN_AND_MAX("dram"),
	MEAN_AND_MAX("pcie_in"),      MEAN_AND_MAX("pcie_out"), MEAN_AND_MAX("nvlink_in"),
	MEAN_AND_MAX("nvlink_out"),   SAME("clock_mhz"),	SAME("clock_max_mhz"),
};

const struct mapped mapped_code = {.columns = code_columns, .count = ARRAY_LEN(code_columns)};
const struct mapped mapped_gaps = {.columns = gap_columns, .count = ARRAY_LEN(gap_columns)};
const struct mapped mapped_ranges = {.columns = range_columns, .count = ARRAY_LEN(range_columns)};

struct mapped mapped_kernels(const struct parts *p, bool by_device)
{
	struct mapped m = by_device ? MAPPED(kernel_columns) : MAPPED(all_devices_columns);

	m.no_percentiles = p->asked->no_kernel_percentiles;
	return m;
}

struct mapped mapped_sync_calls(void)
{
	struct mapped m = MAPPED(pid_sync_columns);

	/* Without the process, which comes first. */
	m.columns++;
	m.count--;
	return m;
}

/* Total of a column of nanoseconds over all rows. */
static double table_total(const struct table *t, const char *key)
{
	double total = 0;

	for (uint64_t i = 0; t && i < t->rows; i++) {
		struct cell c = table_cell(t, i, key);

		total += c.kind == CELL_INT ? (double)c.i : 0;
	}
	return total;
}

static void add_simple(struct buf *b, struct mapped m, const struct table *t)
{
	mapped_add_csv_header(b, &m);
	mapped_add_csv(b, &m, t);
}

static void add_kernels(struct buf *b, const struct parts *p)
{
	add_simple(b, mapped_kernels(p, true), part_table(&p->all[PART_KERNELS], "kernels"));
}

static void add_ranges(struct buf *b, const struct parts *p)
{
	add_simple(b, mapped_ranges, part_table(&p->all[PART_RANGES], "ranges"));
}

static void add_gaps(struct buf *b, const struct parts *p)
{
	add_simple(b, mapped_gaps, part_table(&p->all[PART_IDLE], "gaps"));
}

static void add_code(struct buf *b, const struct parts *p)
{
	add_simple(b, mapped_code, part_table(&p->all[PART_CODE], "code"));
}

static void add_counters(struct buf *b, const struct parts *p)
{
	add_simple(b, MAPPED(counter_columns), part_table(&p->all[PART_COUNTERS], "counter_bins"));
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
	{"tables/kernels.csv", add_kernels, PARTS},
	{"tables/nvtx_ranges.csv", add_ranges, PARTS},
	{"tables/gpu_idle_gaps.csv", add_gaps, PARTS},
	{"tables/kernels_by_pid.csv", add_kernels_by_pid, PARTS},
	{"tables/sync_by_pid.csv", add_sync_by_pid, PARTS},
	{"tables/nvtx_by_pid.csv", add_ranges_by_pid, PARTS},
	{"tables/source_lines.csv", add_code, PART_CODE},
	{"tables/gpu_counters.csv", add_counters, PART_COUNTERS},
};

bool report_table_is_written(const struct report_table_file *file, const struct parts *p)
{
	return file->only_with == PARTS || p->all[file->only_with].made;
}

const struct report_table_file *report_table_file_at(size_t i)
{
	return &files[i];
}
