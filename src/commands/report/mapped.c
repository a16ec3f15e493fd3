/* How does one of our tables look under the names that scripts know? */
#include "commands/report/mapped.h"

#include "base/mem.h"
#include "commands/report/report_parts.h"
#include "report/json_value.h"
#include "report/present.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"

#include <stdlib.h>

struct reading {
	const struct mapped *m;
	const struct table *t;
	int *index; /* by mapped column: ours, or -1 */
	struct cell *cells;
};

static void begin(struct reading *r, const struct mapped *m, const struct table *t)
{
	*r = (struct reading){.m = m, .t = t};
	r->index = mem_alloc(m->count, sizeof(*r->index));
	for (size_t i = 0; i < m->count; i++)
		r->index[i] = t && m->columns[i].from ? table_column(t, m->columns[i].from) : -1;
	r->cells = mem_zalloc(t ? t->column_count : 1, sizeof(*r->cells));
}

static void end(struct reading *r)
{
	free(r->index);
	free(r->cells);
}

static struct cell convert(struct cell c, enum convert how, double whole_ns)
{
	double ns = c.kind == CELL_INT ? (double)c.i : c.r;

	if (how == LEFT_OUT)
		return cell_null();
	if (how == AS_IS || (c.kind != CELL_INT && c.kind != CELL_REAL))
		return c;
	if (how == NS_TO_PCT)
		return whole_ns > 0 ? cell_real(100 * ns / whole_ns) : cell_null();
	return cell_real(how == NS_TO_MS ? ns / 1e6 : ns / 1e3);
}

static struct cell value(const struct reading *r, size_t column)
{
	size_t extra = 0;

	if (r->m->columns[column].from)
		return r->index[column] < 0
			       ? cell_null()
			       : convert(r->cells[r->index[column]], r->m->columns[column].convert,
					 r->m->whole_ns);
	for (size_t i = 0; i < column; i++)
		extra += !r->m->columns[i].from;
	return r->m->extra[extra];
}

static void add_csv_cell(struct buf *b, const struct cell *c)
{
	if (c->kind == CELL_INT)
		decimal_add_int(b, c->i);
	else if (c->kind == CELL_REAL)
		units_add_real(b, c->r);
	else if (c->kind == CELL_TEXT)
		csv_add_field(b, c->s);
}

void mapped_add_csv_header(struct buf *b, const struct mapped *m)
{
	for (size_t i = 0; i < m->count; i++)
		buf_addf(b, "%s%s", i ? "," : "", m->columns[i].to);
	buf_addc(b, '\n');
}

void mapped_add_csv(struct buf *b, const struct mapped *m, const struct table *t)
{
	struct reading r;

	begin(&r, m, t);
	for (uint64_t i = 0; t && i < t->rows; i++) {
		t->row(t->ctx, i, r.cells);
		for (size_t c = 0; c < m->count; c++) {
			struct cell cell = value(&r, c);

			if (c)
				buf_addc(b, ',');
			add_csv_cell(b, &cell);
		}
		buf_addc(b, '\n');
	}
	end(&r);
}

static void add_object(struct buf *b, const struct reading *r)
{
	buf_addc(b, '{');
	for (size_t c = 0; c < r->m->count; c++) {
		struct cell cell = value(r, c);
		int index = r->index[c];

		buf_addf(b, "%s\"%s\": ", c ? ", " : "", r->m->columns[c].to);
		json_add_cell(b, index >= 0 ? r->t->columns[index].unit : UNIT_ID, &cell);
	}
	buf_addc(b, '}');
}

void mapped_add_json(struct buf *b, const struct mapped *m, const struct table *t, uint64_t limit)
{
	uint64_t rows = t ? t->rows : 0;
	struct reading r;

	if (limit && rows > limit)
		rows = limit;
	begin(&r, m, t);
	buf_addc(b, '[');
	for (uint64_t i = 0; i < rows; i++) {
		t->row(t->ctx, i, r.cells);
		buf_adds(b, i ? ",\n      " : "\n      ");
		add_object(b, &r);
	}
	buf_adds(b, rows ? "\n    ]" : "]");
	end(&r);
}
