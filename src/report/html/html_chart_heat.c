/* In which rows and columns of a large grid is something out of the ordinary? */
#include "base/mem.h"
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_page_link.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "text/text.h"

#include <math.h>

enum {
	TALL = 640, /* what rows may take together, where they are high enough */
	MARGIN = 8,
	AXIS_HEIGHT = 18,
	LABEL_APART = 13, /* of two rows' names */
	TICKS_APART = 84, /* of two columns' names */
	MOST_TIPS = 512,  /* a cell of a larger grid is too small to point at: its row tells */
};

static const double lowest = 5, highest = 18;	/* row */
static const double narrowest = 3, widest = 40; /* column */

struct grid {
	const struct chart *c;
	double left, column, row; /* where it begins, and how large a cell is */
	size_t merged;		  /* items in a column */
	size_t columns;
};

static struct grid grid_make(const struct chart *c, size_t items, double width)
{
	const double left = fmin((double)chart_widest_part(c) * SVG_CHAR, width / 3) + 2 * MARGIN;
	const double room = width - left - MARGIN;
	const size_t most = (size_t)(room / narrowest);
	struct grid g = {.c = c, .left = left, .merged = (items + most - 1) / most};

	g.columns = (items + g.merged - 1) / g.merged;
	g.column = fmin(room / (double)g.columns, widest);
	g.row = fmax(lowest, fmin(highest, TALL / (double)c->part_count));
	return g;
}

/* The item of a cell that stands out most; the chart's count: nobody knows any of them. */
static size_t item_of(const struct grid *g, size_t part, size_t column)
{
	const struct chart *c = g->c;
	size_t found = c->count;

	for (size_t i = column * g->merged; i < (column + 1) * g->merged && i < c->count; i++) {
		const double value = chart_item(c, i)[part];

		if (isfinite(value) && (found == c->count || value > chart_item(c, found)[part]))
			found = i;
	}
	return found;
}

static unsigned look_of(const struct grid *g, size_t part, size_t column)
{
	const size_t item = item_of(g, part, column);

	return item < g->c->count ? g->c->looks[item * g->c->part_count + part] : UINT8_MAX;
}

static void add_tip(struct buf *b, const struct grid *g, size_t part, size_t item)
{
	chart_add_part_name(b, g->c, part);
	buf_adds(b, ", ");
	chart_add_label(b, g->c, item);
	buf_adds(b, ": ");
	chart_add_value(b, g->c, chart_item(g->c, item)[part]);
}

static void add_cells(struct buf *b, const struct grid *g, size_t part)
{
	for (size_t k = 0; k < g->columns; k++) {
		const size_t item = item_of(g, part, k);
		SCOPED_BUF tip = {0};

		if (item == g->c->count)
			continue;
		add_tip(&tip, g, part, item);
		svg_box(b, chart_key_colour(g->c, look_of(g, part, k)),
			g->left + (double)k * g->column, (double)part * g->row, g->column - 1,
			g->row - 1, buf_str(&tip));
	}
}

/* Cells of one look that follow each other are one box of its path. */
static void add_runs(struct buf paths[UINT8_MAX + 1], const struct grid *g, size_t part)
{
	const double height = g->row >= 2 * lowest ? g->row - 1 : g->row - 0.5;

	for (size_t k = 0, end; k < g->columns; k = end) {
		const unsigned look = look_of(g, part, k);
		struct buf *path = &paths[look];

		for (end = k + 1; end < g->columns && look_of(g, part, end) == look;)
			end++;
		if (look == UINT8_MAX)
			continue;
		buf_addc(path, 'M');
		html_add_number(path, g->left + (double)k * g->column);
		buf_addc(path, ' ');
		html_add_number(path, (double)part * g->row);
		buf_addc(path, 'h');
		html_add_number(path, (double)(end - k) * g->column);
		buf_addc(path, 'v');
		html_add_number(path, height);
		buf_addc(path, 'h');
		html_add_number(path, -(double)(end - k) * g->column);
		buf_addc(path, 'z');
	}
}

/* What stands out most in a row, for who points at it. */
static void add_row_tip(struct buf *b, const struct grid *g, size_t part)
{
	const struct grid whole = {.c = g->c, .merged = g->c->count};
	const size_t item = item_of(&whole, part, 0);
	SCOPED_BUF tip = {0};

	if (item == g->c->count)
		return;
	buf_adds(&tip, "the most of ");
	add_tip(&tip, g, part, item);
	svg_box(b, "tip", g->left, (double)part * g->row, (double)g->columns * g->column, g->row,
		buf_str(&tip));
}

static void add_small_cells(struct buf *b, const struct grid *g)
{
	struct buf paths[UINT8_MAX + 1] = {0};

	for (size_t p = 0; p < g->c->part_count; p++)
		add_runs(paths, g, p);
	for (size_t k = 0; k < ARRAY_LEN(paths); k++) {
		if (paths[k].len)
			buf_addf(b, "<path class=\"%s\" d=\"%s\"/>\n", chart_key_colour(g->c, k),
				 paths[k].s);
		buf_free(&paths[k]);
	}
	for (size_t p = 0; p < g->c->part_count; p++)
		add_row_tip(b, g, p);
}

static void add_name(struct buf *b, const struct grid *g, size_t part, double y)
{
	const char *page = g->c->pages ? g->c->pages[part] : NULL;
	SCOPED_BUF name = {0};

	chart_add_part_name(&name, g->c, part);
	if (page)
		html_begin_link(b, str_of(page));
	svg_label(b, "end", g->left - MARGIN, y, g->left - MARGIN, buf_str(&name));
	if (page)
		html_end_link(b, str_of(page));
}

static unsigned darkest_of(const struct grid *g, size_t part)
{
	unsigned darkest = 0;

	for (size_t k = 0; k < g->columns; k++) {
		const unsigned look = look_of(g, part, k);

		darkest = look != UINT8_MAX && look > darkest ? look : darkest;
	}
	return darkest;
}

/* Where there is room for the name of one of several rows, the one that stands out has it. */
static void add_names(struct buf *b, const struct grid *g)
{
	const size_t every = (size_t)ceil(LABEL_APART / g->row);
	double y = -LABEL_APART;

	for (size_t p = 0; p < g->c->part_count; p += every) {
		size_t shown = p;

		for (size_t k = p + 1; k < p + every && k < g->c->part_count; k++)
			shown = darkest_of(g, k) > darkest_of(g, shown) ? k : shown;
		y = fmax(y + LABEL_APART, ((double)shown + 0.5) * g->row + 4);
		add_name(b, g, shown, y);
	}
}

static void add_ticks(struct buf *b, const struct grid *g, double y)
{
	const size_t every = (size_t)ceil(TICKS_APART / g->column);
	const double end = g->left + (double)g->columns * g->column + MARGIN;

	for (size_t k = 0; k < g->columns; k += every) {
		const double x = g->left + (double)k * g->column;
		SCOPED_BUF label = {0};

		chart_add_label(&label, g->c, k * g->merged);
		if (k && x + (double)text_width(buf_str(&label)) * SVG_CHAR > end)
			break;
		svg_line(b, "zero", x, y, x, y + 4);
		svg_text(b, "start", x, y + AXIS_HEIGHT - 3, buf_str(&label));
	}
}

void chart_draw_heat(struct buf *b, const struct chart *c, size_t items, double width)
{
	const struct grid g = grid_make(c, items, width);
	const double height = (double)c->part_count * g.row;

	svg_begin(b, c->title, width, height + AXIS_HEIGHT);
	buf_adds(b, "<g class=\"heat\">\n");
	if (g.columns * c->part_count <= MOST_TIPS) {
		for (size_t p = 0; p < c->part_count; p++)
			add_cells(b, &g, p);
	} else {
		add_small_cells(b, &g);
	}
	add_names(b, &g);
	buf_adds(b, "</g>\n");
	add_ticks(b, &g, height);
	svg_end(b);
}
