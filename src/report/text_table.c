/*
 * How does a table look in a terminal? Text gives way until a line fits the width asked for;
 * numbers are never cut.
 */
#include "report/text_parts.h"

#include "base/mem.h"
#include "report/cell_text.h"
#include "report/elisions.h"
#include "report/kernel_name.h"
#include "report/tree_lines.h"
#include "text/text.h"
#include "text/units.h"

#include <stdlib.h>

enum {
	LAYOUT_MIN_TEXT = 12, /* text is not elided below this */
	MEASURED_ROWS = 2000, /* later rows that are wider run over their column */
	MAX_ALIGNED = 200,    /* so does text that is wider than this */
	READABLE_TEXT = 28,
};

/* Where the columns of a table stand. */
struct layout {
	const struct table *table;
	const struct style *style;
	const struct column **columns; /* the visible ones */
	size_t *cell_of;	       /* and the place of their cells in a row */
	size_t *widths;
	size_t count;
	size_t left_out;    /* columns that found no room */
	struct cell *cells; /* of the row read last */
	uint64_t row;	    /* its number */
	struct tree_lines lines;
	struct buf text;	  /* of the cell shown last */
	struct elisions elisions; /* of kernels' names, and of what rows are told apart by */
};

static void layout_begin(struct layout *l, const struct table *t, const struct style *style)
{
	*l = (struct layout){.table = t, .style = style};
	l->columns = mem_alloc(t->column_count, sizeof(const struct column *));
	l->cell_of = mem_alloc(t->column_count, sizeof(*l->cell_of));
	l->widths = mem_zalloc(t->column_count, sizeof(*l->widths));
	l->cells = mem_zalloc(t->column_count, sizeof(*l->cells));
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY)
			continue;
		l->columns[l->count] = &t->columns[c];
		l->cell_of[l->count++] = c;
	}
	if (t->tree)
		tree_lines_make(&l->lines, t);
}

static void layout_end(struct layout *l)
{
	tree_lines_free(&l->lines);
	free(l->columns);
	free(l->cell_of);
	free(l->widths);
	free(l->cells);
	buf_free(&l->text);
	elisions_free(&l->elisions);
}

static void layout_read_row(struct layout *l, uint64_t i)
{
	l->table->row(l->table->ctx, i, l->cells);
	l->row = i;
}

/* What the row's cell shows, unelided; lives until the next call. */
static struct str layout_cell_text(struct layout *l, size_t column)
{
	const struct cell *cell = &l->cells[l->cell_of[column]];

	buf_clear(&l->text);
	if (l->table->tree && l->cell_of[column] == 0)
		tree_lines_add(&l->lines, l->row, &l->text);
	else
		buf_addn(&l->text, ' ', 2 * (size_t)cell->depth);
	cell_add_shown(&l->text, l->table, l->columns[column], cell);
	return buf_str(&l->text);
}

/* Spaces in front of a column. */
static size_t layout_gap(const struct layout *l, size_t column)
{
	return column > 0 ? 2 : l->table->nsys ? 1 : 0;
}

static size_t layout_width(const struct layout *l)
{
	size_t total = 0;

	for (size_t c = 0; c < l->count; c++)
		total += layout_gap(l, c) + l->widths[c];
	return total;
}

static void measure_row(struct layout *l, bool *has_any)
{
	for (size_t c = 0; c < l->count; c++) {
		size_t width = text_width(layout_cell_text(l, c));

		has_any[c] |= l->cells[l->cell_of[c]].kind != CELL_NULL;
		if (width > MAX_ALIGNED)
			width = MAX_ALIGNED;
		if (width > l->widths[c])
			l->widths[c] = width;
	}
}

/* The column that can best spare some width; l->count when none can. */
static size_t widest_text(const struct layout *l)
{
	size_t widest = l->count;

	for (size_t c = 0; c < l->count; c++) {
		if (!column_is_text(l->columns[c]) || l->widths[c] <= LAYOUT_MIN_TEXT)
			continue;
		if (widest == l->count || l->widths[c] > l->widths[widest])
			widest = c;
	}
	return widest;
}

/* How wide the table is when no text column is wider than `text_width`. */
static size_t squeezed_width(const struct layout *l, size_t text_width)
{
	size_t total = 0;

	for (size_t c = 0; c < l->count; c++) {
		bool squeezable = column_is_text(l->columns[c]) && l->widths[c] > text_width;

		total += layout_gap(l, c) + (squeezable ? text_width : l->widths[c]);
	}
	return total;
}

static void remove_column(struct layout *l, size_t column)
{
	for (size_t c = column; c + 1 < l->count; c++) {
		l->columns[c] = l->columns[c + 1];
		l->cell_of[c] = l->cell_of[c + 1];
		l->widths[c] = l->widths[c + 1];
	}
	l->count--;
}

/* Until the line fits; SHOW_IF_ALL: all of them at once. */
static void drop_columns(struct layout *l, enum column_show which, size_t text_width)
{
	bool wide = squeezed_width(l, text_width) > l->style->width;

	for (size_t c = l->count; c > 0 && wide; c--) {
		if (l->columns[c - 1]->show != which)
			continue;
		remove_column(l, c - 1);
		l->left_out++;
		wide = which == SHOW_IF_ALL || squeezed_width(l, text_width) > l->style->width;
	}
}

static void fit(struct layout *l)
{
	drop_columns(l, SHOW_IF_ALL, READABLE_TEXT);
	/* Names that can be read are worth more than a column that can be done without. */
	drop_columns(l, SHOW_IF_ROOM, READABLE_TEXT);
	drop_columns(l, SHOW_PREFERRED, LAYOUT_MIN_TEXT);
	for (size_t total = layout_width(l); total > l->style->width; total--) {
		size_t widest = widest_text(l);

		if (widest == l->count)
			return;
		l->widths[widest]--;
	}
}

/* Where later rows were not looked at, one of them may have something. */
static void drop_empty(struct layout *l, const bool *has_any)
{
	const struct table *t = l->table;

	if (!t->drops_empty || t->rows == 0 || t->rows > MEASURED_ROWS)
		return;
	for (size_t c = l->count; c > 0; c--) {
		if (!has_any[c - 1])
			remove_column(l, c - 1);
	}
}

/* Finds the widths; until then they are not known. */
static void layout_measure(struct layout *l)
{
	bool *has_any = mem_zalloc(l->count, sizeof(*has_any));

	for (size_t c = 0; c < l->count; c++)
		l->widths[c] = text_width(str_of(l->columns[c]->title));
	for (uint64_t i = 0; i < l->table->rows && i < MEASURED_ROWS; i++) {
		layout_read_row(l, i);
		measure_row(l, has_any);
	}
	drop_empty(l, has_any);
	free(has_any);
	if (l->style->width > 0)
		fit(l);
}

/* NVIDIA's text columns are not wider than this: headers stand where people know them. */
enum { NSYS_TEXT_COLUMNS = 100 };

/* `left` of the padding goes before the text; nothing is padded at a line's end. */
static void add_padded(struct buf *b, const struct layout *l, size_t column, struct str s,
		       size_t left)
{
	size_t width = text_width(s) + left;

	buf_addn(b, ' ', layout_gap(l, column) + left);
	buf_addstr(b, s);
	if (column + 1 < l->count && l->widths[column] > width)
		buf_addn(b, ' ', l->widths[column] - width);
}

static void add_shortened(struct buf *b, struct layout *l, size_t column, struct str s)
{
	const size_t room = l->widths[column];
	struct buf copy = {0};

	if (copy_name_add_short(&copy, s))
		s = buf_str(&copy);
	if (l->columns[column]->unit == UNIT_KERNEL || l->columns[column]->id)
		elisions_add(&l->elisions, b, s, room);
	else
		text_add_elided(b, s, room);
	buf_free(&copy);
}

static void add_cell(struct buf *b, struct layout *l, size_t column)
{
	size_t room = l->widths[column];
	struct str s = layout_cell_text(l, column);
	size_t width = text_width(s);
	struct buf elided = {0};

	if (!column_is_text(l->columns[column])) {
		add_padded(b, l, column, s, room > width ? room - width : 0);
		return;
	}
	if (l->style->width > 0 && width > room) {
		add_shortened(&elided, l, column, s);
		s = buf_str(&elided);
	}
	add_padded(b, l, column, s, 0);
	buf_free(&elided);
}

static void add_title_cell(struct buf *b, const struct layout *l, size_t column)
{
	size_t room = l->widths[column];
	struct str title = text_fit(str_of(l->columns[column]->title), room);
	size_t left = column_is_text(l->columns[column]) ? 0 : room - text_width(title);

	if (l->table->nsys) {
		if (room > NSYS_TEXT_COLUMNS)
			room = NSYS_TEXT_COLUMNS;
		left = (room - text_width(title)) / 2;
	}
	add_padded(b, l, column, title, left);
}

static void add_nsys_rule(struct buf *b, const struct layout *l)
{
	for (size_t c = 0; c < l->count; c++) {
		bool runs_over = c + 1 == l->count && l->widths[c] > NSYS_TEXT_COLUMNS;

		buf_addn(b, ' ', layout_gap(l, c));
		buf_addn(b, '-', runs_over ? NSYS_TEXT_COLUMNS : l->widths[c]);
	}
}

static void add_rule(struct buf *b, const struct layout *l)
{
	for (size_t i = layout_width(l); i > 0; i--)
		buf_adds(b, "─");
}

static void add_header(struct buf *b, const struct layout *l)
{
	struct buf line = {0};

	for (size_t c = 0; c < l->count; c++)
		add_title_cell(&line, l, c);
	ansi_add(b, l->style, ANSI_BOLD, buf_str(&line));
	buf_addc(b, '\n');
	buf_free(&line);
}

static void add_header_rule(struct buf *b, const struct layout *l)
{
	struct buf line = {0};

	if (l->table->nsys)
		add_nsys_rule(&line, l);
	else
		add_rule(&line, l);
	ansi_add(b, l->style, ANSI_DIM, buf_str(&line));
	buf_addc(b, '\n');
	buf_free(&line);
}

static int add_rows(struct out *o, struct layout *l, struct err *e)
{
	for (uint64_t i = 0; i < l->table->rows; i++) {
		layout_read_row(l, i);
		for (size_t c = 0; c < l->count; c++)
			add_cell(&o->text, l, c);
		buf_addc(&o->text, '\n');
		if (out_poll(o, e) < 0)
			return -1;
	}
	return 0;
}

static void add_title(struct buf *b, const struct table *t, const struct style *style)
{
	struct buf title = {0};

	if (!t->title)
		return;
	if (t->nsys)
		buf_adds(&title, " ** ");
	text_add_safe(&title, str_of(t->title));
	if (t->nsys)
		buf_addf(&title, " (%s):", t->name);
	ansi_add(b, style, ANSI_BOLD, buf_str(&title));
	buf_adds(b, t->nsys ? "\n\n" : "\n");
	buf_free(&title);
}

static void add_dim_line(struct buf *b, const struct style *style, struct buf *line)
{
	struct buf fitting = {0};

	if (line->len) {
		text_add_wrapped(&fitting, buf_str(line), style->width ? style->width : SIZE_MAX,
				 0);
		ansi_add(b, style, ANSI_DIM, buf_str(&fitting));
		buf_addc(b, '\n');
	}
	buf_clear(line);
	buf_free(&fitting);
}

/* What the rows do not say: that there are none, or more, and columns that do not fit. */
static void add_footer(struct buf *b, const struct layout *l)
{
	const struct table *t = l->table;
	uint64_t more = t->total_rows > t->rows ? t->total_rows - t->rows : 0;
	struct buf line = {0};

	if (more) {
		buf_adds(&line, t->total_is_least ? "… more than " : "… ");
		units_add_count(&line, (int64_t)more);
		buf_adds(&line, more == 1 ? " more row" : " more rows");
		buf_adds(&line, " (--limit 0 shows all)");
	} else if (t->rows == 0) {
		buf_adds(&line, "(no rows)");
	}
	add_dim_line(b, l->style, &line);
	if (l->left_out && t->rows)
		buf_addf(&line, "%zu column%s hidden: use a wider terminal or --format csv",
			 l->left_out, l->left_out == 1 ? "" : "s");
	add_dim_line(b, l->style, &line);
	buf_free(&line);
}

static bool is_known(const struct layout *l, size_t column)
{
	return l->cells[l->cell_of[column]].kind != CELL_NULL;
}

static void add_fact(struct buf *b, struct layout *l, size_t column, size_t title_width)
{
	struct str title = str_of(l->columns[column]->title);
	size_t begin = 2 + title_width + 3, width = l->style->width;
	struct str value = layout_cell_text(l, column);

	buf_addn(b, ' ', 2);
	buf_addstr(b, title);
	buf_addn(b, ' ', title_width - text_width(title) + 3);
	if (width == 0 || !column_is_text(l->columns[column]) ||
	    l->columns[column]->unit == UNIT_COMMAND)
		buf_addstr(b, value);
	else if (width < begin + LAYOUT_MIN_TEXT)
		text_add_elided(b, value, LAYOUT_MIN_TEXT);
	else
		text_add_wrapped(b, value, width - begin, begin);
	buf_addc(b, '\n');
}

static size_t fact_title_width(struct layout *l)
{
	size_t widest = 0;

	for (uint64_t i = 0; i < l->table->rows; i++) {
		layout_read_row(l, i);
		for (size_t c = 0; c < l->count; c++) {
			size_t width = text_width(str_of(l->columns[c]->title));

			if (is_known(l, c) && width > widest)
				widest = width;
		}
	}
	return widest;
}

static void add_facts(struct buf *b, struct layout *l)
{
	size_t title_width = fact_title_width(l);

	for (uint64_t i = 0; i < l->table->rows; i++) {
		if (i > 0)
			buf_addc(b, '\n');
		layout_read_row(l, i);
		for (size_t c = 0; c < l->count; c++)
			if (is_known(l, c))
				add_fact(b, l, c, title_width);
	}
}

int text_add_table(struct out *o, const struct table *t, struct err *e)
{
	struct layout l;
	int status = 0;

	layout_begin(&l, t, o->style);
	if (!o->dense)
		add_title(&o->text, t, o->style);
	if (t->facts && t->rows > 0) {
		add_facts(&o->text, &l);
	} else {
		layout_measure(&l);
		add_header(&o->text, &l);
		if (!o->dense)
			add_header_rule(&o->text, &l);
		status = add_rows(o, &l, e);
		if (!o->dense)
			add_footer(&o->text, &l);
		o->left_columns += l.left_out;
	}
	layout_end(&l);
	return status;
}
