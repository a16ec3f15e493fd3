/* How were the kernels launched? */
#include "export/walk.h"

#include "base/mem.h"

#include <stdlib.h>

static const uint32_t shape_columns =
	COLS_GRID | COL_BIT(COL_REGISTERS) | COL_BIT(COL_STATIC_SMEM) | COL_BIT(COL_DYNAMIC_SMEM);

static struct shape shape_at(const uint32_t *const columns[SHAPE_VALUES], uint64_t row)
{
	struct shape s;

	for (int i = 0; i < SHAPE_VALUES; i++)
		s.values[i] = columns[i] ? columns[i][row] : ID_NONE;
	return s;
}

static struct str as_str(const struct shape *s)
{
	return (struct str){(const char *)s->values, sizeof(s->values)};
}

/* By their bytes; those of a new one are copied. */
static uint32_t number_shape(struct shapes *s, const struct shape *shape)
{
	size_t known = s->all.count;
	uint32_t number = strtab_add(&s->all, as_str(shape));

	if (number == known)
		s->all.items[number] = arena_str(&s->arena, as_str(shape));
	return number;
}

static void number_all(struct shapes *s, const struct events *ev)
{
	const uint32_t *const columns[SHAPE_VALUES] = {
		ev->grid[0],   ev->grid[1],	      ev->grid[2],
		ev->block[0],  ev->block[1],	      ev->block[2],
		ev->registers, ev->static_smem_bytes, ev->dynamic_smem_bytes,
	};
	struct shape last = {{0}};
	uint32_t number = 0;

	s->of_kernel = mem_alloc(ev->count, sizeof(*s->of_kernel));
	for (uint64_t i = 0; i < ev->count; i++) {
		struct shape shape = shape_at(columns, i);

		/* The next kernel often has the shape of the one before. */
		if (!i || memcmp(&shape, &last, sizeof(shape)) != 0)
			number = number_shape(s, &shape);
		last = shape;
		s->of_kernel[i] = number;
	}
}

int shapes_read(struct shapes *s, struct trace *t, struct err *e)
{
	*s = (struct shapes){0};
	if (trace_load(t, TRACE_KERNELS, shape_columns, e) < 0)
		return -1;
	number_all(s, &t->events[TRACE_KERNELS]);
	trace_unload(t, TRACE_KERNELS, shape_columns);
	return 0;
}

static size_t add_sides(struct timeline_arg *args, size_t count, enum timeline_key key,
			const uint32_t *sides)
{
	if (sides[0] == ID_NONE || sides[1] == ID_NONE || sides[2] == ID_NONE)
		return count;
	args[count] = (struct timeline_arg){.key = key, .type = ARG_SIDES};
	memcpy(args[count].sides, sides, sizeof(args[count].sides));
	return count + 1;
}

static size_t add_number(struct timeline_arg *args, size_t count, enum timeline_key key,
			 uint32_t value)
{
	if (value == ID_NONE)
		return count;
	args[count] = (struct timeline_arg){.key = key, .value = value};
	return count + 1;
}

struct timeline_block shapes_block(void *shapes, uint32_t number)
{
	struct shapes *s = shapes;
	uint32_t values[SHAPE_VALUES];
	size_t count = 0;

	memcpy(values, s->all.items[number].s, sizeof(values));
	count = add_sides(s->args, count, KEY_GRID, values);
	count = add_sides(s->args, count, KEY_BLOCK, values + 3);
	count = add_number(s->args, count, KEY_REGISTERS, values[6]);
	count = add_number(s->args, count, KEY_STATIC_SMEM, values[7]);
	count = add_number(s->args, count, KEY_DYNAMIC_SMEM, values[8]);
	return (struct timeline_block){s->args, count};
}

void shapes_free(struct shapes *s)
{
	free(s->of_kernel);
	strtab_free(&s->all);
	arena_free(&s->arena);
	*s = (struct shapes){0};
}
