/* Which columns are worth showing? */
#include "analysis/shown_columns.h"

struct column *columns_copy(struct report *r, const struct column *columns, size_t count)
{
	struct column *copy = arena_alloc(&r->arena, count, sizeof(*copy));

	memcpy(copy, columns, count * sizeof(*copy));
	return copy;
}

void columns_hide_empty(const struct rows *rows, struct column *columns)
{
	const size_t n = rows->table.column_count;

	for (size_t c = 0; c < n; c++) {
		bool empty = true;

		for (size_t i = c; empty && i < rows->count; i += n)
			empty = rows->cells[i].kind == CELL_NULL;
		if (empty)
			columns[c].show = MACHINE_ONLY;
	}
}
