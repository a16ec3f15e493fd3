/* Which GPU ops are the same, as far as a comparison is concerned? */
#include "diff/op_groups.h"

#include "analysis/kernel_names.h"
#include "base/mem.h"
#include "trace/system/labels.h"

#include <stdlib.h>
#include <string.h>

enum {
	GRAPHS_MAX = 64, /* told apart; a program that makes more makes them anew all the time */
	SORTS_MAX = 256, /* of copies: hostile exports may have any number */
	RECENT = 1024,
};

static const enum leaf_class leaf_of_class[OP_CLASSES] = {
	[OP_COMPUTE] = LEAF_COMPUTE, [OP_COMM] = LEAF_COMM, [OP_COPY] = LEAF_COPY};

static uint32_t add_group(struct op_groups *g, struct op_group group)
{
	MEM_GROW(g->all, g->cap, g->count + 1);
	g->all[g->count] = group;
	return (uint32_t)g->count++;
}

static const char *name_grid(struct arena *arena, const struct events *ev, uint64_t row)
{
	if (!ev->grid[0] || !ev->grid[1] || !ev->grid[2] || ev->grid[0][row] == ID_NONE)
		return "";
	return arena_printf(arena, "%ux%ux%u", ev->grid[0][row], ev->grid[1][row],
			    ev->grid[2][row]);
}

/* Grids as numbers: of two dimensions a pair, with the third again a pair. */
struct grids {
	struct idmap planes, all;
};

static uint32_t number_grid(struct grids *g, const struct events *ev, uint64_t row)
{
	if (!ev->grid[0] || !ev->grid[1] || !ev->grid[2])
		return 0;
	return idmap_number_pair(&g->all,
				 idmap_number_pair(&g->planes, ev->grid[0][row], ev->grid[1][row]),
				 ev->grid[2][row]);
}

/* The group of a kernel that was looked up lately: programs launch the same again and again. */
struct recent_kernel {
	uint32_t name, grid[3], group; /* group: counts from 1; 0: none */
};

static struct recent_kernel *find_recent(struct recent_kernel *all, const struct events *ev,
					 uint32_t name, uint64_t row, bool *ret_is)
{
	uint32_t grid[3] = {0}, mix = name;
	struct recent_kernel *r;

	for (int k = 0; k < 3; k++) {
		grid[k] = ev->grid[k] ? ev->grid[k][row] : 0;
		mix = mix * 31 + grid[k];
	}
	r = &all[mix % RECENT];
	*ret_is = r->group && r->name == name && memcmp(r->grid, grid, sizeof(grid)) == 0;
	if (!*ret_is)
		*r = (struct recent_kernel){name, {grid[0], grid[1], grid[2]}, 0};
	return r;
}

static void group_kernels(struct op_groups *g, struct trace *t, const uint32_t *names,
			  const uint8_t *class_of_name, struct arena *arena)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	SCOPED struct recent_kernel *recent = mem_zalloc(RECENT, sizeof(*recent));
	struct grids grids = {0};
	struct idmap numbers = {0};
	uint32_t *of_op = mem_alloc(ev->count, sizeof(*of_op));

	g->of_op[TRACE_KERNELS] = of_op;
	for (uint64_t i = 0; i < ev->count; i++) {
		bool is_known;
		struct recent_kernel *r = find_recent(recent, ev, names[i], i, &is_known);

		if (!is_known)
			r->group = 1 + idmap_number_pair(&numbers, names[i],
							 number_grid(&grids, ev, i));
		of_op[i] = r->group - 1;
		if (of_op[i] == g->count)
			add_group(g, (struct op_group){
					     leaf_of_class[names[i] == NAME_NONE
								   ? OP_COMPUTE
								   : class_of_name[names[i]]],
					     names[i], arena_str(arena, trace_name(t, names[i])).s,
					     name_grid(arena, ev, i)});
	}
	idmap_free(&numbers);
	idmap_free(&grids.planes);
	idmap_free(&grids.all);
}

static const char *name_copy(struct arena *arena, uint32_t kind, uint32_t from, uint32_t to)
{
	const struct str name = label_memcpy(kind), f = label_memory_kind(from),
			 d = label_memory_kind(to);

	/* Pages that the driver moves are of no kind that anybody knows. */
	if (!f.len || !d.len || copy_moves_pages(kind))
		return arena_str(arena, name).s;
	return arena_printf(arena, "%.*s %.*s to %.*s", (int)name.len, name.s, (int)f.len, f.s,
			    (int)d.len, d.s);
}

static uint32_t known_kind(const uint32_t *column, uint64_t row)
{
	return column ? label_known_memory_kind(column[row]) : ID_NONE;
}

static void group_copies(struct op_groups *g, struct trace *t, struct arena *arena)
{
	const struct events *ev = &t->events[TRACE_MEMCPYS];
	const uint32_t first = (uint32_t)g->count;
	struct idmap places = {0}, numbers = {0};
	uint32_t *of_op = mem_alloc(ev->count, sizeof(*of_op));

	g->of_op[TRACE_MEMCPYS] = of_op;
	for (uint64_t i = 0; i < ev->count; i++) {
		const uint32_t kind = ev->copy_kind ? label_known_copy_kind(ev->copy_kind[i]) : 0;
		const uint32_t from = known_kind(ev->src_kind, i), to = known_kind(ev->dst_kind, i);
		const uint32_t sort =
			idmap_number_pair(&numbers, kind, idmap_number_pair(&places, from, to));

		of_op[i] = first + (sort < SORTS_MAX ? sort : SORTS_MAX - 1);
		if (of_op[i] == g->count)
			add_group(g, (struct op_group){LEAF_COPY, NAME_NONE,
						       name_copy(arena, kind, from, to), ""});
	}
	idmap_free(&places);
	idmap_free(&numbers);
}

static void group_sets(struct op_groups *g, const struct trace *t)
{
	const struct events *ev = &t->events[TRACE_MEMSETS];
	uint32_t group;

	if (!ev->count)
		return;
	group = add_group(g, (struct op_group){LEAF_COPY, NAME_NONE, LABEL_MEMSET.s, ""});
	g->of_op[TRACE_MEMSETS] = mem_alloc(ev->count, sizeof(uint32_t));
	for (uint64_t i = 0; i < ev->count; i++)
		g->of_op[TRACE_MEMSETS][i] = group;
}

static void group_graphs(struct op_groups *g, const struct ops *o, struct arena *arena)
{
	const struct op_lane *lane = &o->lanes[TRACE_GRAPHS];
	const struct op_run in_order = {lane, TRACE_GRAPHS, 0, lane->ev->count};
	const uint32_t first = (uint32_t)g->count;
	struct idmap numbers = {0};
	uint32_t *of_op = mem_alloc(lane->ev->count, sizeof(*of_op));

	g->of_op[TRACE_GRAPHS] = of_op;
	for (uint64_t i = 0; i < lane->ev->count; i++) {
		const uint64_t row = op_run_row(&in_order, i);
		const uint32_t id = lane->ev->graph ? lane->ev->graph[row] : 0;
		const uint32_t number = idmap_add(&numbers, id, (uint32_t)numbers.count);

		of_op[row] = first + (number < GRAPHS_MAX ? number : GRAPHS_MAX - 1);
		if (of_op[row] == g->count)
			add_group(g, (struct op_group){
					     LEAF_COMPUTE, NAME_NONE,
					     arena_printf(arena, "CUDA graph %u", number + 1), ""});
	}
	idmap_free(&numbers);
}

static int load(struct trace *t, struct err *e)
{
	const uint32_t copies =
		COL_BIT(COL_COPY_KIND) | COL_BIT(COL_SRC_KIND) | COL_BIT(COL_DST_KIND);

	return trace_load(t, TRACE_KERNELS, OP_GROUP_COLUMNS, e) < 0 ||
			       trace_load(t, TRACE_MEMCPYS, copies, e) < 0 ||
			       trace_load(t, TRACE_GRAPHS, COL_BIT(COL_GRAPH), e) < 0
		       ? -1
		       : 0;
}

int op_groups_make(struct op_groups *ret, struct trace *t, const struct ops *o, struct arena *arena,
		   struct err *e)
{
	struct kernel_names names;

	*ret = (struct op_groups){0};
	if (load(t, e) < 0)
		return -1;
	if (t->events[TRACE_KERNELS].count) {
		if (kernel_names_read(t, NULL, NULL, &names, e) < 0)
			return -1;
		group_kernels(ret, t, names.of_kernel, o->class_of_name, arena);
		kernel_names_free(&names);
	}
	group_copies(ret, t, arena);
	group_sets(ret, t);
	group_graphs(ret, o, arena);
	return 0;
}

void op_groups_free(struct op_groups *g)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		free(g->of_op[kind]);
	free(g->all);
	*g = (struct op_groups){0};
}
