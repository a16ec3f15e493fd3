/* What do ops of one name, of one shape, or all of them, take together? */
#include "analysis/events/op_groups.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a launch is shaped by, in the order of the cells below. */
static const enum event_field shape_fields[] = {
	EVENT_GRID_X,  EVENT_GRID_Y,	EVENT_GRID_Z,	   EVENT_BLOCK_X,     EVENT_BLOCK_Y,
	EVENT_BLOCK_Z, EVENT_REGISTERS, EVENT_STATIC_SMEM, EVENT_DYNAMIC_SMEM};
enum { SHAPE_GRID = 0, SHAPE_BLOCK = 3, SHAPE_REGISTERS = 6, SHAPE_STATIC, SHAPE_DYNAMIC };

struct shape {
	struct str name;
	struct cell cells[ARRAY_LEN(shape_fields)];
};

struct op_groups {
	struct strtab keys;
	struct cell *classes; /* of each */
	struct shape *shapes; /* of each, where groups are of one */
	size_t cap, shape_cap;
	uint32_t *group; /* by op */
	int64_t *duration_ns, *bytes;
	bool has_bytes;
};

uint64_t op_groups_fields(enum op_grouping by)
{
	uint64_t bits = EVENT_BIT(EVENT_NAME) | EVENT_BIT(EVENT_CLASS) | EVENT_BIT(EVENT_BYTES) |
			EVENT_BIT(EVENT_TYPE);

	for (size_t i = 0; by == OPS_BY_SHAPE && i < ARRAY_LEN(shape_fields); i++)
		bits |= EVENT_BIT(shape_fields[i]);
	return bits;
}

/* Of one name and shape. */
static uint32_t shape_group(struct op_groups *g, struct report *r, struct event_fields *f,
			    struct event_ref at)
{
	SCOPED_BUF key = {0};
	struct shape s = {.name = event_field_get(f, at, EVENT_NAME).s};
	uint32_t group;

	for (size_t i = 0; i < ARRAY_LEN(shape_fields); i++) {
		s.cells[i] = event_field_get(f, at, shape_fields[i]);
		if (s.cells[i].kind == CELL_INT)
			buf_addf(&key, "%" PRId64 " ", s.cells[i].i);
		else
			buf_adds(&key, "- ");
	}
	buf_addstr(&key, s.name);
	group = strtab_keep(&g->keys, &r->arena, buf_str(&key));
	MEM_GROW(g->shapes, g->shape_cap, g->keys.count);
	g->shapes[group] = s;
	return group;
}

static uint32_t group_of(struct op_groups *g, struct report *r, struct event_fields *f,
			 struct event_ref at, enum op_grouping by)
{
	return by == OPS_BY_SHAPE ? shape_group(g, r, f, at)
	       : by == OPS_AS_ONE ? strtab_add(&g->keys, STR_LIT("all ops"))
				  : strtab_add(&g->keys, event_field_get(f, at, EVENT_NAME).s);
}

/* A name is of one class; all ops are of many. Only kernels have a shape. */
static size_t make_groups(struct op_groups *g, struct report *r, struct event_fields *f,
			  const struct event_list *l, enum op_grouping by)
{
	size_t n = 0;

	g->group = mem_alloc(l->count + 1, sizeof(*g->group));
	g->duration_ns = mem_alloc(l->count + 1, sizeof(*g->duration_ns));
	g->bytes = mem_alloc(l->count + 1, sizeof(*g->bytes));
	for (size_t i = 0; i < l->count; i++) {
		const struct event_ref at = event_list_at(l, i);
		const struct cell bytes = event_field_get(f, at, EVENT_BYTES);

		if (by == OPS_BY_SHAPE && at.kind != TRACE_KERNELS)
			continue;
		g->group[n] = group_of(g, r, f, at, by);
		MEM_GROW(g->classes, g->cap, g->keys.count);
		g->classes[g->group[n]] =
			by == OPS_AS_ONE ? cell_null() : event_field_get(f, at, EVENT_CLASS);
		g->bytes[n] = bytes.kind == CELL_INT ? bytes.i : 0;
		g->has_bytes |= bytes.kind == CELL_INT;
		g->duration_ns[n++] = event_field_get(f, at, EVENT_DURATION_NS).i;
	}
	return n;
}

static void free_groups(struct op_groups *g)
{
	strtab_free(&g->keys);
	free(g->classes);
	free(g->shapes);
	free(g->group);
	free(g->duration_ns);
	free(g->bytes);
}

static const struct column name_column = {"name", "Name", UNIT_KERNEL, 0, "", SHOW};
static const struct column extra_columns[] = {
	{"class", "Class", UNIT_NAME, 0, "class:", SHOW},
	{"bytes", "Bytes", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
};

static int report_times(struct report *r, struct trace *t, const struct table_args *a,
			const struct op_groups *g, const struct summary *sums,
			const struct summary *bytes, struct err *e)
{
	struct time_table table = {.name = "gpu_ops",
				   .kind = "op",
				   .name_column = name_column,
				   .extra = extra_columns,
				   .extra_count = ARRAY_LEN(extra_columns) - !g->has_bytes,
				   .count = g->keys.count};
	int result;

	table.rows = mem_zalloc(table.count + 1, sizeof(*table.rows));
	for (size_t i = 0; i < table.count; i++)
		table.rows[i] = (struct time_row){
			.name = g->keys.items[i],
			.s = sums[i],
			.extra = {g->classes[i],
				  bytes[i].total ? cell_int(bytes[i].total) : cell_null()}};
	result = time_table_report(r, t, a, &table, e);
	free(table.rows);
	return result;
}

static const struct column shape_columns[] = {
	{"name", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"blocks", "Blocks", UNIT_COUNT, 0, "blocks:", SHOW},
	{"grid_x", "Grid x", UNIT_ID, 0, NULL, SHOW},
	{"grid_y", "y", UNIT_ID, 0, NULL, SHOW},
	{"grid_z", "z", UNIT_ID, 0, NULL, SHOW},
	{"threads", "Threads a block", UNIT_COUNT, 0, "threads:", SHOW},
	{"block_x", "Block x", UNIT_ID, 0, NULL, SHOW},
	{"block_y", "y", UNIT_ID, 0, NULL, SHOW},
	{"block_z", "z", UNIT_ID, 0, NULL, SHOW},
	{"registers", "Registers a thread", UNIT_COUNT, 0, NULL, SHOW},
	{"smem_bytes", "Shared memory a block", UNIT_BYTES, 0, NULL, SHOW},
	{"static_smem_bytes", "Static", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
	{"dynamic_smem_bytes", "Dynamic", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
	{"count", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
};

/* What a grid has of blocks, a block of threads; null where a side is not known, or no such number
 * can be. */
static struct cell product(const struct cell *sides)
{
	int64_t all = 1;

	for (size_t i = 0; i < 3; i++) {
		if (sides[i].kind != CELL_INT || __builtin_mul_overflow(all, sides[i].i, &all))
			return cell_null();
	}
	return cell_int(all);
}

static struct cell both(const struct cell *a, const struct cell *b)
{
	return a->kind == CELL_INT && b->kind == CELL_INT ? cell_int(sat_add(a->i, b->i))
							  : cell_null();
}

static int report_shapes(struct report *r, const struct table_args *a, const struct op_groups *g,
			 const struct summary *sums, struct err *e)
{
	struct rows *rows =
		report_new_rows(r, "launch_shapes", NULL, shape_columns, ARRAY_LEN(shape_columns));

	for (size_t i = 0; i < g->keys.count; i++) {
		const struct shape *s = &g->shapes[i];
		const struct cell *grid = s->cells + SHAPE_GRID, *block = s->cells + SHAPE_BLOCK;

		ROWS_ADD(rows, cell_str(s->name), product(grid), grid[0], grid[1], grid[2],
			 product(block), block[0], block[1], block[2], s->cells[SHAPE_REGISTERS],
			 both(&s->cells[SHAPE_STATIC], &s->cells[SHAPE_DYNAMIC]),
			 s->cells[SHAPE_STATIC], s->cells[SHAPE_DYNAMIC],
			 cell_int((int64_t)sums[i].count), cell_int(sums[i].total));
	}
	return rows_arrange(rows, &a->rows, "total_ns", e);
}

int op_groups_report(struct report *r, struct trace *t, const struct table_args *a,
		     struct event_fields *f, const struct event_list *l, enum op_grouping by,
		     struct err *e)
{
	struct op_groups g = {0};
	const size_t n = make_groups(&g, r, f, l, by);
	struct summary *sums = mem_alloc(g.keys.count + 1, sizeof(*sums));
	struct summary *bytes = mem_alloc(g.keys.count + 1, sizeof(*bytes));
	int result;

	summarize(g.duration_ns, g.group, n, g.keys.count, sums);
	summarize(g.bytes, g.group, n, g.keys.count, bytes);
	result = by == OPS_BY_SHAPE ? report_shapes(r, a, &g, sums, e)
				    : report_times(r, t, a, &g, sums, bytes, e);
	free(bytes);
	free(sums);
	free_groups(&g);
	return result;
}
