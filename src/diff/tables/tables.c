/* What all tables of a comparison do with their cells. */
#include "diff/tables/tables.h"

#include "report/fold.h"

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

void table_limit(struct report *r, struct rows *rows, uint64_t most, uint64_t limit)
{
	if (!limit)
		return;
	rows->table.folds = r->fits_screen;
	rows->table.most = most;
	if (!r->fits_screen)
		r->blocks[r->block_count - 1].table =
			table_fold(&rows->table, most < limit ? most : limit, &r->arena);
}

struct cell table_mix_cell(int64_t ns, bool people)
{
	return people ? cell_null() : cell_int(ns);
}

struct cell table_percent(double share)
{
	return cell_finite(100 * share);
}
