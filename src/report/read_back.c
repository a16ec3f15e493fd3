/* What does a report hold? */
#include "report/report.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const struct table *report_find_table(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->block_count; i++) {
		const struct block *b = &r->blocks[i];

		if (b->kind == BLOCK_TABLE && strcmp(b->table->name, name) == 0)
			return b->table;
	}
	return NULL;
}

int table_column(const struct table *t, const char *key)
{
	for (size_t i = 0; i < t->column_count; i++) {
		if (strcmp(t->columns[i].key, key) == 0)
			return (int)i;
	}
	return -1;
}

struct cell table_cell(const struct table *t, uint64_t row, const char *key)
{
	int column = t ? table_column(t, key) : -1;
	struct cell *cells, found;

	if (column < 0)
		return cell_null();
	cells = mem_zalloc(t->column_count, sizeof(*cells));
	t->row(t->ctx, row, cells);
	found = cells[column];
	free(cells);
	return found;
}
