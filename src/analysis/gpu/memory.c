/* How much data moved to, from and within the GPU, and how fast? */
#include "analysis/cell_values.h"
#include "analysis/gpu/memory_usage.h"
#include "analysis/grouping.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/system/labels.h"

#include <stdlib.h>

#define MEASURE_COLUMNS                                                       \
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},                        \
		{"pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},                \
		{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},                \
		{"bytes", "Bytes", UNIT_BYTES, 0, NULL, SHOW},                \
		{"p50_bytes", "p50 size", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM}, \
		{"max_bytes", "Max size", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM}, \
	{                                                                     \
		"bytes_per_s", "Throughput", UNIT_BYTES_PER_S, 0, NULL, SHOW  \
	}

static const struct column kind_columns[] = {
	{"operation", "Operation", UNIT_NAME, 0, "", SHOW},
	{"source", "From", UNIT_NAME, 0, "from:", SHOW},
	{"destination", "To", UNIT_NAME, 0, "to:", SHOW},
	MEASURE_COLUMNS,
};

static const struct column size_columns[] = {
	{"operation", "Operation", UNIT_NAME, 0, "", SHOW},
	{"size", "Size", UNIT_NAME, 0, "size:", SHOW},
	{"up_to_bytes", "Up to", UNIT_BYTES, 0, NULL, MACHINE_ONLY},
	MEASURE_COLUMNS,
};

static const struct {
	const char *label;
	int64_t up_to_bytes;
} sizes[] = {
	{"≤ 1 KiB", INT64_C(1) << 10},	 {"≤ 4 KiB", INT64_C(4) << 10},
	{"≤ 64 KiB", INT64_C(64) << 10}, {"≤ 1 MiB", INT64_C(1) << 20},
	{"≤ 16 MiB", INT64_C(16) << 20}, {"≤ 256 MiB", INT64_C(256) << 20},
	{"> 256 MiB", INT64_MAX},
};

static uint32_t size_class(int64_t bytes)
{
	uint32_t class = 0;

	while (bytes > sizes[class].up_to_bytes)
		class ++;
	return class;
}

/* Bytes of a copy that the window cuts are counted in proportion. */
static int64_t bytes_inside(int64_t bytes, int64_t inside_ns, int64_t duration_ns)
{
	if (inside_ns >= duration_ns || duration_ns <= 0)
		return bytes;
	return (int64_t)((__int128)bytes * inside_ns / duration_ns);
}

/* By group: the bytes of copies or sets; what the window cuts counts in proportion. */
static void summarize_bytes(const struct events *ev, const struct grouping *g, struct summary *out)
{
	int64_t *bytes = mem_zalloc(ev->count, sizeof(*bytes));

	for (uint64_t i = 0; ev->bytes && i < ev->count; i++) {
		if (g->group[i] != GROUP_NONE && ev->bytes[i] != INT_NONE)
			bytes[i] =
				bytes_inside(ev->bytes[i], g->duration_ns[i], ev->duration_ns[i]);
	}
	summarize(bytes, g->group, ev->count, g->count, out);
	free(bytes);
}

/* What copies are told apart by. `from` and `to` are kinds of memory, or `from` is a size. */
struct copy_class {
	uint32_t operation, from, to;
};

struct copy_classes {
	struct idmap ends, numbers;
	struct copy_class *all;
	size_t count, cap;
	uint32_t *of_row;
};

static uint32_t id_at(const uint32_t *column, uint64_t row)
{
	return column ? column[row] : ID_NONE;
}

static void classify(const struct events *ev, bool by_size, struct copy_classes *c)
{
	c->of_row = mem_alloc(ev->count, sizeof(*c->of_row));
	c->cap = 16;
	c->all = mem_alloc(c->cap, sizeof(*c->all));
	for (uint64_t i = 0; i < ev->count; i++) {
		struct copy_class x = {ev->copy_kind[i], id_at(ev->src_kind, i),
				       id_at(ev->dst_kind, i)};

		if (by_size) {
			x.from = size_class(ev->bytes[i]);
			x.to = 0;
		}
		c->of_row[i] = idmap_number_pair(&c->numbers, x.operation,
						 idmap_number_pair(&c->ends, x.from, x.to));
		if (c->of_row[i] == c->count) {
			MEM_GROW(c->all, c->cap, c->count + 1);
			c->all[c->count++] = x;
		}
	}
}

static void free_classes(struct copy_classes *c)
{
	idmap_free(&c->ends);
	idmap_free(&c->numbers);
	free(c->all);
	free(c->of_row);
}

static void add_measures(struct rows *rows, const struct summary *time, const struct summary *bytes,
			 double all_ns)
{
	double seconds = (double)time->total / 1e9;

	rows_add(rows, cell_int(time->total));
	rows_add(rows, cell_real(all_ns > 0 ? (double)time->total * 100 / all_ns : 0));
	rows_add(rows, cell_int((int64_t)time->count));
	rows_add(rows, cell_int(bytes->total));
	rows_add(rows, cell_real(bytes->p50));
	rows_add(rows, cell_int(bytes->max));
	rows_add(rows, seconds > 0 ? cell_real((double)bytes->total / seconds) : cell_null());
}

static void add_class(struct rows *rows, const struct copy_class *x, bool by_size)
{
	rows_add(rows, cell_str(label_memcpy(x->operation)));
	if (!by_size) {
		rows_add(rows, text_or_null(label_memory_kind(x->from)));
		rows_add(rows, text_or_null(label_memory_kind(x->to)));
		return;
	}
	rows_add(rows, cell_text(sizes[x->from].label));
	rows_add(rows, x->from + 1 < ARRAY_LEN(sizes) ? cell_int(sizes[x->from].up_to_bytes)
						      : cell_null());
}

/* A group of a grouping, in the order in which a table of sizes is read. */
struct ordered_group {
	struct copy_class class;
	size_t group;
};

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct copy_class *x = &((const struct ordered_group *)a)->class;
	const struct copy_class *y = &((const struct ordered_group *)b)->class;

	(void)ctx;
	if (x->operation != y->operation)
		return x->operation < y->operation ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static void add_copy_rows(struct rows *rows, const struct events *ev, const struct grouping *g,
			  const struct copy_classes *classes, bool by_size)
{
	struct summary *times = mem_alloc(g->count, sizeof(*times));
	struct summary *bytes = mem_alloc(g->count, sizeof(*bytes));
	struct ordered_group *order = mem_alloc(g->count, sizeof(*order));
	double all_ns = 0;

	summarize(g->duration_ns, g->group, ev->count, g->count, times);
	summarize_bytes(ev, g, bytes);
	/* Groups are made of classes: without one there is no other. */
	for (size_t i = 0; classes->all && i < g->count; i++) {
		all_ns += (double)times[i].total;
		order[i] = (struct ordered_group){classes->all[g->keys[i].name], i};
	}
	sort_stable(order, g->count, sizeof(*order), compare_groups, NULL);
	for (size_t i = 0; i < g->count; i++) {
		add_class(rows, &order[i].class, by_size);
		add_measures(rows, &times[order[i].group], &bytes[order[i].group], all_ns);
	}
	free(order);
	free(bytes);
	free(times);
}

static int add_copies(struct rows *rows, struct trace *t, const struct table_args *a, bool by_size,
		      struct err *e)
{
	const struct events *ev = &t->events[TRACE_MEMCPYS];
	struct copy_classes classes = {0};
	struct grouping g;
	int result;

	classify(ev, by_size, &classes);
	result = grouping_make(t, TRACE_MEMCPYS, classes.of_row, &a->scope, BY_NONE, &g, e);
	if (result == 0) {
		add_copy_rows(rows, ev, &g, &classes, by_size);
		rows_arrange_also(rows, &a->rows, by_size ? NULL : "total_ns");
		grouping_free(&g);
	}
	free_classes(&classes);
	return result;
}

/* Two tables: by direction and kind of memory at both ends, and by direction and size. */
static int report_copies(struct report *r, struct trace *t, const struct table_args *a,
			 struct err *e)
{
	const uint32_t columns = COL_BIT(COL_DURATION) | COL_BIT(COL_BYTES) |
				 COL_BIT(COL_COPY_KIND) | COL_BIT(COL_SRC_KIND) |
				 COL_BIT(COL_DST_KIND);
	const struct events *ev = &t->events[TRACE_MEMCPYS];
	struct rows *kinds, *by_size;

	if (trace_load(t, TRACE_MEMCPYS, columns, e) < 0)
		return -1;
	if (!ev->count)
		return 0;
	kinds = report_new_rows(r, "copies", "Copies by kind of memory", kind_columns,
				ARRAY_LEN(kind_columns));
	if (add_copies(kinds, t, a, false, e) < 0)
		return -1;
	if (!ev->src_kind || !ev->dst_kind)
		report_note(r, "the export does not contain the memory kinds of copies: export the "
			       "report again with a recent Nsight Systems");
	by_size = report_new_rows(r, "copy_sizes", "Copies by size", size_columns,
				  ARRAY_LEN(size_columns));
	return add_copies(by_size, t, a, true, e);
}

static const struct column extra_columns[] = {
	{"bytes", "Bytes", UNIT_BYTES, 0, NULL, SHOW_PREFERRED},
	{"avg_bytes", "Avg size", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
	{"max_bytes", "Max size", UNIT_BYTES, 0, NULL, MACHINE_ONLY},
	{"bytes_per_s", "Throughput", UNIT_BYTES_PER_S, 0, NULL, SHOW_PREFERRED},
};

struct collection {
	struct time_row *rows;
	size_t count, cap;
	struct line_groups lines; /* opened where rows are by line */
};

static void add_rows(struct collection *c, const struct events *ev, enum trace_kind kind,
		     const struct grouping *g)
{
	struct summary *times = mem_alloc(g->count, sizeof(*times));
	struct summary *bytes = mem_alloc(g->count, sizeof(*bytes));

	summarize(g->duration_ns, g->group, ev->count, g->count, times);
	summarize_bytes(ev, g, bytes);
	MEM_GROW(c->rows, c->cap, c->count + g->count);
	for (size_t i = 0; i < g->count; i++) {
		double seconds = (double)times[i].total / 1e9;

		c->rows[c->count++] = (struct time_row){
			.name = kind == TRACE_MEMSETS ? LABEL_MEMSET
						      : label_memcpy(line_groups_name(
								&c->lines, g->keys[i].name)),
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
	const uint32_t *names;
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
	result = line_groups_names(&c->lines, kind, same ? same : ev->copy_kind, &names, e);
	if (result == 0)
		result = grouping_make(t, kind, names, &a->table.scope, a->by, &g, e);
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
	    (a->by != BY_LINE || line_groups_open(&c.lines, t, e) == 0) &&
	    collect(t, TRACE_MEMCPYS, a, r, &c, e) == 0 &&
	    collect(t, TRACE_MEMSETS, a, r, &c, e) == 0) {
		struct time_table table = {
			.name = "memory",
			.by = a->by,
			.kind = "memory",
			.name_column = {"operation", "Operation", UNIT_NAME, 0, "", SHOW},
			.extra = extra_columns,
			.extra_count = ARRAY_LEN(extra_columns),
			.lines = &c.lines,
			.rows = c.rows,
			.count = c.count,
		};

		result = time_table_report(r, t, &a->table, &table, e);
	}
	free(c.rows);
	line_groups_free(&c.lines);
	if (result == 0)
		result = report_copies(r, t, &a->table, e);
	if (result == 0)
		result = memory_usage_report(r, t, &a->table, e);
	return result;
}

static const struct topic topics_memory[] = {
	{.table = "memory",
	 .subject = "copy memset",
	 .words = "copy copies memcpy memcpys transfer transfers moved h2d d2h d2d p2p htod dtoh "
		  "dtod upload download memset throughput bandwidth pcie bytes data volume host "
		  "device",
	 .questions = "how much data was copied\n"
		      "how many bytes were copied from host to device\n"
		      "how long do memcpys take\n"
		      "how many memory copies are there\n"
		      "what is the copy bandwidth\n"
		      "how much time is spent in H2D copies\n"
		      "how many D2H transfers\n"
		      "what is the throughput of device to host copies\n"
		      "how large are the copies\n"
		      "how much data moved to the GPU\n"
		      "how many memsets are there\n"
		      "how long do the memory copies take in total\n",
	 .row = "{operation}: {count} times|, {bytes}|, {total_ns}|, {bytes_per_s}|, {avg_ns} each "
		"on average",
	 .sum = "{count} operations|, {bytes}|, {total_ns}",
	 .by = "total_ns",
	 .needs = "copies",
	 .work = "operation",
	 .none = "nothing was copied or set there"},
	{.table = "copies",
	 .subject = "pageable pinned",
	 .words = "pageable pinned page-locked managed source destination kind of memory",
	 .questions = "how many bytes are copied from pinned memory\n"
		      "throughput of pinned h2d copies\n"
		      "are copies pageable or pinned\n"
		      "how much is copied from pageable memory\n"
		      "do copies use pinned memory\n"
		      "how much data comes from pinned host memory\n"
		      "which copies are pageable\n",
	 .row = "{operation} from {source} to {destination}|: {count} times|, {bytes}|, "
		"{total_ns}|, {bytes_per_s}",
	 .sum = "{count} copies|, {bytes}|, {total_ns}",
	 .by = "total_ns",
	 .needs = "copies",
	 .work = "operation",
	 .none = "nothing was copied there"},
	{.table = "copy_sizes",
	 .subject = "copy size",
	 .words = "size sizes small tiny large histogram distribution",
	 .questions = "how large are the copies typically\n"
		      "are there many small copies\n"
		      "distribution of copy sizes\n",
	 .row = "{operation} {size}: {count} times|, {bytes}|, {total_ns}",
	 .by = "count",
	 .needs = "copies",
	 .work = "operation",
	 .none = "nothing was copied there"},
	{.table = "memory_usage",
	 .subject = "memory allocation allocated leak",
	 .words = "memory use usage used allocated allocation allocations allocate malloc free "
		  "peak vram footprint leak leaking oom out of memory gigabytes high water mark",
	 .questions = "how much GPU memory is used\n"
		      "what is the peak memory usage\n"
		      "how many allocations are there\n"
		      "does the program leak memory\n"
		      "when is the memory peak\n"
		      "how much VRAM was allocated\n"
		      "what is the memory footprint\n"
		      "how much memory is in use at the end\n",
	 .row = "{memory} memory on GPU {device} peaks at {peak_bytes}| at {peak_at_ns}|, "
		"{allocations} allocations of {allocated_bytes}|, {frees} frees|, {final_bytes} in "
		"use at the end",
	 .by = "peak_bytes",
	 .needs = "memory_use",
	 .none = "no allocation was recorded there"},
	{0},
};

const struct analysis analysis_memory = {
	.name = "memory",
	.title = "GPU memory operations",
	.order = "total time",
	.summary = "copies and memsets: time, bytes, throughput; memory in use",
	.example = "gpuwhy memory trace.sqlite --span all",
	.detail = "Further tables: copies by memory kind at both ends (pageable memory makes "
		  "copies slow and blocks the host), copies by size, and, if captured with "
		  "--cuda-memory-usage=true, memory in use by GPU and kind: its peak, and how it "
		  "changes over time for kinds whose peak is at least 1 % of the largest. --limit "
		  "also sets the number of points in time. --by applies to the first table only; "
		  "--by line "
		  "tells apart which line of your code copies, by the backtraces of CUDA calls.",
	.needs_any = NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS),
	.options = &grouped_options,
	.run = run,
	.topics = topics_memory,
};
