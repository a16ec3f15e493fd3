/* What did each call launch, and what do the kernels show of who made it? */
#include "analysis/suggest/launched.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* A shorter copy, of a flag or a few numbers, is part of the work around it. */
enum { COPY_APART_NS = 10000 };

void gpu_sum_add(struct gpu_sum *to, const struct launch_sum *s)
{
	to->ns = sat_add(to->ns, s->ns);
	to->kernel_ns = sat_add(to->kernel_ns, s->kernel_ns);
	to->ops += s->ops;
	to->kernels += s->kernels;
}

static void add_op(struct launched *l, uint32_t launch, const struct launch_sum *op)
{
	struct launch_sum *to = &l->of_launch[launch];

	to->ns = sat_add(to->ns, op->ns);
	to->kernel_ns = sat_add(to->kernel_ns, op->kernel_ns);
	to->ops += op->ops;
	to->kernels += op->kernels;
}

static void learn(struct launched *l, uint32_t launch, uint32_t thread, const struct op_sign *s)
{
	struct launching_thread *th = &l->threads[thread];

	th->forward += s->part == OP_FORWARD;
	th->backward += s->part == OP_BACKWARD;
	if (th->process != ID_NONE) {
		l->processes[th->process].torch |= s->torch;
		l->processes[th->process].training |=
			s->part == OP_BACKWARD || s->part == OP_OPTIMIZER;
	}
	if (s->part > l->part[launch])
		l->part[launch] = s->part;
}

static int take_op(struct launched *l, enum trace_kind kind, uint64_t i, int64_t ns,
		   struct op_signs *signs, struct err *e)
{
	const struct events *ev = &l->trace->events[kind];
	const bool kernel = kind == TRACE_KERNELS;
	const struct launch_sum op = {
		.ns = ns, .kernel_ns = kernel ? ns : 0, .ops = 1, .kernels = kernel};
	struct op_sign copy = {0};
	const struct op_sign *sign = &copy;
	struct api_call call;
	uint32_t launch;

	gpu_sum_add(&l->all, &op);
	if (!attribution_call(&l->at, kind, i, &call)) {
		gpu_sum_add(&l->no_call, &op);
		return 0;
	}
	launch = l->at.launches.launch_of_op[l->at.launches.begin[kind] + i];
	add_op(l, launch, &op);
	if (!kernel && ns >= COPY_APART_NS)
		copy.part = (uint8_t)op_part_of_copy(ev, kind, i);
	if (kernel && op_signs_find(signs, ev->name ? ev->name[i] : NAME_NONE, &sign, e) < 0)
		return -1;
	learn(l, launch, launches_origin(&l->at.launches, &call).thread, sign);
	return 0;
}

static int add_kind(struct launched *l, const struct gpu_work *g, enum trace_kind kind,
		    struct op_signs *signs, struct err *e)
{
	const uint64_t count = l->trace->events[kind].count;

	for (uint64_t i = 0; i < count; i++) {
		struct span part;

		if (gpu_work_part(g, kind, i, &part) &&
		    take_op(l, kind, i, sat_sub(part.end_ns, part.start_ns), signs, e) < 0)
			return -1;
	}
	return 0;
}

static void sum_threads(struct launched *l)
{
	for (size_t i = 0; i < l->at.launches.launch_count; i++) {
		struct api_call call;

		if (l->of_launch[i].ops && launches_earliest_call(&l->at.launches, i, &call)) {
			struct launching_thread *th =
				&l->threads[launches_origin(&l->at.launches, &call).thread];

			th->gpu_ns = sat_add(th->gpu_ns, l->of_launch[i].ns);
		}
	}
}

/*
 * PyTorch names the threads of its autograd engine. Where names are missing, kernels show one:
 * it launches those of a backward pass alone, and another thread those of the forward pass.
 */
static bool kernels_show_autograd(const struct launched *l, const struct launching_thread *th)
{
	if (th->name.len && !str_holds(th->name, "python"))
		return false;
	return th->process != ID_NONE && l->processes[th->process].torch &&
	       l->processes[th->process].forward_apart && th->backward && !th->forward;
}

static void find_autograd(struct launched *l)
{
	for (size_t i = 0; i < l->thread_count; i++) {
		const struct launching_thread *th = &l->threads[i];

		if (th->process != ID_NONE && th->forward && !th->backward)
			l->processes[th->process].forward_apart = true;
	}
	for (size_t i = 0; i < l->thread_count; i++) {
		struct launching_thread *th = &l->threads[i];

		th->by_name = str_starts(th->name, "pt_autograd");
		th->autograd = th->by_name || kernels_show_autograd(l, th);
	}
}

static void name_all(struct launched *l)
{
	const struct trace *t = l->trace;

	for (size_t i = 0; i < l->process_count; i++)
		l->processes[i].name = host_names_process(&l->host_names, t->process_keys.keys[i]);
	for (size_t i = 0; i < l->thread_count; i++) {
		const uint64_t key = t->thread_keys.keys[i];
		const struct thread_name *name = host_names_thread(&l->host_names, key);

		l->threads[i].process = trace_thread_process(t, (uint32_t)i);
		if (name)
			l->threads[i].name = name->name;
	}
}

static void begin(struct launched *l)
{
	const size_t launches = l->at.launches.launch_count;

	l->thread_count = l->trace->thread_keys.count;
	l->process_count = l->trace->process_keys.count;
	l->of_launch = mem_zalloc(launches, sizeof(*l->of_launch));
	l->part = mem_zalloc(launches, sizeof(*l->part));
	l->threads = mem_zalloc(l->thread_count, sizeof(*l->threads));
	l->processes = mem_zalloc(l->process_count, sizeof(*l->processes));
	name_all(l);
}

static int sum_up(struct launched *l, const struct scope *p, struct op_signs *signs, struct err *e)
{
	struct gpu_work g;
	int result = gpu_work_open(&g, l->trace, ALL_GPU_KINDS, p, e);

	begin(l);
	for (int kind = 0; kind < TRACE_GPU_KINDS && result == 0; kind++)
		result = add_kind(l, &g, (enum trace_kind)kind, signs, e);
	gpu_work_close(&g);
	return result;
}

int launched_read(struct trace *t, const struct scope *p, struct op_signs *signs,
		  struct launched *ret, struct err *e)
{
	*ret = (struct launched){.trace = t};
	if (attribution_make(t, ALL_GPU_KINDS, &ret->at, e) < 0 ||
	    host_names_read(t, &ret->host_names, e) < 0 || sum_up(ret, p, signs, e) < 0)
		return -1;
	sum_threads(ret);
	find_autograd(ret);
	return 0;
}

void launched_free(struct launched *l)
{
	attribution_free(&l->at);
	host_names_free(&l->host_names);
	free(l->of_launch);
	free(l->part);
	free(l->threads);
	free(l->processes);
	*l = (struct launched){0};
}
