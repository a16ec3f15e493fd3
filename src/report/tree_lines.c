/* Which lines lead to a node of a tree? */
#include "report/tree_lines.h"

#include "base/mem.h"

#include <stdlib.h>

static bool has_bit(const uint64_t *bits, unsigned at)
{
	return bits[at / 64] >> (at % 64) & 1;
}

static void read_depths(struct tree_lines *t, const struct table *table)
{
	struct cell *cells = mem_zalloc(table->column_count, sizeof(*cells));

	for (uint64_t i = 0; i < table->rows; i++) {
		table->row(table->ctx, i, cells);
		t->rows[i].depth = cells[0].depth;
		t->rows[i].more = cells[0].more;
	}
	free(cells);
}

static void clear_from(uint64_t *bits, unsigned depth)
{
	for (unsigned d = depth; d <= TREE_DEEPEST; d++)
		bits[d / 64] &= ~(UINT64_C(1) << d % 64);
}

/* From the first row down: the line of what is not shown passes all that is below its sibling. */
static void add_more(struct tree_lines *t, uint64_t rows)
{
	uint64_t open[4] = {0};

	for (uint64_t i = 0; i < rows; i++) {
		struct tree_line *row = &t->rows[i];

		clear_from(open, row->depth);
		if (row->more)
			open[row->depth / 64] |= UINT64_C(1) << row->depth % 64;
		for (size_t word = 0; word < ARRAY_LEN(open); word++)
			row->goes_on[word] |= open[word];
	}
}

/* From the last row up: whatever is deeper than a row belongs to another branch above it. */
void tree_lines_make(struct tree_lines *t, const struct table *table)
{
	uint64_t open[4] = {0};

	t->rows = mem_zalloc(table->rows, sizeof(*t->rows));
	read_depths(t, table);
	for (uint64_t i = table->rows; i > 0; i--) {
		struct tree_line *row = &t->rows[i - 1];

		memcpy(row->goes_on, open, sizeof(open));
		clear_from(open, row->depth + 1u);
		open[row->depth / 64] |= UINT64_C(1) << row->depth % 64;
	}
	add_more(t, table->rows);
}

void tree_lines_free(struct tree_lines *t)
{
	free(t->rows);
	t->rows = NULL;
}

void tree_lines_add(const struct tree_lines *t, uint64_t row, struct buf *b)
{
	const struct tree_line *r = &t->rows[row];

	for (unsigned d = 1; d < r->depth; d++)
		buf_adds(b, has_bit(r->goes_on, d) ? "│  " : "   ");
	if (r->depth)
		buf_adds(b, has_bit(r->goes_on, r->depth) ? "├─ " : "└─ ");
}
