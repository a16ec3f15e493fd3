/* Which rows come first, and which not at all? */
#include "tui/views/table_rows.h"

#include "base/mem.h"
#include "base/sort.h"
#include "report/cell_text.h"
#include "text/name_pattern.h"
#include "text/text.h"

#include <stdlib.h>

/* What a row is sorted by: cells of rows that are made when asked for do not stay. */
struct key {
	uint64_t row;
	bool has_number;
	double number;
	struct str text;
};

struct order {
	bool descending;
};

static int compare(const void *a, const void *b, void *ctx)
{
	const struct key *x = a, *y = b;
	const struct order *o = ctx;
	int sign = str_cmp(x->text, y->text);

	/* Rows without a value are the last whichever way the others are sorted. */
	if (x->has_number != y->has_number && !x->text.len && !y->text.len)
		return y->has_number - x->has_number;
	if (!sign)
		sign = (x->number > y->number) - (x->number < y->number);
	return o->descending ? -sign : sign;
}

static struct key key_of(const struct cell *cell, uint64_t row, struct arena *arena)
{
	struct key k = {.row = row, .text = STR_LIT("")};

	if (cell->kind == CELL_TEXT)
		k.text = arena_str(arena, cell->s);
	k.has_number = cell->kind == CELL_INT || cell->kind == CELL_REAL;
	if (k.has_number)
		k.number = cell->kind == CELL_INT ? (double)cell->i : cell->r;
	return k;
}

/* Whether any text of the row matches. */
static int matches(const struct table_pane *p, struct pattern *pattern, struct err *e)
{
	int found = 0;

	if (!pattern)
		return 1;
	for (size_t i = 0; i < p->column_count && !found; i++) {
		const struct cell *cell = &p->cells[p->columns[i]];

		if (cell->kind == CELL_TEXT)
			found = pattern_match(pattern, cell->s, e);
	}
	return found;
}

static int read_rows(struct table_pane *p, struct pattern *pattern, struct key *keys, size_t *count,
		     struct arena *arena, struct err *e)
{
	for (uint64_t i = 0; i < p->table->rows; i++) {
		int found;

		p->table->row(p->table->ctx, i, p->cells);
		found = matches(p, pattern, e);
		if (found < 0)
			return -1;
		if (!found)
			continue;
		keys[*count] = (struct key){.row = i};
		if (p->sorted < p->column_count)
			keys[*count] = key_of(&p->cells[p->columns[p->sorted]], i, arena);
		++*count;
	}
	return 0;
}

static void keep(struct table_pane *p, const struct key *keys, size_t count)
{
	const uint64_t chosen = table_pane_chosen(p);

	p->rows = mem_resize(p->rows, count + 1, sizeof(*p->rows));
	p->list.count = count;
	for (size_t i = 0; i < count; i++) {
		p->rows[i] = keys[i].row;
		if (keys[i].row == chosen)
			p->list.chosen = i;
	}
	list_choose(&p->list, p->list.chosen);
}

int table_rows_arrange(struct table_pane *p, const char *text, struct err *e)
{
	struct order order = {p->descending};
	struct pattern *pattern = NULL;
	struct arena arena = {0};
	SCOPED struct key *keys = mem_alloc(p->table->rows + 1, sizeof(*keys));
	size_t count = 0;
	int result = 0;

	if (text && name_pattern_compile(&pattern, str_of(text), e) < 0)
		return -1;
	result = read_rows(p, pattern, keys, &count, &arena, e);
	pattern_free(pattern);
	if (result == 0) {
		if (p->sorted < p->column_count)
			sort_stable(keys, count, sizeof(*keys), compare, &order);
		keep(p, keys, count);
	}
	arena_free(&arena);
	return result;
}

void table_rows_write(const struct table_pane *p, struct buf *b)
{
	SCOPED_BUF raw = {0};

	for (size_t i = 0; i < p->table->column_count; i++)
		buf_addf(b, "%s%s", i ? "\t" : "", p->table->columns[i].key);
	for (size_t row = 0; row < p->list.count; row++) {
		p->table->row(p->table->ctx, p->rows[row], p->cells);
		for (size_t i = 0; i < p->table->column_count; i++) {
			buf_clear(&raw);
			cell_add_raw(&raw, &p->cells[i]);
			buf_addc(b, i ? '\t' : '\n');
			text_add_safe(b, buf_str(&raw));
		}
	}
	buf_addc(b, '\n');
}
