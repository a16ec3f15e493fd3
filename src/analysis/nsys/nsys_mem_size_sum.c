/* nsys: how many bytes did each memory operation move? */
#include "analysis/nsys/sum_report.h"
#include "base/mem.h"
#include "trace/system/labels.h"

#include <stdlib.h>

#define MB_COLUMN(key, title)                         \
	{                                             \
		key, title, UNIT_RATIO, 3, NULL, SHOW \
	}

static const struct column columns[] = {
	MB_COLUMN("total_mb", "Total (MB)"),   {"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	MB_COLUMN("avg_mb", "Avg (MB)"),       MB_COLUMN("med_mb", "Med (MB)"),
	MB_COLUMN("min_mb", "Min (MB)"),       MB_COLUMN("max_mb", "Max (MB)"),
	MB_COLUMN("stddev_mb", "StdDev (MB)"), {"operation", "Operation", UNIT_NAME, 0, "", SHOW},
};

enum { COPY_KINDS = 14 };

static void add_copies(const struct events *ev, struct sum_lines *l)
{
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	struct summary sums[COPY_KINDS];

	for (uint64_t i = 0; i < ev->count; i++)
		group[i] = ev->bytes[i] == INT_NONE	   ? GROUP_NONE
			   : ev->copy_kind[i] < COPY_KINDS ? ev->copy_kind[i]
							   : 0;
	summarize(ev->bytes, group, ev->count, COPY_KINDS, sums);
	for (uint32_t k = 0; k < COPY_KINDS; k++) {
		if (sums[k].count)
			sum_lines_add(l, (struct sum_line){.s = sums[k], .name = label_memcpy(k)});
	}
	free(group);
}

static void add_sets(const struct events *ev, struct sum_lines *l)
{
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	struct summary sum;

	for (uint64_t i = 0; i < ev->count; i++)
		group[i] = ev->bytes[i] == INT_NONE ? GROUP_NONE : 0;
	summarize(ev->bytes, group, ev->count, 1, &sum);
	if (sum.count)
		sum_lines_add(l, (struct sum_line){.s = sum, .name = LABEL_MEMSET});
	free(group);
}

static int load(struct trace *t, struct err *e)
{
	if (trace_load(t, TRACE_MEMCPYS, COL_BIT(COL_BYTES) | COL_BIT(COL_COPY_KIND), e) < 0 ||
	    trace_require_column(t, TRACE_MEMCPYS, COL_COPY_KIND, e) < 0 ||
	    trace_require_column(t, TRACE_MEMCPYS, COL_BYTES, e) < 0 ||
	    trace_load(t, TRACE_MEMSETS, COL_BIT(COL_BYTES), e) < 0)
		return -1;
	return trace_require_column(t, TRACE_MEMSETS, COL_BYTES, e);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct sum_lines lines = {0};
	struct rows *rows;

	(void)args;
	if (load(t, e) < 0)
		return -1;
	if (t->events[TRACE_MEMCPYS].count)
		add_copies(&t->events[TRACE_MEMCPYS], &lines);
	if (t->events[TRACE_MEMSETS].count)
		add_sets(&t->events[TRACE_MEMSETS], &lines);
	sum_lines_sort(&lines);
	rows = report_new_rows(r, self->name, self->title, columns, ARRAY_LEN(columns));
	rows->table.nsys = true;
	for (size_t i = 0; i < lines.count; i++) {
		const struct summary *s = &lines.lines[i].s;

		rows_add(rows, cell_real((double)s->total / 1e6));
		rows_add(rows, cell_int((int64_t)s->count));
		rows_add(rows, cell_real(s->mean / 1e6));
		rows_add(rows, cell_real(s->p50 / 1e6));
		rows_add(rows, cell_real((double)s->min / 1e6));
		rows_add(rows, cell_real((double)s->max / 1e6));
		rows_add(rows, cell_real(s->stddev / 1e6));
		rows_add(rows, cell_str(lines.lines[i].name));
	}
	sum_lines_free(&lines);
	return 0;
}

const struct analysis analysis_nsys_cuda_gpu_mem_size_sum = {
	.name = "cuda_gpu_mem_size_sum",
	.title = "CUDA GPU MemOps Summary (by Size)",
	.summary = "memory operations by bytes",
	.nsys = true,
	.needs_any = NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS),
	.run = run,
};
