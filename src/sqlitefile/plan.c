/* Which columns must come out of every record, and in which order do they lie there? */
#include "base/mem.h"
#include "sqlitefile/scan.h"

#include <stdlib.h>

static int compare_wants(const void *a, const void *b)
{
	const struct want *x = a, *y = b;

	return (x->column > y->column) - (x->column < y->column);
}

static void drop_repeats(struct plan *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->want_count; i++)
		if (kept == 0 || p->wants[i].column != p->wants[kept - 1].column)
			p->wants[kept++] = p->wants[i];
	p->want_count = kept;
}

void plan_make(struct plan *p, const int *columns, size_t count)
{
	const struct table *t = p->t;

	p->wants = mem_alloc(count, sizeof(*p->wants));
	for (size_t i = 0; i < count; i++) {
		int c = columns[i];

		/* The rowid is no part of the record. */
		if (c == t->rowid_column)
			p->wants_rowid = true;
		else
			p->wants[p->want_count++] = (struct want){
				.column = (uint32_t)c,
				.is_real = t->rules[c].is_real,
				.has_default = t->rules[c].has_default,
			};
	}
	qsort(p->wants, p->want_count, sizeof(*p->wants), compare_wants);
	drop_repeats(p);
	if (p->want_count)
		p->columns = p->wants[p->want_count - 1].column + 1;
}

bool plan_has_default(const struct plan *p)
{
	for (size_t i = 0; i < p->want_count; i++)
		if (p->wants[i].has_default)
			return true;
	return false;
}

void plan_free(struct plan *p)
{
	free(p->wants);
}
