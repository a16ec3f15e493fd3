/* nsys: how much time did each kernel and each memory operation take? */
#include "analysis/nsys/sum_report.h"
#include "base/mem.h"

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

/* What a report is made of. */
enum source { KERNELS = 1, MEMORY = 2, API = 4 };

static int collect(struct trace *t, const struct naming_args *n, unsigned sources,
		   struct sum_lines *l, struct err *e)
{
	if (sources & KERNELS && sum_add_kernels(t, n, l, e) < 0)
		return -1;
	if (sources & MEMORY && sum_add_memory(t, l, e) < 0)
		return -1;
	if (!(sources & API))
		return 0;
	/* Kernels are summed up by now, and API calls are the larger table. */
	trace_unload(t, TRACE_KERNELS, COLS_ALL);
	return sum_add_api(t, true, l, e);
}

static int run_kernels(const struct analysis *self, struct trace *t, const void *args,
		       struct report *r, struct err *e)
{
	struct sum_lines lines = {0};
	int result = collect(t, args, KERNELS, &lines, e);

	if (result == 0)
		sum_report(r, self, &lines, kernel_columns, ARRAY_LEN(kernel_columns), SUM_NAME);
	sum_lines_free(&lines);
	return result;
}

static int run_memory(const struct analysis *self, struct trace *t, const void *args,
		      struct report *r, struct err *e)
{
	struct sum_lines lines = {0};
	int result = collect(t, args, MEMORY, &lines, e);

	if (result == 0)
		sum_report(r, self, &lines, memory_columns, ARRAY_LEN(memory_columns), SUM_NAME);
	sum_lines_free(&lines);
	return result;
}

static int run_mixed(const struct analysis *self, struct trace *t, const void *args,
		     struct report *r, unsigned sources, struct err *e)
{
	struct sum_lines lines = {0};
	int result = collect(t, args, sources, &lines, e);

	if (result == 0)
		sum_report(r, self, &lines, gpu_columns, ARRAY_LEN(gpu_columns), SUM_CATEGORY_NAME);
	sum_lines_free(&lines);
	return result;
}

static int run_gpu(const struct analysis *self, struct trace *t, const void *args, struct report *r,
		   struct err *e)
{
	return run_mixed(self, t, args, r, KERNELS | MEMORY, e);
}

static int run_api_gpu(const struct analysis *self, struct trace *t, const void *args,
		       struct report *r, struct err *e)
{
	return run_mixed(self, t, args, r, KERNELS | MEMORY | API, e);
}

const struct analysis analysis_nsys_cuda_gpu_kern_sum = {
	.name = "cuda_gpu_kern_sum",
	.title = "CUDA GPU Kernel Summary",
	.summary = "kernels by total time",
	.nsys = true,
	.options = &nvtx_naming_options,
	.needs = NEEDS(TRACE_KERNELS),
	.run = run_kernels,
};

const struct analysis analysis_nsys_cuda_gpu_mem_time_sum = {
	.name = "cuda_gpu_mem_time_sum",
	.title = "CUDA GPU MemOps Summary (by Time)",
	.summary = "memory operations by total time",
	.nsys = true,
	.needs_any = NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS),
	.run = run_memory,
};

const struct analysis analysis_nsys_cuda_gpu_sum = {
	.name = "cuda_gpu_sum",
	.title = "CUDA GPU Summary (Kernels/MemOps)",
	.summary = "kernels and memory operations by total time",
	.nsys = true,
	.options = &nvtx_naming_options,
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS),
	.run = run_gpu,
};

const struct analysis analysis_nsys_cuda_api_gpu_sum = {
	.name = "cuda_api_gpu_sum",
	.title = "CUDA Summary (API/Kernels/MemOps)",
	.summary = "API calls, kernels and memory operations by total time",
	.nsys = true,
	.options = &nvtx_naming_options,
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_API),
	.run = run_api_gpu,
};
