/* Which rows of a table are on the screen, and how do they look? */
#include "tui/views/table_pane.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/cell_text.h"
#include "report/kernel_labels.h"
#include "text/text.h"
#include "tui/views/table_rows.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	MEASURED_ROWS = 2000,
	NARROWEST_TEXT = 28,
	WIDEST_TEXT = 200,
	BETWEEN = 2, /* columns */
};

static void choose_columns(struct table_pane *p)
{
	const struct table *t = p->table;

	p->columns = mem_alloc(t->column_count, sizeof(*p->columns));
	p->widths = mem_zalloc(t->column_count, sizeof(*p->widths));
	for (size_t i = 0; i < t->column_count; i++) {
		if (t->columns[i].show != MACHINE_ONLY)
			p->columns[p->column_count++] = i;
	}
}

static const struct column *column_at(const struct table_pane *p, size_t i)
{
	return &p->table->columns[p->columns[i]];
}

/* What a cell of the row that was read last shows. */
static void add_cell(const struct table_pane *p, struct buf *b, size_t i)
{
	const struct column *column = column_at(p, i);
	const struct cell *cell = &p->cells[p->columns[i]];

	if (p->whole_names && column->unit == UNIT_KERNEL && cell->kind == CELL_TEXT)
		text_add_safe(b, cell->s);
	else
		cell_add_shown(b, p->table, column, cell);
}

static void measure(struct table_pane *p)
{
	const uint64_t rows = p->table->rows < MEASURED_ROWS ? p->table->rows : MEASURED_ROWS;
	SCOPED_BUF text = {0};

	for (size_t i = 0; i < p->column_count; i++)
		p->widths[i] = (int)text_width(str_of(column_at(p, i)->title)) + 1;
	cell_use_labels(p->labels);
	for (uint64_t row = 0; row < rows; row++) {
		p->table->row(p->table->ctx, row, p->cells);
		for (size_t i = 0; i < p->column_count; i++) {
			size_t width;

			buf_clear(&text);
			add_cell(p, &text, i);
			width = text_width(buf_str(&text));
			width = width < WIDEST_TEXT ? width : WIDEST_TEXT;
			if ((int)width > p->widths[i])
				p->widths[i] = (int)width;
		}
	}
	cell_use_labels(NULL);
}

void table_pane_make(struct table_pane *p, const struct table *t, const struct report *report)
{
	*p = (struct table_pane){.table = t};
	p->labels = mem_zalloc(1, sizeof(*p->labels));
	kernel_labels_make(p->labels, report);
	p->cells = mem_zalloc(t->column_count, sizeof(*p->cells));
	choose_columns(p);
	measure(p);
	p->sorted = p->column_count;
	table_rows_arrange(p, NULL, &(struct err){0});
}

void table_pane_free(struct table_pane *p)
{
	if (p->labels)
		kernel_labels_free(p->labels);
	free(p->labels);
	free(p->columns);
	free(p->widths);
	free(p->rows);
	free(p->cells);
	buf_free(&p->filter);
	*p = (struct table_pane){0};
}

/* The first one stays in place when the others are scrolled. */
static size_t next_column(const struct table_pane *p, size_t column)
{
	return column == 0 && p->first_column > 0 ? p->first_column : column + 1;
}

/* Text gives way to numbers as long as there is something left of it. */
static int shown_width(const struct table_pane *p, size_t column, int cols)
{
	int others = 0;

	if (!column_is_text(column_at(p, column)))
		return p->widths[column];
	for (size_t i = 0; i < p->column_count; i = next_column(p, i))
		others += i == column ? 0 : p->widths[i] + BETWEEN;
	cols = cols - others > NARROWEST_TEXT ? cols - others : NARROWEST_TEXT;
	return cols < p->widths[column] ? cols : p->widths[column];
}

static void put(struct table_pane *p, struct canvas *c, struct area at, size_t column,
		struct str text, struct look look)
{
	SCOPED_BUF fit = {0};

	if (column_at(p, column)->unit == UNIT_KERNEL) {
		text_add_elided(&fit, text, (size_t)at.cols);
		canvas_put(c, at.row, at.col, at.cols, buf_str(&fit), look);
	} else if (column_is_text(column_at(p, column))) {
		canvas_put_padded(c, at.row, at.col, at.cols, text, look);
	} else {
		canvas_put_right(c, at.row, at.col, at.cols, text, look);
	}
}

/* Of a row, or of the head: only cells that fit, for half a number says something else. */
static void draw_cells(struct table_pane *p, struct canvas *c, struct area area, struct look look,
		       void (*add)(const struct table_pane *, struct buf *, size_t))
{
	int col = area.col;
	SCOPED_BUF text = {0};

	for (size_t i = 0; i < p->column_count; i = next_column(p, i)) {
		int width = shown_width(p, i, area.cols);

		if (col > area.col && col + width > area.col + area.cols)
			break;
		width = width < area.cols ? width : area.cols;
		buf_clear(&text);
		add(p, &text, i);
		put(p, c, (struct area){area.row, col, 1, width}, i, buf_str(&text), look);
		col += width + BETWEEN;
	}
}

static void add_title(const struct table_pane *p, struct buf *b, size_t column)
{
	buf_adds(b, column_at(p, column)->title);
	if (column == p->sorted)
		buf_adds(b, p->descending ? "↓" : "↑");
}

static void draw_row(struct table_pane *p, struct canvas *c, struct area area, size_t place)
{
	const bool chosen = place == p->list.chosen;
	const struct look look = LOOK(chosen ? ROLE_CURSOR : ROLE_PLAIN);

	p->table->row(p->table->ctx, p->rows[place], p->cells);
	if (chosen)
		canvas_fill(c, area, look);
	draw_cells(p, c, area, look, add_cell);
}

void table_pane_draw(struct table_pane *p, struct canvas *c, struct area area)
{
	list_place(&p->list, area.row + 1, area.rows - 1);
	cell_use_labels(p->labels);
	draw_cells(p, c, area, (struct look){.ink = ROLE_HEAD, .marks = LOOK_BOLD}, add_title);
	for (size_t i = 0; i < list_shown(&p->list); i++)
		draw_row(p, c, (struct area){area.row + 1 + (int)i, area.col, 1, area.cols},
			 p->list.first + i);
	cell_use_labels(NULL);
	if (!p->list.count)
		canvas_put(c, area.row + 1, area.col, area.cols,
			   str_of(p->filter.len ? "no row matches the filter" : "no rows"),
			   LOOK(ROLE_DIM));
}

int table_pane_filter(struct table_pane *p, const char *pattern, struct err *e)
{
	if (table_rows_arrange(p, *pattern ? pattern : NULL, e) < 0)
		return -1;
	buf_clear(&p->filter);
	buf_adds(&p->filter, pattern);
	return 0;
}

uint64_t table_pane_chosen(const struct table_pane *p)
{
	return p->list.chosen < p->list.count ? p->rows[p->list.chosen] : UINT64_MAX;
}

static int sort(struct table_pane *p, size_t column, bool descending, struct err *e)
{
	p->sorted = column;
	p->descending = descending;
	return table_rows_arrange(p, p->filter.len ? p->filter.s : NULL, e);
}

/* Numbers begin with the largest, names with the first. */
static int sort_next(struct table_pane *p, struct err *e)
{
	const size_t next = p->sorted >= p->column_count ? 0 : p->sorted + 1;

	return sort(p, next, next < p->column_count && !column_is_text(column_at(p, next)), e);
}

static void copy_table(struct table_pane *p, struct app *a)
{
	SCOPED_BUF text = {0};

	table_rows_write(p, &text);
	if (!a->terminal->kind->copy) {
		app_say(a, "there is no terminal with a clipboard");
		return;
	}
	a->terminal->kind->copy(a->terminal, buf_str(&text));
	app_say(a, "copied %zu %s", p->list.count, p->list.count == 1 ? "row" : "rows");
}

/* Under its own name, with a number where there is such a file. */
static int write_table(struct table_pane *p, struct app *a, struct err *e)
{
	SCOPED_BUF text = {0};
	SCOPED_BUF path = {0};

	for (int i = 1; !path.len || access(path.s, F_OK) == 0; i++) {
		buf_clear(&path);
		buf_addf(&path, i > 1 ? "%s-%d.tsv" : "%s.tsv", p->table->name, i);
	}
	table_rows_write(p, &text);
	if (file_write(path.s, buf_str(&text), e) < 0)
		return -1;
	app_say(a, "wrote %s", path.s);
	return 0;
}

static int set_filter(struct app *a, struct view *v, const char *text, struct err *e)
{
	return v->kind->search(a, v, text, e);
}

static void scroll_columns(struct table_pane *p, bool left)
{
	if (left)
		p->first_column -= p->first_column > 0;
	else
		p->first_column = p->first_column ? p->first_column + 1 : 2;
	if (p->first_column >= p->column_count)
		p->first_column = p->column_count - 1;
	if (p->first_column == 1)
		p->first_column = 0;
}

int table_pane_request(struct table_pane *p, struct app *a, enum request r,
		       const struct key_event *k, struct err *e)
{
	if (list_request(&p->list, r, k))
		return 0;
	switch (r) {
	case REQUEST_COLUMNS_LEFT:
	case REQUEST_COLUMNS_RIGHT:
		scroll_columns(p, r == REQUEST_COLUMNS_LEFT);
		return 0;
	case REQUEST_SORT:
		return sort_next(p, e);
	case REQUEST_SORT_BACK:
		return sort(p, p->sorted, !p->descending, e);
	case REQUEST_FILTER:
		app_ask(a, "filter: ", buf_str(&p->filter).s, set_filter);
		return 0;
	case REQUEST_CLOSE:
		return table_pane_filter(p, "", e);
	case REQUEST_WHOLE_NAMES:
		p->whole_names = !p->whole_names;
		measure(p);
		return 0;
	case REQUEST_COPY:
		copy_table(p, a);
		return 0;
	case REQUEST_COPY_FILE:
		return write_table(p, a, e);
	default:
		return 1;
	}
}

void table_pane_status(const struct table_pane *p, struct buf *b)
{
	buf_addf(b, "row %zu of %zu", p->list.count ? p->list.chosen + 1 : 0, p->list.count);
	if (p->sorted < p->column_count)
		buf_addf(b, ", by %s", column_at(p, p->sorted)->title);
	if (p->filter.len)
		buf_addf(b, ", filter '%s' (Escape drops it)", p->filter.s);
}
