/* Which ops are whose? A walk over all of them for each member would take as often as long. */
#include "fleet/part_making.h"

#include "base/mem.h"

#include <stdlib.h>

static uint32_t owner_of(const struct part_making *x, struct process_gpu_cursor *at,
			 const struct events *ev, uint64_t row)
{
	const uint32_t pair = process_gpus_find(&x->comm.walk.gpus, at, ev, row);
	const uint32_t member = pair == ID_NONE ? ID_NONE : x->member_of_pair[pair];

	/* Strays of its process are on another GPU. */
	return member != ID_NONE && x->members[member].pair == pair ? member : ID_NONE;
}

/* Where those of each member begin, and after the last where they end. */
static void count_ops(const struct part_making *x, const struct events *ev, uint64_t *begin)
{
	struct process_gpu_cursor at = PROCESS_GPU_CURSOR_START;

	for (uint64_t i = 0; i < ev->count; i++) {
		const uint32_t member = owner_of(x, &at, ev, i);

		if (member != ID_NONE)
			begin[member + 1]++;
	}
	for (size_t i = 0; i < x->count; i++)
		begin[i + 1] += begin[i];
}

/* In the order of the lane. */
static void list_ops(const struct part_making *x, const struct op_lane *lane, uint64_t *end,
		     uint32_t *rows)
{
	const struct op_run all = {.lane = lane};
	struct process_gpu_cursor at = PROCESS_GPU_CURSOR_START;

	for (uint64_t i = 0; i < lane->count; i++) {
		const uint64_t row = op_run_row(&all, i);
		const uint32_t member = owner_of(x, &at, lane->ev, row);

		if (member != ID_NONE)
			rows[end[member]++] = (uint32_t)row;
	}
}

void part_own_ops_find(const struct part_making *x, const struct ops *o, struct part_own_ops *ret)
{
	*ret = (struct part_own_ops){0};
	/* Who is alone is as soon done with all. */
	if (x->count < 2)
		return;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct op_lane *lane = &o->lanes[kind];
		uint64_t *end;

		ret->begin[kind] = mem_zalloc(x->count + 1, sizeof(uint64_t));
		count_ops(x, lane->ev, ret->begin[kind]);
		ret->rows[kind] = mem_alloc(ret->begin[kind][x->count], sizeof(uint32_t));
		end = mem_copy(ret->begin[kind], x->count + 1, sizeof(*end));
		list_ops(x, lane, end, ret->rows[kind]);
		free(end);
	}
}

struct ops part_own_ops_of(const struct part_own_ops *own, const struct part_making *x,
			   size_t member, const struct ops *o)
{
	const struct making_member *m = &x->members[member];
	struct ops_rows rows[TRACE_GPU_KINDS];

	/* What says no place may be anywhere. */
	if (!own->begin[0] || m->process == ID_NONE || m->device == ID_NONE)
		return *o;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const uint64_t *begin = own->begin[kind];

		rows[kind] = (struct ops_rows){&own->rows[kind][begin[member]],
					       begin[member + 1] - begin[member]};
	}
	return ops_choice(o, rows, m->process, m->device);
}

void part_own_ops_free(struct part_own_ops *own)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		free(own->begin[kind]);
		free(own->rows[kind]);
	}
}
