/* What do the rows of a table come to that people do not see one by one? */
#include "report/fold.h"

#include "base/saturate.h"
#include "report/cell_text.h"
#include "text/units.h"

struct folded {
	const struct table *of;
	uint64_t keep;
	struct cell *rest; /* the row in place of the others */
};

static void read_row(const void *ctx, uint64_t i, struct cell *cells)
{
	const struct folded *f = ctx;

	if (i == f->keep)
		memcpy(cells, f->rest, f->of->column_count * sizeof(*cells));
	else
		f->of->row(f->of->ctx, i < f->keep ? i : table_body(f->of) + i - f->keep - 1,
			   cells);
}

static bool adds_up(enum unit unit)
{
	return unit == UNIT_NS || unit == UNIT_CHANGE_NS || unit == UNIT_CHANGE;
}

static void add(struct cell *sum, const struct cell *c)
{
	if (sum->kind == CELL_NULL)
		*sum = *c;
	else if (sum->kind == CELL_INT && c->kind == CELL_INT)
		sum->i = sat_add(sum->i, c->i);
	else if (sum->kind == CELL_REAL && c->kind == CELL_REAL)
		sum->r += c->r;
}

/* "31 others" stands where a row is called by its name. */
static void name_rest(struct folded *f, struct arena *arena)
{
	struct buf b = {0};
	size_t c = 0;

	while (c < f->of->column_count &&
	       (!column_is_text(&f->of->columns[c]) || f->of->columns[c].show == MACHINE_ONLY))
		c++;
	if (c == f->of->column_count)
		return;
	buf_adds(&b, f->keep ? "" : "all ");
	units_add_count(&b, (int64_t)(table_body(f->of) - f->keep));
	buf_adds(&b, f->keep ? " others" : "");
	f->rest[c] = cell_literal(arena_str(arena, buf_str(&b)));
	buf_free(&b);
}

static void sum_rest(struct folded *f, struct arena *arena)
{
	struct cell *cells = arena_alloc(arena, f->of->column_count, sizeof(*cells));

	for (uint64_t i = f->keep; i < table_body(f->of); i++) {
		f->of->row(f->of->ctx, i, cells);
		for (size_t c = 0; c < f->of->column_count; c++) {
			if (adds_up(f->of->columns[c].unit))
				add(&f->rest[c], &cells[c]);
		}
	}
}

const struct table *table_fold(const struct table *t, uint64_t keep, struct arena *arena)
{
	struct folded *f;
	struct table *ret;

	if (table_kept(t, keep) == table_body(t))
		return t;
	f = arena_alloc(arena, 1, sizeof(*f));
	*f = (struct folded){t, keep, arena_zalloc(arena, t->column_count, sizeof(struct cell))};
	sum_rest(f, arena);
	name_rest(f, arena);
	ret = arena_alloc(arena, 1, sizeof(*ret));
	*ret = *t;
	ret->rows = keep + 1 + t->closing;
	ret->total_rows = ret->rows + table_body(t) - keep;
	ret->folds = false;
	ret->row = read_row;
	ret->ctx = f;
	return ret;
}
