/*
 * Which of several GPUs that work together bounds the steps? One that waits for another is in
 * communication meanwhile, and is as busy: the one with most to do beside that bounds them all.
 */
#include "diff/bounding_place.h"

#include "base/mem.h"

#include <stdlib.h>

/* What a process does on a device, or a device alone. */
struct share {
	int64_t comm_ns, own_ns;
};

static void add_op(struct share *to, int64_t ns, bool is_comm)
{
	if (is_comm)
		to->comm_ns = sat_add(to->comm_ns, ns);
	else
		to->own_ns = sat_add(to->own_ns, ns);
}

struct op_at {
	uint32_t process, device;
	int64_t start_ns, ns;
	bool is_comm;
};

/* Calls back with each op that has a length. */
static void each_op(const struct ops *o, const struct op_groups *g,
		    void (*take)(void *ctx, const struct op_at *op), void *ctx)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = o->lanes[kind].ev;

		for (uint64_t i = 0; ev->start_ns && g->of_op[kind] && i < ev->count; i++) {
			struct op_at op = {.start_ns = ev->start_ns[i], .ns = ev->duration_ns[i]};

			if (op.ns <= 0)
				continue;
			ops_place(o, (enum trace_kind)kind, i, &op.process, &op.device);
			op.is_comm = g->all[g->of_op[kind][i]].class == LEAF_COMM;
			take(ctx, &op);
		}
	}
}

struct lane_shares {
	const struct iterations *it;
	struct share *of;
};

static void add_to_lane(void *ctx, const struct op_at *op)
{
	struct lane_shares *x = ctx;

	for (size_t i = 0; i < x->it->lane_count; i++) {
		const struct iteration_lane *lane = &x->it->lanes[i];
		const struct iteration *steps = lane_steps(x->it, lane);

		if (lane->process == op->process && lane->count &&
		    op->start_ns >= steps[0].from_ns && op->start_ns < steps[lane->count - 1].to_ns)
			add_op(&x->of[i], op->ns, op->is_comm);
	}
}

/* Of a step of the lane, beside communication. */
static double own_step_ns(const struct iterations *it, size_t lane, const struct share *s)
{
	const struct iteration *steps = lane_steps(it, &it->lanes[lane]);
	int64_t ns = 0;

	for (size_t i = 0; i < it->lanes[lane].count; i++)
		ns = sat_add(ns, iteration_ns(&steps[i]));
	return (double)sat_sub(ns, s->comm_ns) / (double)it->lanes[lane].count;
}

size_t bounding_lane(const struct iterations *it, const struct ops *o, const struct op_groups *g)
{
	struct lane_shares x = {it, mem_zalloc(it->lane_count, sizeof(*x.of))};
	size_t found = it->main_lane;

	if (it->lane_count > 1)
		each_op(o, g, add_to_lane, &x);
	/* Processes that do not communicate, or with other numbers of steps, are no ranks. */
	for (size_t i = 0; i < it->lane_count && x.of[it->main_lane].comm_ns; i++) {
		if (x.of[i].comm_ns && it->lanes[i].count == it->lanes[it->main_lane].count &&
		    own_step_ns(it, i, &x.of[i]) > own_step_ns(it, found, &x.of[found]))
			found = i;
	}
	free(x.of);
	return found;
}

struct device_shares {
	uint32_t process;
	struct idmap numbers;
	uint32_t *devices;
	struct share *of;
	size_t count, cap, share_cap;
};

static void add_to_device(void *ctx, const struct op_at *op)
{
	struct device_shares *x = ctx;
	uint32_t number;

	if (op->process != x->process || op->device == ID_NONE)
		return;
	number = idmap_add(&x->numbers, op->device, (uint32_t)x->count);
	if (number == x->count) {
		MEM_GROW(x->devices, x->cap, x->count + 1);
		MEM_GROW(x->of, x->share_cap, x->count + 1);
		x->devices[x->count] = op->device;
		x->of[x->count++] = (struct share){0};
	}
	add_op(&x->of[number], op->ns, op->is_comm);
}

uint32_t bounding_device(uint32_t process, uint32_t busiest, const struct ops *o,
			 const struct op_groups *g)
{
	struct device_shares x = {.process = process};
	int64_t most_ns = -1;
	uint32_t found = busiest;

	each_op(o, g, add_to_device, &x);
	for (size_t i = 0; i < x.count; i++) {
		if (x.devices[i] == busiest && x.of[i].comm_ns)
			most_ns = x.of[i].own_ns;
	}
	for (size_t i = 0; i < x.count && most_ns >= 0; i++) {
		if (x.of[i].comm_ns && x.of[i].own_ns > most_ns) {
			most_ns = x.of[i].own_ns;
			found = x.devices[i];
		}
	}
	idmap_free(&x.numbers);
	free(x.devices);
	free(x.of);
	return found;
}
