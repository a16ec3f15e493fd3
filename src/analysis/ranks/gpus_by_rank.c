/* In which order do people expect processes on GPUs? */
#include "analysis/ranks/gpus_by_rank.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

struct order {
	const struct rank_map *map;
	const struct process_gpus *gpus;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static uint32_t rank_of(const struct order *o, const struct process_gpu *x)
{
	const struct rank *rank = rank_of_process(o->map, x->process);

	return rank ? rank->number : ID_NONE;
}

static int compare_gpus(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const struct process_gpu *x = &o->gpus->all[*(const uint32_t *)a];
	const struct process_gpu *y = &o->gpus->all[*(const uint32_t *)b];
	int c = compare_numbers(rank_of(o, x), rank_of(o, y));

	c = c ? c : compare_numbers(x->process, y->process);
	return c ? c : compare_numbers(x->device, y->device);
}

uint32_t *gpus_by_rank(const struct rank_map *m, const struct process_gpus *x)
{
	struct order o = {m, x};
	uint32_t *order = mem_alloc(x->count, sizeof(*order));

	for (size_t i = 0; i < x->count; i++)
		order[i] = (uint32_t)i;
	sort_stable(order, x->count, sizeof(*order), compare_gpus, &o);
	return order;
}

struct cell gpu_rank_cell(const struct rank_map *m, const struct process_gpus *x, uint32_t gpu)
{
	const struct rank *rank = rank_of_process(m, x->all[gpu].process);

	return rank ? cell_int(rank->number) : cell_null();
}

struct cell mesh_place_cell(struct report *r, const struct mesh_place *axis)
{
	return axis->known ? cell_text(arena_printf(&r->arena, "%u/%u", axis->rank, axis->size))
			   : cell_null();
}
