/* Which branches of a tree hold how much of it? */
#include "base/mem.h"
#include "report/cell_text.h"
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>

enum { ROW = 24, TINTS = 6, STRENGTHS = 4 };

static const double narrowest = 0.6;   /* what is narrower cannot be seen */
static const double even_share = 0.02; /* of the largest change: less is none to look at */

struct node {
	double x, width;
	double scale;	 /* width of its children by value */
	double children; /* sum of their values */
	double next;	 /* where the next child begins */
	uint32_t depth;
};

static double value_of(const struct chart *c, size_t item)
{
	return fmax(chart_drawable(chart_item(c, item)[0]), 0);
}

/* A parent comes before its children; whatever does not is a root. */
static bool has_parent(const struct chart *c, size_t item)
{
	return c->parents[item] < item;
}

/* Children that claim more than their parent has share what there is. */
static void place_below(struct node *n, struct node *parent, double value)
{
	n->x = parent->next;
	n->width = value * parent->scale;
	n->depth = parent->depth + 1;
	n->next = n->x;
	n->scale = n->width > 0 ? n->width / fmax(value, n->children) : 0;
	parent->next += n->width;
}

/* The last node is the one above all roots. */
static uint32_t place_nodes(const struct chart *c, struct node *nodes, double width)
{
	struct node *all = &nodes[c->count];
	uint32_t deepest = 0;

	for (size_t i = 0; i < c->count; i++)
		nodes[has_parent(c, i) ? c->parents[i] : c->count].children += value_of(c, i);
	all->scale = all->children > 0 ? width / all->children : 0;
	for (size_t i = 0; i < c->count; i++) {
		struct node *parent = &nodes[has_parent(c, i) ? c->parents[i] : c->count];

		place_below(&nodes[i], parent, value_of(c, i));
		if (nodes[i].width >= narrowest && nodes[i].depth <= CHART_TREE_ROWS &&
		    nodes[i].depth > deepest)
			deepest = nodes[i].depth;
	}
	return deepest;
}

size_t chart_tree_deeper(const struct chart *c)
{
	uint32_t *rows = mem_zalloc(c->count, sizeof(*rows));
	size_t deeper = 0;

	for (size_t i = 0; i < c->count; i++) {
		rows[i] = has_parent(c, i) ? rows[c->parents[i]] + 1 : 1;
		deeper += rows[i] > CHART_TREE_ROWS;
	}
	free(rows);
	return deeper;
}

/* The same name has the same tint wherever it stands, and in every run. */
static int tint_of(struct str label)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < label.len; i++)
		hash = (hash ^ (unsigned char)label.s[i]) * 16777619u;
	return (int)(hash / 65536 % TINTS);
}

/* How much a node changed, beside the one that changed most: a colour in four strengths. */
static void add_change_class(struct buf *b, const struct chart *c, size_t item, double most)
{
	const double change = chart_drawable(c->changes[item]), size = fabs(change) / most;

	if (!(size >= even_share))
		buf_adds(b, "even");
	else
		buf_addf(b, "%s s%d", change > 0 ? "up" : "down",
			 (int)fmin(STRENGTHS, floor(size * STRENGTHS) + 1));
}

static double most_changed(const struct chart *c)
{
	double most = 0;

	for (size_t i = 0; c->changes && i < c->count; i++)
		most = fmax(most, fabs(chart_drawable(c->changes[i])));
	return most;
}

static void add_change(struct buf *b, const struct chart *c, size_t item)
{
	cell_add_human(b, UNIT_CHANGE_NS, cell_real(c->changes[item]));
}

/* Beside the name, where there is room for both. */
static void add_change_label(struct buf *label, const struct chart *c, size_t item, double width)
{
	SCOPED_BUF change = {0};

	buf_addc(&change, ' ');
	add_change(&change, c, item);
	if ((double)(text_width(buf_str(label)) + text_width(buf_str(&change))) * SVG_CHAR <= width)
		buf_addstr(label, buf_str(&change));
}

static void add_class(struct buf *b, const struct chart *c, size_t item, double most)
{
	if (c->changes)
		add_change_class(b, c, item, most);
	else
		buf_addf(b, "t%d", tint_of(c->labels[item]));
}

static void add_node(struct buf *b, const struct chart *c, size_t item, const struct node *n,
		     double total, double most)
{
	double y = (n->depth - 1) * (double)ROW;
	SCOPED_BUF label = {0};
	SCOPED_BUF tip = {0};
	SCOPED_BUF class = {0};

	chart_add_label(&label, c, item);
	buf_addstr(&tip, buf_str(&label));
	buf_adds(&tip, " · ");
	chart_add_part_value(&tip, c, 0, chart_item(c, item)[0], total);
	if (c->changes) {
		buf_adds(&tip, " · ");
		add_change(&tip, c, item);
		add_change_label(&label, c, item, n->width - 8);
	}
	add_class(&class, c, item, most);
	svg_box(b, class.s, n->x, y, n->width, ROW - 1, buf_str(&tip));
	if (n->width > 4 * SVG_CHAR) {
		buf_addf(b, "<g class=\"node%s\">", c->bold && c->bold[item] ? " bold" : "");
		svg_label(b, "start", n->x + 5, y + ROW / 2.0 + 4, n->width - 8, buf_str(&label));
		buf_adds(b, "</g>\n");
	}
}

void chart_draw_icicle(struct buf *b, const struct chart *c, size_t items, double width)
{
	struct node *nodes = mem_zalloc(c->count + 1, sizeof(*nodes));
	uint32_t deepest = place_nodes(c, nodes, width);
	const double most = most_changed(c);

	svg_begin(b, c->title, width, deepest ? deepest * (double)ROW : ROW);
	for (size_t i = 0; i < items; i++) {
		if (nodes[i].width >= narrowest && nodes[i].depth <= CHART_TREE_ROWS)
			add_node(b, c, i, &nodes[i], nodes[c->count].children, most);
	}
	svg_end(b);
	free(nodes);
}
