/* What all tables of a comparison do with their cells. */
#include "diff/tables/tables.h"

#include <math.h>
#include <string.h>

/* Columns in which no row has anything are for machines. */
void table_hide_empty(struct rows *rows)
{
	const size_t count = rows->table.column_count;
	struct column *columns = arena_alloc(rows->arena, count, sizeof(*columns));

	memcpy(columns, rows->table.columns, count * sizeof(*columns));
	for (size_t c = 0; c < count; c++) {
		bool any = false;

		for (size_t i = c; i < rows->count; i += count)
			any = any || rows->cells[i].kind != CELL_NULL;
		if (!any)
			columns[c].show = MACHINE_ONLY;
	}
	rows->table.columns = columns;
}

struct cell table_percent(double share)
{
	return cell_finite(100 * share);
}
