/* With which grids and blocks was a kernel launched? */
#include "analysis/counters/ncu_shapes.h"

#include "analysis/grouping.h"
#include "analysis/kernel_names.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_SHAPES = 64 }; /* of a group that are compared */

static uint32_t number_of(struct ncu_shapes *s, const uint32_t *dims)
{
	uint32_t number = dims[0];

	for (size_t i = 1; i < 6; i++)
		number = pairs_number(&s->numbers[i - 1], number, dims[i]);
	return number;
}

static bool has_shapes(const struct events *k)
{
	for (int i = 0; i < 3; i++) {
		if (!k->grid[i] || !k->block[i])
			return false;
	}
	return true;
}

static uint32_t shape_of(struct ncu_shapes *s, const struct events *k, uint64_t row)
{
	const uint32_t dims[6] = {k->grid[0][row],  k->grid[1][row],  k->grid[2][row],
				  k->block[0][row], k->block[1][row], k->block[2][row]};

	return number_of(s, dims);
}

static void add_traced(struct ncu_shapes *s, uint32_t traced, uint32_t shape, int64_t ns)
{
	size_t known = pairs_count(&s->traced);
	uint32_t number = pairs_number(&s->traced, traced, shape);

	if (pairs_count(&s->traced) > known) {
		MEM_GROW(s->traced_ns, s->traced_cap, number + 1);
		s->traced_ns[number] = 0;
	}
	s->traced_ns[number] = sat_add(s->traced_ns[number], ns);
}

static void sum_up(struct ncu_shapes *s, const struct trace *t, const struct grouping *g,
		   struct ncu_join *j)
{
	const struct events *k = &t->events[TRACE_KERNELS];
	const bool shaped = has_shapes(k);

	j->traced_count = g->count;
	j->traced = mem_zalloc(g->count, sizeof(*j->traced));
	for (size_t i = 0; i < g->count; i++)
		j->traced[i].name = trace_name(t, g->keys[i].name);
	for (uint64_t row = 0; row < k->count; row++) {
		uint32_t of = g->group[row];

		if (of == GROUP_NONE)
			continue;
		j->traced[of].count++;
		j->traced[of].total_ns = sat_add(j->traced[of].total_ns, g->duration_ns[row]);
		if (shaped)
			add_traced(s, of, shape_of(s, k, row), g->duration_ns[row]);
	}
}

int ncu_shapes_read(struct ncu_shapes *s, struct trace *t, const struct scope *p,
		    struct ncu_join *j, struct err *e)
{
	struct kernel_names names;
	struct grouping g;
	int result;

	*s = (struct ncu_shapes){0};
	if (trace_load(t, TRACE_KERNELS, COLS_GRID, e) < 0 ||
	    kernel_names_read(t, NULL, NULL, &names, e) < 0)
		return -1;
	result = grouping_make(t, TRACE_KERNELS, names.of_kernel, p, BY_NONE, &g, e);
	if (result == 0) {
		sum_up(s, t, &g, j);
		grouping_free(&g);
	}
	kernel_names_free(&names);
	return result;
}

static void add_shape(uint32_t *shapes, uint32_t shape)
{
	size_t n = 0;

	for (; shapes[n] != ID_NONE && n + 1 < MOST_SHAPES; n++) {
		if (shapes[n] == shape)
			return;
	}
	if (n + 1 < MOST_SHAPES) {
		shapes[n] = shape;
		shapes[n + 1] = ID_NONE;
	}
}

void ncu_shapes_add_groups(struct ncu_shapes *s, const struct ncu_report *r,
			   const struct ncu_groups *g)
{
	s->group_count = g->count;
	s->of_group = arena_zalloc(&s->arena, g->count, sizeof(*s->of_group));
	for (size_t i = 0; i < g->count; i++) {
		s->of_group[i] = arena_alloc(&s->arena, MOST_SHAPES, sizeof(**s->of_group));
		s->of_group[i][0] = ID_NONE;
	}
	for (size_t i = 0; i < r->count; i++) {
		const struct ncu_kernel *k = &r->kernels[i];
		const uint32_t dims[6] = {k->grid.x,  k->grid.y,  k->grid.z,
					  k->block.x, k->block.y, k->block.z};

		if (ncu_dim_known(k->grid) && ncu_dim_known(k->block))
			add_shape(s->of_group[g->of_kernel[i]], number_of(s, dims));
	}
}

static uint32_t pair_of(const struct ncu_shapes *s, uint32_t traced, uint32_t shape)
{
	return idmap_get(&s->traced.numbers, (uint64_t)traced << 32 | shape);
}

bool ncu_shapes_agree(const struct ncu_shapes *s, size_t group, uint32_t traced)
{
	const uint32_t *shape = s->of_group[group];

	if (*shape == ID_NONE)
		return false;
	for (; *shape != ID_NONE; shape++) {
		if (pair_of(s, traced, *shape) == IDMAP_NONE)
			return false;
	}
	return true;
}

int64_t ncu_shapes_time(const struct ncu_shapes *s, size_t group, uint32_t traced)
{
	int64_t sum = 0;

	if (s->of_group[group][0] == ID_NONE || !pairs_count(&s->traced))
		return NCU_UNSAID;
	for (const uint32_t *shape = s->of_group[group]; *shape != ID_NONE; shape++) {
		uint32_t pair = pair_of(s, traced, *shape);

		if (pair != IDMAP_NONE)
			sum = sat_add(sum, s->traced_ns[pair]);
	}
	return sum;
}

void ncu_shapes_free(struct ncu_shapes *s)
{
	for (size_t i = 0; i < ARRAY_LEN(s->numbers); i++)
		pairs_free(&s->numbers[i]);
	pairs_free(&s->traced);
	free(s->traced_ns);
	arena_free(&s->arena);
}
