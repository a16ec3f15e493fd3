/* Which kernel was launched by which call, and where did the time between go? */
#include "analysis/nsys/kernel_exec.h"

#include "base/mem.h"

#include <stdlib.h>

/* Counts the pairs, or, once there is room for them, fills them in. */
static void walk_pairs(struct exec_pairs *x)
{
	const struct launches *l = &x->launches;
	size_t plain = 0, more = x->first_more;

	for (uint64_t i = 0; i < l->op_count; i++) {
		uint32_t launch = l->launch_of_op[i];

		if (launch == LAUNCH_NONE || l->row_of_launch[launch] == ID_NONE ||
		    x->durations[i] == DURATION_NONE)
			continue;
		if (x->kernel)
			x->kernel[plain] = (uint32_t)i;
		plain++;
		for (size_t m = launches_first_more(l, launch);
		     m < l->more_count && l->more_launch[m] == launch; m++) {
			if (x->kernel) {
				x->kernel[more] = (uint32_t)i;
				x->more[more - x->first_more] = (uint32_t)m;
			}
			more++;
		}
	}
	x->count = plain + more - x->first_more;
	x->first_more = plain;
}

/* A graph launch has many kernels and few records; that many of both on one id is no real trace. */
static bool are_too_many(const struct exec_pairs *x)
{
	return x->count > 4 * (x->launches.op_count + x->launches.more_count) + 1000000;
}

static int pair_up(struct exec_pairs *x)
{
	walk_pairs(x);
	if (are_too_many(x))
		return -1;
	if (x->count == x->launches.op_count && x->first_more == x->count)
		return 0;
	x->kernel = mem_alloc(x->count, sizeof(*x->kernel));
	x->more = mem_alloc(x->count - x->first_more, sizeof(*x->more));
	walk_pairs(x);
	return 0;
}

struct api_call exec_call(const struct exec_pairs *x, size_t pair)
{
	const struct launches *l = &x->launches;
	struct api_call call = {0};

	if (pair >= x->first_more)
		return l->more[x->more[pair - x->first_more]];
	launches_call(l, exec_kernel(x, pair), &call);
	return call;
}

static int read_pairs(struct trace *t, const struct naming_args *n, uint32_t kernel_columns,
		      struct exec_pairs *x, struct err *e)
{
	if (trace_load(t, TRACE_KERNELS,
		       kernel_columns | COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
			       COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION) |
			       (n->naming == NAMING_DEMANGLED ? COL_BIT(COL_NAME) : 0),
		       e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_START, e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_DURATION, e) < 0 ||
	    launches_join(t, TRACE_KERNELS, &x->launches, e) < 0 ||
	    kernel_names_read(t, n, &x->launches, &x->names, e) < 0)
		return -1;
	/* Only the join needed them. */
	trace_unload(t, TRACE_KERNELS, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION));
	x->durations = t->events[TRACE_KERNELS].duration_ns;
	if (pair_up(x) == 0)
		return 0;
	return err_set(e, ERR_INPUT, "'%s': too many calls and kernels share a correlation id",
		       t->path);
}

int exec_pairs_read(struct trace *t, const struct naming_args *n, uint32_t kernel_columns,
		    struct exec_pairs *ret, struct err *e)
{
	*ret = (struct exec_pairs){0};
	if (read_pairs(t, n, kernel_columns, ret, e) == 0)
		return 0;
	exec_pairs_free(ret);
	return -1;
}

void exec_pairs_free(struct exec_pairs *x)
{
	launches_free(&x->launches);
	kernel_names_free(&x->names);
	free(x->kernel);
	free(x->more);
	*x = (struct exec_pairs){0};
}

struct exec_times exec_times_of(const struct trace *t, const struct exec_pairs *x, size_t pair)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	const struct api_call call = exec_call(x, pair);
	uint32_t k = exec_kernel(x, pair);
	int64_t call_end = api_call_end(&call);
	int64_t kernel_end = sat_add(ev->start_ns[k], ev->duration_ns[k]);
	int64_t end = kernel_end > call_end ? kernel_end : call_end;
	struct exec_times times = {
		.api_ns = call.duration_ns,
		.kernel_ns = ev->duration_ns[k],
		.total_ns = sat_sub(end, call.start_ns),
		.queued = ev->start_ns[k] >= call_end,
	};

	if (times.queued)
		times.queue_ns = sat_sub(ev->start_ns[k], call_end);
	return times;
}
