/* In which order do the rows come that a query asked for? */
#include "sqlitefile/sql_internal.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum { MOST_COLUMNS = 64 }; /* of a table: sql_table.h */

struct sql_order {
	char *terms;
	uint32_t *rows;
};

struct term {
	size_t column;
	bool descends;
};

/*
 * Rows that are equal in a column stay so: of its terms only the first decides. So there are no
 * more terms than columns, however many were asked for.
 */
static size_t parse_terms(const char *text, struct term *terms)
{
	uint64_t seen = 0;
	size_t count = 0;

	while (*text) {
		char *end;
		size_t column = strtoul(text, &end, 10) % MOST_COLUMNS;

		if (!(seen & UINT64_C(1) << column))
			terms[count++] = (struct term){column, *end == '-'};
		seen |= UINT64_C(1) << column;
		text = end + (*end != '\0');
		text += *text == ' ';
	}
	return count;
}

/* Stable: what was sorted by later terms before stays so among equals. */
static uint32_t *sort_further(const struct sql_table *t, uint64_t rows, const struct term *term,
			      uint32_t *before)
{
	int64_t *key = t->keys(t->ctx, term->column), *moved = key;
	uint32_t *order;

	if (before) {
		moved = mem_alloc(rows, sizeof(*moved));
		for (uint64_t i = 0; i < rows; i++)
			moved[i] = key[before[i]];
		free(key);
	}
	for (uint64_t i = 0; term->descends && i < rows; i++)
		moved[i] = ~moved[i];
	order = sort_new_order(moved, rows);
	free(moved);
	for (uint64_t i = 0; before && i < rows; i++)
		order[i] = before[order[i]];
	free(before);
	return order;
}

const uint32_t *sql_orders_get(struct sql_orders *o, const struct sql_table *t, uint64_t rows,
			       const char *text)
{
	struct term terms[MOST_COLUMNS];
	uint32_t *order = NULL;

	if (!text[0])
		return NULL;
	for (size_t i = 0; i < o->count; i++) {
		if (strcmp(o->all[i].terms, text) == 0)
			return o->all[i].rows;
	}
	for (size_t i = parse_terms(text, terms); i > 0; i--)
		order = sort_further(t, rows, &terms[i - 1], order);
	MEM_GROW(o->all, o->cap, o->count + 1);
	o->all[o->count++] = (struct sql_order){mem_strdup(text), order};
	return order;
}

void sql_orders_free(struct sql_orders *o)
{
	for (size_t i = 0; i < o->count; i++) {
		free(o->all[i].terms);
		free(o->all[i].rows);
	}
	free(o->all);
	*o = (struct sql_orders){0};
}

/* NULL comes before everything else. */
static int compare_value(const struct sql_table *t, uint32_t row, size_t column,
			 const struct sql_value *wanted)
{
	bool lasts;
	struct sql_value v = t->value(t->ctx, row, column, &lasts);

	if (v.type != wanted->type)
		return -1;
	if (v.type == SQLITE_IS_TEXT)
		return str_cmp(v.s, wanted->s);
	return (v.i > wanted->i) - (v.i < wanted->i);
}

static int compare_row(const struct sql_table *t, uint32_t row, const struct sql_match *m)
{
	int c = 0;

	for (size_t i = 0; i < m->count && c == 0; i++)
		c = compare_value(t, row, m->column[i], &m->value[i]);
	return (c > 0) - (c < 0);
}

/* The first place whose row compares greater than `below`. */
static uint64_t first_above(const struct sql_table *t, const uint32_t *order, uint64_t rows,
			    const struct sql_match *m, int below)
{
	return BISECT(0, rows, at, compare_row(t, order[at], m) <= below);
}

void sql_order_find(const struct sql_table *t, const uint32_t *order, uint64_t rows,
		    const struct sql_match *m, uint64_t *begin, uint64_t *end)
{
	*begin = first_above(t, order, rows, m, -1);
	*end = first_above(t, order, rows, m, 0);
}
