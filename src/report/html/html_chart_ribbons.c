/* Which stretches of one row became which of another? */
#include "base/mem.h"
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "text/text.h"

#include <math.h>

enum {
	KEYS = UINT8_MAX + 1,
	TITLE = 17,
	NAME = 15,
	LANE = 22,
	BETWEEN = 84,
	MARGIN = 30,
	LANES_MAX = 8,
	TICKS = 8,
	SLIM_TICKS = 3,
};

static const double with_tip = 3;    /* a stretch that is narrower has no tip of its own */
static const double with_label = 34; /* and one that is narrower no name in it */
static const double touching = 1;    /* so close together they are drawn as one */

/* Where the two rows are. */
struct two_rows {
	const struct chart *c;
	struct axis axis;
	double title_y[2], name_y[2], lane_y[2];
	double height;
};

static size_t lanes_of(const struct chart *c, int row)
{
	const size_t lanes = c->lanes_of[row] ? c->lanes_of[row] : 1;

	return lanes < LANES_MAX ? lanes : LANES_MAX;
}

static double end_of(const struct chart *c, size_t item)
{
	const double *v = chart_item(c, item);

	return chart_drawable(v[CHART_RIBBON_START]) +
	       fmax(chart_drawable(v[CHART_RIBBON_LENGTH]), 0);
}

static struct two_rows rows_make(const struct chart *c, size_t items, double width)
{
	struct two_rows r = {.c = c};
	double most = 0;

	for (size_t i = 0; i < items; i++)
		most = fmax(most, end_of(c, i));
	r.title_y[0] = TITLE - 5;
	r.name_y[0] = TITLE + NAME - 4;
	r.lane_y[0] = TITLE + NAME;
	r.lane_y[1] = r.lane_y[0] + (double)lanes_of(c, 0) * LANE + BETWEEN;
	r.name_y[1] = r.lane_y[1] + (double)lanes_of(c, 1) * LANE + NAME - 3;
	r.title_y[1] = r.name_y[1] + TITLE;
	r.height = r.title_y[1] + 6;
	r.axis = axis_make(c->unit, 0, most, 1, width - MARGIN,
			   chart_is_slim(width) ? SLIM_TICKS : TICKS);
	return r;
}

static double lane_y(const struct two_rows *r, const struct chart_place *p)
{
	const size_t last = lanes_of(r->c, p->row ? 1 : 0) - 1;

	return r->lane_y[p->row ? 1 : 0] + (double)(p->lane < last ? p->lane : last) * LANE;
}

/* Stretches of one look that are too narrow for tips, gathered into one path. */
struct gathered {
	struct buf path;
	bool any;
	double x, end, y;
};

static void flush(struct gathered *g)
{
	if (!g->any)
		return;
	buf_addc(&g->path, 'M');
	html_add_number(&g->path, g->x);
	buf_addc(&g->path, ' ');
	html_add_number(&g->path, g->y);
	buf_addc(&g->path, 'h');
	html_add_number(&g->path, g->end - g->x);
	buf_addf(&g->path, "v%dh", LANE - 2);
	html_add_number(&g->path, g->x - g->end);
	buf_addc(&g->path, 'z');
	g->any = false;
}

static void gather(struct gathered *g, double x, double end, double y)
{
	if (g->any && g->y == y && x <= g->end + touching / 2 && x >= g->x) {
		g->end = fmax(g->end, end);
		return;
	}
	flush(g);
	*g = (struct gathered){g->path, true, x, fmax(end, x + 0.4), y};
}

static void add_stretch(struct buf *b, const struct two_rows *r, size_t item,
			struct gathered *narrow)
{
	const struct chart *c = r->c;
	const struct chart_place *p = &c->places[item];
	const double x = axis_at(&r->axis, chart_drawable(chart_item(c, item)[CHART_RIBBON_START]));
	const double end = axis_at(&r->axis, end_of(c, item)), y = lane_y(r, p);
	struct buf label = {0}, tip = {0};

	if (end - x < with_tip) {
		gather(&narrow[p->key], x, end, y);
		return;
	}
	chart_add_label(&label, c, item);
	buf_addstr(&tip, buf_str(&label));
	buf_adds(&tip, ": ");
	chart_add_value(&tip, c, chart_item(c, item)[CHART_RIBBON_LENGTH]);
	svg_box(b, chart_key_colour(c, p->key), x, y, end - x, LANE - 2, buf_str(&tip));
	if (end - x >= with_label) {
		buf_addf(b, "<g class=\"on %s\">", chart_key_colour(c, p->key));
		svg_label(b, "start", x + 4, y + LANE / 2.0 + 3, end - x - 6, buf_str(&label));
		buf_adds(b, "</g>\n");
	}
	buf_free(&label);
	buf_free(&tip);
}

static void add_stretches(struct buf *b, const struct two_rows *r, size_t items)
{
	struct gathered narrow[KEYS] = {0};

	for (size_t i = 0; i < items; i++)
		add_stretch(b, r, i, narrow);
	for (size_t k = 0; k < KEYS; k++) {
		flush(&narrow[k]);
		if (narrow[k].path.len)
			buf_addf(b, "<path class=\"stacked %s\" d=\"%s\"/>\n",
				 chart_key_colour(r->c, k), narrow[k].path.s);
		buf_free(&narrow[k].path);
	}
}

/* The corners of a ribbon: above and below. */
struct shape {
	bool any;
	double x[2], end[2], y[2];
};

static struct shape shape_of(const struct two_rows *r, const struct chart_ribbon *ribbon)
{
	struct shape s = {.any = true};

	for (int i = 0; i < 2; i++) {
		const double *v = chart_item(r->c, ribbon->item[i]);
		const double start = chart_drawable(v[CHART_RIBBON_START]);
		const double length = fmax(chart_drawable(v[CHART_RIBBON_LENGTH]), 0);

		s.x[i] = axis_at(&r->axis, start + (double)ribbon->from[i] * length);
		s.end[i] = axis_at(&r->axis, start + (double)ribbon->to[i] * length);
		s.y[i] = lane_y(r, &r->c->places[ribbon->item[i]]) + (i ? 0 : LANE - 2);
	}
	return s;
}

static void add_point(struct buf *b, double x, double y)
{
	buf_addc(b, ' ');
	html_add_number(b, x);
	buf_addc(b, ' ');
	html_add_number(b, y);
}

static void add_shape(struct buf *b, const struct shape *s)
{
	const double middle = (s->y[0] + s->y[1]) / 2;

	buf_addc(b, 'M');
	add_point(b, s->x[0], s->y[0]);
	buf_addc(b, 'C');
	add_point(b, s->x[0], middle);
	add_point(b, s->x[1], middle);
	add_point(b, s->x[1], s->y[1]);
	buf_addc(b, 'L');
	add_point(b, fmax(s->end[1], s->x[1] + 0.3), s->y[1]);
	buf_addc(b, 'C');
	add_point(b, s->end[1], middle);
	add_point(b, s->end[0], middle);
	add_point(b, fmax(s->end[0], s->x[0] + 0.3), s->y[0]);
	buf_addc(b, 'z');
}

/* Whether a ribbon goes on where another ends, on both sides. */
static bool goes_on(const struct shape *a, const struct shape *b)
{
	for (int i = 0; i < 2; i++) {
		if (a->y[i] != b->y[i] || b->x[i] < a->x[i] || b->x[i] > a->end[i] + touching)
			return false;
	}
	return a->any;
}

static void add_ribbons(struct buf *b, const struct two_rows *r)
{
	const struct chart *c = r->c;
	struct shape last[KEYS] = {0};
	struct buf paths[KEYS] = {0};

	for (size_t i = 0; i < c->ribbon_count; i++) {
		const unsigned char key = c->ribbons[i].key;
		const struct shape s = shape_of(r, &c->ribbons[i]);

		if (goes_on(&last[key], &s)) {
			last[key].end[0] = fmax(last[key].end[0], s.end[0]);
			last[key].end[1] = fmax(last[key].end[1], s.end[1]);
			continue;
		}
		if (last[key].any)
			add_shape(&paths[key], &last[key]);
		last[key] = s;
	}
	for (size_t k = 0; k < KEYS; k++) {
		if (last[k].any)
			add_shape(&paths[k], &last[k]);
		if (paths[k].len)
			buf_addf(b, "<path class=\"ribbon %s\" d=\"%s\"/>\n",
				 chart_key_colour(c, k), paths[k].s);
		buf_free(&paths[k]);
	}
}

/* A line over the stretch, and as much of its name as fits before `end`. */
static void add_name(struct buf *b, const struct two_rows *r, const struct chart_name *n,
		     double end)
{
	const double x = axis_at(&r->axis, n->from);
	const double y = r->name_y[n->row ? 1 : 0];
	SCOPED_BUF name = {0};

	text_add_safe(&name, n->name);
	svg_line(b, "joint", x, y - 10, x, y + 2);
	svg_label(b, "start", x + 3, y, end - x - 4, buf_str(&name));
}

/* A stretch may go on while another one begins: its name ends where that one's does begin. */
static void add_names(struct buf *b, const struct two_rows *r)
{
	const struct chart *c = r->c;
	double next[2] = {INFINITY, INFINITY};

	for (size_t i = c->name_count; i-- > 0;) {
		const struct chart_name *n = &c->names[i];
		double *const until = &next[n->row ? 1 : 0];
		const double x = axis_at(&r->axis, n->from);
		const double end = fmin(axis_at(&r->axis, n->to), *until);

		if (end - x < 2 * SVG_CHAR)
			continue;
		add_name(b, r, n, end);
		*until = x;
	}
}

static void add_titles(struct buf *b, const struct two_rows *r, double width)
{
	for (int row = 0; row < 2 && r->c->parts; row++) {
		SCOPED_BUF title = {0};

		text_add_safe(&title, str_of(r->c->parts[row].name));
		buf_adds(b, "<g class=\"name\">");
		svg_label(b, "start", 0, r->title_y[row], width, buf_str(&title));
		buf_adds(b, "</g>\n");
	}
}

void chart_draw_ribbons(struct buf *b, const struct chart *c, size_t items, double width)
{
	const struct two_rows rows =
		rows_make(c, c->part_count == CHART_RIBBON_VALUES ? items : 0, width);

	svg_begin(b, c->title, width, rows.height + CHART_AXIS);
	axis_add_horizontal(b, &rows.axis, rows.lane_y[0], rows.height);
	if (c->part_count == CHART_RIBBON_VALUES) {
		add_ribbons(b, &rows);
		add_stretches(b, &rows, items);
	}
	add_names(b, &rows);
	add_titles(b, &rows, width);
	svg_end(b);
}
