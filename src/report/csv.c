/*
 * How does a report look as comma-separated values? Tables only, one empty line between two. Line
 * breaks never get here: text from a trace is escaped.
 */
#include "report/finding.h"
#include "report/present.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

static size_t count_quotes(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == '"';
	return n;
}

/* Quotes what was added to b from `begin` on, moving it from its end to make room. */
static void quote(struct buf *b, size_t begin)
{
	size_t extra = 2 + count_quotes(b->s + begin, b->len - begin);
	size_t from = b->len, to = b->len + extra;

	buf_reserve(b, extra);
	b->len = to;
	b->s[to--] = '\0';
	b->s[to] = '"';
	if (extra == 2) {
		memmove(b->s + begin + 1, b->s + begin, from - begin);
	} else {
		while (from > begin) {
			char c = b->s[--from];

			b->s[--to] = c;
			if (c == '"')
				b->s[--to] = c;
		}
	}
	b->s[begin] = '"';
}

void csv_add_field(struct buf *b, struct str s)
{
	size_t begin = b->len;

	if (s.len == 0)
		return;
	text_add_safe(b, s);
	if (memchr(b->s + begin, ',', b->len - begin) || memchr(b->s + begin, '"', b->len - begin))
		quote(b, begin);
}

/*
 * A table of NVIDIA's has NVIDIA's bytes: `nsys stats` puts quotes around a field with a comma in
 * it and leaves quotes inside as they are. For names with quotes that is no proper CSV; it is what
 * scripts that read nsys have learnt to live with.
 */
static void add_nsys_field(struct buf *b, struct str s)
{
	bool quoted = memchr(s.s, ',', s.len) != NULL;

	if (quoted)
		buf_addc(b, '"');
	text_add_safe(b, s);
	if (quoted)
		buf_addc(b, '"');
}

static void add_cell(struct buf *b, const struct table *t, const struct column *column,
		     const struct cell *cell)
{
	if (cell->kind == CELL_INT && column->unit == UNIT_BOOL && !t->nsys)
		buf_adds(b, cell->i ? "true" : "false");
	else if (cell->kind == CELL_INT)
		decimal_add_int(b, cell->i);
	else if (cell->kind == CELL_REAL && isfinite(cell->r) && t->nsys)
		units_add_fixed(b, cell->r, column->decimals);
	else if (cell->kind == CELL_REAL && isfinite(cell->r))
		units_add_real(b, cell->r);
	else if (cell->kind == CELL_TEXT && t->nsys && cell->s.len)
		add_nsys_field(b, cell->s);
	else if (cell->kind == CELL_TEXT)
		csv_add_field(b, cell->s);
}

static void add_header(struct buf *b, const struct table *t)
{
	for (size_t c = 0; c < t->column_count; c++) {
		if (c > 0)
			buf_addc(b, ',');
		csv_add_field(b, str_of(t->nsys ? t->columns[c].title : t->columns[c].key));
	}
	buf_addc(b, '\n');
}

static int add_table(struct out *o, const struct table *t, struct err *e)
{
	add_header(&o->text, t);
	for (uint64_t i = 0; i < t->rows; i++) {
		const struct cell *cells = out_row(o, t, i);

		for (size_t c = 0; c < t->column_count; c++) {
			if (c > 0)
				buf_addc(&o->text, ',');
			add_cell(&o->text, t, &t->columns[c], &cells[c]);
		}
		buf_addc(&o->text, '\n');
		if (out_poll(o, e) < 0)
			return -1;
	}
	return 0;
}

/* Findings are a table of their own, before the others: one row each, without their evidence. */
static bool add_findings(struct buf *b, const struct report *r)
{
	bool any = false;

	for (size_t i = 0; i < r->block_count; i++) {
		const struct finding *f = r->blocks[i].finding;

		if (r->blocks[i].kind != BLOCK_FINDING)
			continue;
		if (!any)
			buf_adds(b,
				 "id,severity,recoverable_ns,recoverable_pct,confidence,title\n");
		any = true;
		buf_addf(b, "%s,%s,", f->id, severity_name(f->severity));
		decimal_add_int(b, f->recoverable_ns);
		buf_addc(b, ',');
		if (isfinite(f->recoverable_pct))
			units_add_real(b, f->recoverable_pct);
		buf_addf(b, ",%s,", confidence_name(f->confidence));
		csv_add_field(b, str_of(f->title));
		buf_addc(b, '\n');
	}
	return any;
}

static int add_report(struct out *o, const struct report *r, struct err *e)
{
	bool first = !r->continues;

	if (add_findings(&o->text, r))
		first = false;
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != BLOCK_TABLE)
			continue;
		if (!first)
			buf_addc(&o->text, '\n');
		first = false;
		if (add_table(o, r->blocks[i].table, e) < 0)
			return -1;
	}
	return 0;
}

const struct presenter presenter_csv = {
	.name = "csv",
	.extension = ".csv",
	.in_pieces = true,
	.add = add_report,
};
