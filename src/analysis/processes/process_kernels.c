/* Which processes have kernels, and where? */
#include "analysis/processes/process_kernels.h"

#include "base/mem.h"
#include "base/pairs.h"
#include "base/parallel.h"
#include "trace/system/machine.h"

#include <stdlib.h>

struct kernels_on {
	uint32_t process, device;
	uint64_t kernels;
};

/* The kernels of a run of rows, in the order in which their places are met. */
struct counted {
	struct kernels_on *on;
	size_t count, cap;
};

static void add_kernels(struct counted *c, struct pairs *numbers, const struct kernels_on *on)
{
	uint32_t number = pairs_number(numbers, on->process, on->device);

	if (number == c->count) {
		MEM_GROW(c->on, c->cap, c->count + 1);
		c->on[c->count++] = (struct kernels_on){on->process, on->device, 0};
	}
	if (c->on)
		c->on[number].kernels += on->kernels;
}

struct counting {
	const struct events *ev;
	struct counted *runs; /* of PARALLEL_ROWS */
};

static void count_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct counting *x = ctx;
	struct pairs numbers = {0};

	(void)worker;
	for (size_t i = begin; i < end; i++)
		add_kernels(&x->runs[begin / PARALLEL_ROWS], &numbers,
			    &(struct kernels_on){x->ev->process[i],
						 x->ev->device ? x->ev->device[i] : ID_NONE, 1});
	pairs_free(&numbers);
}

static struct counted count_all(const struct events *ev)
{
	const size_t runs = ev->process ? ev->count / PARALLEL_ROWS + 1 : 0;
	struct counting x = {ev, mem_zalloc(runs, sizeof(*x.runs))};
	struct pairs numbers = {0};
	struct counted sum = {0};

	parallel_each(runs ? ev->count : 0, PARALLEL_ROWS, count_some, &x);
	for (size_t i = 0; i < runs; i++) {
		for (size_t k = 0; k < x.runs[i].count; k++)
			add_kernels(&sum, &numbers, &x.runs[i].on[k]);
		free(x.runs[i].on);
	}
	free(x.runs);
	pairs_free(&numbers);
	return sum;
}

static void note_kernels(struct kernel_counts *c, const struct kernels_on *on, uint32_t device)
{
	struct process_kernels *of;

	c->all += on->kernels;
	if (on->process >= c->count) {
		c->homeless += on->kernels;
		return;
	}
	of = &c->of_process[on->process];
	of->kernels += on->kernels;
	if (on->kernels > of->on_device) {
		of->on_device = on->kernels;
		of->device = device;
	}
}

int kernel_counts_make(struct trace *t, struct kernel_counts *ret, struct err *e)
{
	struct device_map devices;
	struct counted sum;

	*ret = (struct kernel_counts){.count = t->process_keys.count};
	if (device_map_read(t, &devices, e) < 0)
		return -1;
	ret->of_process = mem_zalloc(ret->count, sizeof(*ret->of_process));
	for (size_t i = 0; i < ret->count; i++)
		ret->of_process[i].device = ID_NONE;
	sum = count_all(&t->events[TRACE_KERNELS]);
	for (size_t i = 0; i < sum.count; i++) {
		const struct kernels_on *on = &sum.on[i];

		note_kernels(ret, on,
			     on->device == ID_NONE
				     ? ID_NONE
				     : device_map_gpu(&devices, on->process, on->device));
	}
	free(sum.on);
	device_map_free(&devices);
	return 0;
}

void kernel_counts_free(struct kernel_counts *c)
{
	free(c->of_process);
	*c = (struct kernel_counts){0};
}
