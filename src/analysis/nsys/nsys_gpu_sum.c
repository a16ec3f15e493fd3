/* nsys: how much time did each kernel and memory operation take, and how many bytes did it move? */
#include "analysis/kernel_names.h"
#include "analysis/nsys/nsys_report.h"
#include "base/mem.h"
#include "trace/system/labels.h"

#include <stdlib.h>

static const struct column kernel_columns[] = {
	SUM_COLUMN_HEAD("instances", "Instances"),
	{"name", "Name", UNIT_KERNEL, 0, "", SHOW},
};

static const struct column memory_columns[] = {
	SUM_COLUMN_HEAD("count", "Count"),
	{"operation", "Operation", UNIT_NAME, 0, "", SHOW},
};

static const struct column gpu_columns[] = {
	SUM_COLUMN_HEAD("instances", "Instances"),
	{"category", "Category", UNIT_NAME, 0, "", SHOW},
	{"operation", "Operation", UNIT_KERNEL, 0, "", SHOW},
};

static int collect(struct trace *t, const struct naming_args *n, unsigned sources,
		   struct sum_lines *l, struct err *e)
{
	if (sources & NEEDS(TRACE_KERNELS) && sum_add_kernels(t, n, l, e) < 0)
		return -1;
	if (sources & NEEDS_COPIES_OR_SETS && sum_add_memory(t, l, e) < 0)
		return -1;
	if (!(sources & NEEDS(TRACE_API)))
		return 0;
	/* Kernels are summed up by now, and API calls are the larger table. */
	trace_unload(t, TRACE_KERNELS, COLS_ALL);
	return sum_add_api(t, true, l, e);
}

/* A report sums up the kinds of events that it says it needs. */
static int run_time_sum(const struct analysis *self, struct trace *t, const void *args,
			struct report *r, struct err *e)
{
	unsigned sources = self->needs | self->needs_any;
	struct sum_lines lines = {0};
	int result = collect(t, args, sources, &lines, e);

	if (result == 0) {
		if (sources == NEEDS(TRACE_KERNELS))
			sum_report(r, self, &lines, kernel_columns, ARRAY_LEN(kernel_columns));
		else if (sources == NEEDS_COPIES_OR_SETS)
			sum_report(r, self, &lines, memory_columns, ARRAY_LEN(memory_columns));
		else
			sum_report(r, self, &lines, gpu_columns, ARRAY_LEN(gpu_columns));
	}
	sum_lines_free(&lines);
	return result;
}

NSYS_REPORT(cuda_gpu_kern_sum, "CUDA GPU Kernel Summary", "kernels by total time", run_time_sum,
	    .options = &nvtx_naming_options, .needs = NEEDS(TRACE_KERNELS));

NSYS_REPORT(cuda_gpu_mem_time_sum, "CUDA GPU MemOps Summary (by Time)",
	    "memory operations by total time", run_time_sum, .needs_any = NEEDS_COPIES_OR_SETS);

NSYS_REPORT(cuda_gpu_sum, "CUDA GPU Summary (Kernels/MemOps)",
	    "kernels and memory operations by total time", run_time_sum,
	    .options = &nvtx_naming_options, .needs_any = NEEDS_GPU_OPS);

NSYS_REPORT(cuda_api_gpu_sum, "CUDA Summary (API/Kernels/MemOps)",
	    "API calls, kernels and memory operations by total time", run_time_sum,
	    .options = &nvtx_naming_options, .needs_any = NEEDS_GPU_OPS | NEEDS(TRACE_API));

static const struct column shape_columns[] = {
	SUM_COLUMN_HEAD("instances", "Instances"),
	{"grid", "GridXYZ", UNIT_NAME, 0, "grid:", SHOW},
	{"block", "BlockXYZ", UNIT_NAME, 0, "block:", SHOW},
	{"name", "Name", UNIT_KERNEL, 0, "", SHOW},
};

/* Six dimensions and a name become one group number, pair after pair. */
struct shaper {
	struct idmap pairs[6];
	uint64_t *first; /* of each group: a kernel that has it */
	size_t count, cap;
};

static uint32_t group_of(struct shaper *s, const struct events *ev, uint32_t name, uint64_t i)
{
	uint32_t number = name;

	for (int d = 0; d < 6; d++) {
		uint32_t side = d < 3 ? ev->grid[d][i] : ev->block[d - 3][i];

		number = idmap_number_pair(&s->pairs[d], number, side);
	}
	if (number == s->count) {
		MEM_GROW(s->first, s->cap, s->count + 1);
		s->first[s->count++] = i;
	}
	return number;
}

static void add_shape_lines(struct trace *t, const struct kernel_names *names, struct report *r,
			    struct sum_lines *lines)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	struct shaper s = {0};
	struct summary *sums;

	for (uint64_t i = 0; i < ev->count; i++)
		group[i] = ev->duration_ns[i] == DURATION_NONE
				   ? GROUP_NONE
				   : group_of(&s, ev, names->of_kernel[i], i);
	sums = mem_alloc(s.count, sizeof(*sums));
	summarize(ev->duration_ns, group, ev->count, s.count, sums);
	for (size_t g = 0; g < s.count; g++) {
		char grid[SHAPE_BYTES], block[SHAPE_BYTES];

		sum_lines_add(lines,
			      (struct sum_line){
				      .s = sums[g],
				      .name = trace_name(t, names->of_kernel[s.first[g]]),
				      .grid = arena_str(&r->arena,
							shape_text(ev->grid, s.first[g], grid)),
				      .block = arena_str(&r->arena,
							 shape_text(ev->block, s.first[g], block)),
			      });
	}
	for (int d = 0; d < 6; d++)
		idmap_free(&s.pairs[d]);
	free(s.first);
	free(sums);
	free(group);
}

static int run_shape_sum(const struct analysis *self, struct trace *t, const void *args,
			 struct report *r, struct err *e)
{
	struct sum_lines lines = {0};
	struct kernel_names names;

	/* Names first: :nvtx-name joins launches, and needs the memory of the shapes for it. */
	if (kernel_names_read(t, args, NULL, &names, e) < 0)
		return -1;
	if (trace_require_column(t, TRACE_KERNELS, COL_DURATION, e) < 0 ||
	    trace_load(t, TRACE_KERNELS, COLS_GRID, e) < 0 || shape_require(t, e) < 0) {
		kernel_names_free(&names);
		return -1;
	}
	add_shape_lines(t, &names, r, &lines);
	sum_report(r, self, &lines, shape_columns, ARRAY_LEN(shape_columns));
	kernel_names_free(&names);
	sum_lines_free(&lines);
	return 0;
}

NSYS_REPORT(cuda_gpu_kern_gb_sum, "CUDA GPU Kernel/Grid/Block Summary",
	    "kernels by total time, for each grid and block size", run_shape_sum,
	    .needs = NEEDS(TRACE_KERNELS), .options = &nvtx_naming_options);

#define MB_COLUMN(key, title)                         \
	{                                             \
		key, title, UNIT_RATIO, 3, NULL, SHOW \
	}

static const struct column size_columns[] = {
	MB_COLUMN("total_mb", "Total (MB)"),   {"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	MB_COLUMN("avg_mb", "Avg (MB)"),       MB_COLUMN("med_mb", "Med (MB)"),
	MB_COLUMN("min_mb", "Min (MB)"),       MB_COLUMN("max_mb", "Max (MB)"),
	MB_COLUMN("stddev_mb", "StdDev (MB)"), {"operation", "Operation", UNIT_NAME, 0, "", SHOW},
};

enum { COPY_KINDS = 14 };

/* Copies by their kind; sets are all of one: `kind` is NULL. */
static void add_byte_lines(const struct events *ev, const uint32_t *kind, struct sum_lines *l)
{
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	struct summary sums[COPY_KINDS];

	for (uint64_t i = 0; i < ev->count; i++)
		group[i] = ev->bytes[i] == INT_NONE	  ? GROUP_NONE
			   : kind && kind[i] < COPY_KINDS ? kind[i]
							  : 0;
	summarize(ev->bytes, group, ev->count, COPY_KINDS, sums);
	for (uint32_t k = 0; k < COPY_KINDS; k++) {
		struct str name = kind ? label_memcpy(k) : LABEL_MEMSET;

		if (sums[k].count)
			sum_lines_add(l, (struct sum_line){.s = sums[k], .name = name});
	}
	free(group);
}

static int load_bytes(struct trace *t, struct err *e)
{
	if (trace_load(t, TRACE_MEMCPYS, COL_BIT(COL_BYTES) | COL_BIT(COL_COPY_KIND), e) < 0 ||
	    trace_require_column(t, TRACE_MEMCPYS, COL_COPY_KIND, e) < 0 ||
	    trace_require_column(t, TRACE_MEMCPYS, COL_BYTES, e) < 0 ||
	    trace_load(t, TRACE_MEMSETS, COL_BIT(COL_BYTES), e) < 0)
		return -1;
	return trace_require_column(t, TRACE_MEMSETS, COL_BYTES, e);
}

static int run_size_sum(const struct analysis *self, struct trace *t, const void *args,
			struct report *r, struct err *e)
{
	const struct events *copies = &t->events[TRACE_MEMCPYS], *sets = &t->events[TRACE_MEMSETS];
	struct sum_lines lines = {0};
	struct rows *rows;

	(void)args;
	if (load_bytes(t, e) < 0)
		return -1;
	if (copies->count)
		add_byte_lines(copies, copies->copy_kind, &lines);
	if (sets->count)
		add_byte_lines(sets, NULL, &lines);
	sum_lines_sort(&lines);
	rows = report_new_rows(r, self->name, self->title, size_columns, ARRAY_LEN(size_columns));
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

NSYS_REPORT(cuda_gpu_mem_size_sum, "CUDA GPU MemOps Summary (by Size)",
	    "memory operations by bytes", run_size_sum, .needs_any = NEEDS_COPIES_OR_SETS);
