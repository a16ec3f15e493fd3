/* How much data moved to, from and within the GPU, and how fast? */
#include "analysis/gpu/copies.h"
#include "analysis/gpu/memory_usage.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "trace/system/labels.h"

#include <stdlib.h>

static const struct column extra_columns[] = {
	{"bytes", "Bytes", UNIT_BYTES, 0, NULL, SHOW_PREFERRED},
	{"avg_bytes", "Avg size", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
	{"max_bytes", "Max size", UNIT_BYTES, 0, NULL, MACHINE_ONLY},
	{"bytes_per_s", "Throughput", UNIT_BYTES_PER_S, 0, NULL, SHOW_PREFERRED},
};

struct collection {
	struct time_row *rows;
	size_t count, cap;
};

static void add_rows(struct collection *c, const struct events *ev, enum trace_kind kind,
		     const struct grouping *g)
{
	struct summary *times = mem_alloc(g->count, sizeof(*times));
	struct summary *bytes = mem_alloc(g->count, sizeof(*bytes));

	summarize(g->duration_ns, g->group, ev->count, g->count, times);
	copies_summarize_bytes(ev, g, bytes);
	MEM_GROW(c->rows, c->cap, c->count + g->count);
	for (size_t i = 0; i < g->count; i++) {
		double seconds = (double)times[i].total / 1e9;

		c->rows[c->count++] = (struct time_row){
			.name = kind == TRACE_MEMSETS ? LABEL_MEMSET
						      : label_memcpy(g->keys[i].name),
			.key = g->keys[i],
			.s = times[i],
			.extra = {cell_int(bytes[i].total), cell_real(bytes[i].mean),
				  cell_int(bytes[i].max),
				  seconds > 0 ? cell_real((double)bytes[i].total / seconds)
					      : cell_null()},
		};
	}
	free(bytes);
	free(times);
}

static int collect(struct trace *t, enum trace_kind kind, const struct grouped_args *a,
		   struct report *r, struct collection *c, struct err *e)
{
	const struct events *ev = &t->events[kind];
	uint32_t *same = NULL;
	struct grouping g;
	int result;

	if (trace_load(t, kind, COL_BIT(COL_DURATION) | COL_BIT(COL_BYTES) | COL_BIT(COL_COPY_KIND),
		       e) < 0 ||
	    trace_require_column(t, kind, COL_COPY_KIND, e) < 0 ||
	    trace_require_column(t, kind, COL_BYTES, e) < 0)
		return -1;
	if (!ev->count)
		return 0;
	if (kind == TRACE_MEMSETS)
		same = mem_zalloc(ev->count, sizeof(*same));
	result = grouping_make(t, kind, same ? same : ev->copy_kind, &a->table.scope, a->by, &g, e);
	if (result == 0) {
		add_rows(c, ev, kind, &g);
		warn_without_times(r, g.without_times, kind);
		grouping_free(&g);
	}
	free(same);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct grouped_args *a = args;
	const struct scope *p = &a->table.scope;
	struct collection c = {0};
	int result = -1;

	if (window_report(r, self, t, p, &a->table.rows, e) == 0 &&
	    collect(t, TRACE_MEMCPYS, a, r, &c, e) == 0 &&
	    collect(t, TRACE_MEMSETS, a, r, &c, e) == 0) {
		struct time_table table = {
			.name = "memory",
			.by = a->by,
			.kind = "memory",
			.name_column = {"operation", "Operation", UNIT_NAME, 0, "", SHOW},
			.extra = extra_columns,
			.extra_count = ARRAY_LEN(extra_columns),
			.rows = c.rows,
			.count = c.count,
		};

		result = time_table_report(r, t, &a->table, &table, e);
	}
	free(c.rows);
	if (result == 0)
		result = copies_report(r, t, &a->table, e);
	if (result == 0)
		result = memory_usage_report(r, t, &a->table, e);
	return result;
}

const struct analysis analysis_memory = {
	.name = "memory",
	.title = "GPU memory operations",
	.order = "total time",
	.summary = "copies and memsets: time, bytes, throughput, memory kinds; memory in use",
	.detail = "Further tables: copies by memory kind at both ends (pageable memory makes "
		  "copies slow and blocks the host), copies by size, and, if captured with "
		  "--cuda-memory-usage=true, memory in use by GPU and kind: its peak, and its "
		  "course over time for kinds whose peak is at least 1 % of the largest. --limit "
		  "also sets the number of points in time. --by applies to the first table only.",
	.needs_any = NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS),
	.options = &grouped_options,
	.run = run,
};
