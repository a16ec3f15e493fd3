/* Which kernel was launched by which call, and where did the time between go? */
#include "analysis/exec.h"

#include "base/mem.h"

#include <stdlib.h>

static void add_pair(struct exec_pairs *x, uint64_t kernel, size_t call)
{
	x->kernel[x->count] = (uint32_t)kernel;
	x->call[x->count++] = (uint32_t)call;
}

/* Where in `more`, which is sorted by slot, the calls of a slot begin. */
static size_t first_more(const struct launches *l, uint32_t slot)
{
	size_t low = 0, high = l->more_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->more_slot[mid] < slot)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static size_t count_pairs(const struct launches *l)
{
	size_t n = 0;

	for (uint64_t i = 0; i < l->op_count; i++) {
		const uint32_t slot = l->slot_of_op[i];

		n += launches_call(l, i) != NULL;
		for (size_t m = l->more_count ? first_more(l, slot) : 0;
		     m < l->more_count && l->more_slot[m] == slot; m++)
			n++;
	}
	return n;
}

static void pair_up(struct exec_pairs *x)
{
	const struct launches *l = &x->launches;
	size_t n = count_pairs(l);

	x->kernel = mem_alloc(n, sizeof(*x->kernel));
	x->call = mem_alloc(n, sizeof(*x->call));
	for (uint64_t i = 0; i < l->op_count; i++) {
		const uint32_t slot = l->slot_of_op[i];

		if (launches_call(l, i))
			add_pair(x, i, slot);
		for (size_t m = l->more_count ? first_more(l, slot) : 0;
		     m < l->more_count && l->more_slot[m] == slot; m++)
			add_pair(x, i, l->slot_count + m);
	}
}

int exec_pairs_read(struct trace *t, const struct params *p, uint32_t kernel_columns,
		    struct exec_pairs *ret, struct err *e)
{
	*ret = (struct exec_pairs){0};
	if (trace_require(t, TRACE_KERNELS, e) < 0 || trace_require(t, TRACE_API, e) < 0 ||
	    trace_load(t, TRACE_KERNELS,
		       kernel_columns | COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
			       COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION) | COL_BIT(COL_NAME),
		       e) < 0 ||
	    kernel_names_read(t, p, &ret->names, e) < 0)
		return -1;
	if (launches_join(t, TRACE_KERNELS, &ret->launches, e) < 0) {
		exec_pairs_free(ret);
		return -1;
	}
	pair_up(ret);
	return 0;
}

void exec_pairs_free(struct exec_pairs *x)
{
	launches_free(&x->launches);
	kernel_names_free(&x->names);
	free(x->kernel);
	free(x->call);
	*x = (struct exec_pairs){0};
}

/* Times of a hostile trace may lie anywhere: wrapped differences are wrong, but not undefined. */
static int64_t difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

struct exec_times exec_times_of(const struct trace *t, const struct exec_pairs *x, size_t pair)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	const struct api_call *call = exec_call(x, pair);
	uint32_t k = x->kernel[pair];
	int64_t call_end = (int64_t)((uint64_t)call->start_ns + (uint64_t)call->duration_ns);
	int64_t kernel_end = (int64_t)((uint64_t)ev->start_ns[k] + (uint64_t)ev->duration_ns[k]);
	int64_t end = kernel_end > call_end ? kernel_end : call_end;
	struct exec_times times = {
		.api_ns = call->duration_ns,
		.kernel_ns = ev->duration_ns[k],
		.total_ns = difference(end, call->start_ns),
		.queued = ev->start_ns[k] >= call_end,
	};

	if (times.queued)
		times.queue_ns = difference(ev->start_ns[k], call_end);
	return times;
}
