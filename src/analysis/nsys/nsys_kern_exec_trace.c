/* nsys: when was each kernel launched, queued and executed? */
#include "analysis/cell_values.h"
#include "analysis/nsys/kernel_exec.h"
#include "analysis/nsys/trace_report.h"
#include "analysis/shape.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/system/labels.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"api_start_ns", "API Start (ns)", UNIT_TIME_NS, 0, "", SHOW},
	{"api_ns", "API Dur (ns)", UNIT_NS, 0, NULL, SHOW},
	{"queue_start_ns", "Queue Start (ns)", UNIT_TIME_NS, 0, NULL, SHOW},
	{"queue_ns", "Queue Dur (ns)", UNIT_NS, 0, NULL, SHOW},
	{"kernel_start_ns", "Kernel Start (ns)", UNIT_TIME_NS, 0, "", SHOW},
	{"kernel_ns", "Kernel Dur (ns)", UNIT_NS, 0, NULL, SHOW},
	{"total_ns", "Total Dur (ns)", UNIT_NS, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	{"device", "DevId", UNIT_ID, 0, "dev:", SHOW},
	{"api_name", "API Function", UNIT_NAME, 0, NULL, SHOW},
	{"grid", "GridXYZ", UNIT_NAME, 0, NULL, SHOW},
	{"block", "BlockXYZ", UNIT_NAME, 0, NULL, SHOW},
	{"kernel_name", "Kernel Name", UNIT_KERNEL, 0, NULL, SHOW},
};

struct listing {
	struct trace *trace;
	struct exec_pairs pairs;
	uint32_t *order;
	char grid[SHAPE_BYTES], block[SHAPE_BYTES]; /* of the row made last */
};

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct listing *l = (struct listing *)ctx;
	const struct events *ev = &l->trace->events[TRACE_KERNELS];
	size_t pair = l->order[i];
	uint32_t k = exec_kernel(&l->pairs, pair);
	const struct api_call call = exec_call(&l->pairs, pair);
	struct exec_times times = exec_times_of(l->trace, &l->pairs, pair);
	struct call_origin origin = launches_origin(&l->pairs.launches, &call);
	uint64_t thread = l->trace->thread_keys.keys[origin.thread];

	*out++ = cell_int(call.start_ns);
	*out++ = cell_int(times.api_ns);
	*out++ = times.queued ? cell_int(api_call_end(&call)) : cell_null();
	*out++ = times.queued ? cell_int(times.queue_ns) : cell_null();
	*out++ = cell_int(ev->start_ns[k]);
	*out++ = cell_int(times.kernel_ns);
	*out++ = cell_int(times.total_ns);
	*out++ = cell_int(process_pid(thread >> 24));
	*out++ = cell_int(thread_tid(thread));
	*out++ = ev->device ? id_cell(ev->device[k]) : cell_null();
	*out++ = cell_str(label_api(trace_name(l->trace, origin.name)));
	*out++ = cell_str(shape_text(ev->grid, k, l->grid));
	*out++ = cell_str(shape_text(ev->block, k, l->block));
	*out++ = cell_str(trace_name(l->trace, l->pairs.names.of_kernel[k]));
}

static void order_by_call(struct listing *l)
{
	size_t n = l->pairs.count;
	int64_t *start = mem_alloc(n, sizeof(*start));

	for (size_t i = 0; i < n; i++)
		start[i] = exec_call(&l->pairs, i).start_ns;
	l->order = sort_new_order(start, n);
	free(start);
}

static void free_listing(void *p)
{
	struct listing *l = p;

	exec_pairs_free(&l->pairs);
	free(l->order);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	l->trace = t;
	report_on_free(r, free_listing, l);
	if (exec_pairs_read(t, args, COL_BIT(COL_DEVICE), &l->pairs, e) < 0)
		return -1;
	order_by_call(l);
	/* Read only now: sorting needs the memory before. */
	if (trace_load(t, TRACE_KERNELS, SHAPE_COLUMNS, e) < 0 || shape_require(t, e) < 0)
		return -1;
	trace_report(r, self, columns, ARRAY_LEN(columns), l->pairs.count, make_row, l);
	return 0;
}

const struct analysis analysis_nsys_cuda_kern_exec_trace = {
	.name = "cuda_kern_exec_trace",
	.title = "CUDA Kernel Launch & Exec Time Trace",
	.summary = "every kernel with its launch, queue and execution time",
	.nsys = true,
	.needs = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_API),
	.options = &nvtx_naming_options,
	.run = run,
};
