/* How did something change over time? */
#include "base/mem.h"
#include "report/cell_text.h"
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

enum {
	LEFT = 76,
	RIGHT = 34,
	BESIDE = 4, /* from a lane to the value at its top */
	TOP = 14,   /* room for the value of what is cut */
	HEIGHT = 200,
	LANE = 46,
	LINES = 3,	   /* more lines than this in one drawing cannot be told apart */
	MAX_BUCKETS = 400, /* more than this are merged */
	TIP_PARTS = 8,
	CUT_BELOW = 7, /* the top, where what goes on is broken */
};

struct plot {
	const struct chart *c;
	size_t buckets;
	size_t parts;
	double *values; /* by part · buckets + bucket; may be NAN */
	double *peaks;	/* the same, of what is drawn lighter; NULL: nothing is */
	double *below;	/* the same, of what it stands on; NULL: nothing does */
	struct axis time;
	double width;
};

bool chart_is_in_lanes(const struct chart *c)
{
	return c->lanes || (!c->stacked && c->part_count > LINES);
}

/* The mean of the buckets of the chart that one of the plot stands for. */
static double merged(const struct chart *c, size_t part, size_t begin, size_t end)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = begin; i < end; i++) {
		double value = chart_item(c, i)[part];

		if (isfinite(value)) {
			sum += chart_drawable(value);
			known++;
		}
	}
	return known ? sum / (double)known : NAN;
}

/* Of the highest values of several buckets, the highest. */
static double merged_peak(const struct chart *c, size_t part, size_t begin, size_t end)
{
	double most = NAN;

	for (size_t i = begin; i < end; i++) {
		const double value = c->peaks[i * c->part_count + part];

		if (isfinite(value) && (isnan(most) || chart_drawable(value) > most))
			most = chart_drawable(value);
	}
	return most;
}

/* What stands on each other stays that: all parts are those of the highest. */
static size_t highest(const struct chart *c, size_t begin, size_t end)
{
	size_t best = begin;

	for (size_t i = begin; i < end; i++) {
		if (chart_item_total(c, i) > chart_item_total(c, best))
			best = i;
	}
	return best;
}

static void read_values(struct plot *p)
{
	size_t n = p->buckets;

	p->values = mem_alloc(p->parts * n, sizeof(*p->values));
	p->peaks = p->c->peaks ? mem_alloc(p->parts * n, sizeof(*p->peaks)) : NULL;
	for (size_t i = 0; i < n; i++) {
		size_t begin = i * p->c->count / n, end = (i + 1) * p->c->count / n;

		if (p->c->stacked) {
			begin = highest(p->c, begin, end);
			end = begin + 1;
		}
		for (size_t part = 0; part < p->parts; part++) {
			p->values[part * n + i] = merged(p->c, part, begin, end);
			if (p->peaks)
				p->peaks[part * n + i] = merged_peak(p->c, part, begin, end);
		}
	}
}

/* From what each part is to where it stands, on top of those before it. */
static void stack_values(struct plot *p)
{
	size_t n = p->buckets;

	p->below = mem_zalloc(p->parts * n, sizeof(*p->below));
	for (size_t i = 0; i < p->parts * n; i++) {
		double under = i < n ? 0 : p->values[i - n];

		p->below[i] = under;
		p->values[i] = under + (isnan(p->values[i]) ? 0 : fmax(p->values[i], 0));
	}
}

static struct axis value_axis(const struct plot *p, double begin, double end, int ticks)
{
	double least = 0, most = chart_drawable(p->c->top);
	struct axis a;

	for (size_t i = 0; i < p->parts * p->buckets; i++) {
		if (isnan(p->values[i]))
			continue;
		least = fmin(least, p->values[i]);
		most = fmax(most, p->values[i]);
	}
	if (p->c->cut > 0)
		most = fmin(most, chart_drawable(p->c->cut));
	a = axis_make_round(p->c->unit, most, begin, end, ticks);
	return least < 0 ? axis_make(p->c->unit, least, most, begin, end, ticks) : a;
}

/* Of a part that is not on the scale of the others. */
static struct axis lane_axis(const struct plot *p, size_t part, double begin, double end)
{
	const struct chart_lane *lane = &p->c->lanes[part];
	double most = chart_drawable(lane->top);

	for (size_t i = part * p->buckets; i < (part + 1) * p->buckets; i++) {
		if (isfinite(p->values[i]))
			most = fmax(most, p->values[i]);
		if (p->peaks && isfinite(p->peaks[i]))
			most = fmax(most, p->peaks[i]);
	}
	return axis_make_round(lane->unit, most, begin, end, 1);
}

static double bucket_x(const struct plot *p, size_t bucket)
{
	return p->time.begin + (p->time.end - p->time.begin) * (double)bucket / (double)p->buckets;
}

static void add_point(struct buf *b, const char *how, double at)
{
	buf_adds(b, how);
	html_add_number(b, at);
}

/* Many strips make a long page: there, one step is drawn for neighbours that are the same. */
static bool goes_on(const struct plot *p, double value, double next)
{
	return p->c->lanes && value == next;
}

/* Steps from `begin` to `end`, forth or back along the buckets. */
static void add_steps(struct buf *b, const struct plot *p, const double *values, size_t begin,
		      size_t end, const struct axis *axis)
{
	for (size_t i = begin; i < end; i++) {
		if (i + 1 < end && goes_on(p, values[i], values[i + 1]))
			continue;
		add_point(b, "V", axis_at(axis, values[i]));
		add_point(b, "H", bucket_x(p, i + 1));
	}
}

static void add_steps_back(struct buf *b, const struct plot *p, const double *values, size_t begin,
			   size_t end, const struct axis *axis)
{
	for (size_t i = end; i > begin; i--) {
		if (i > begin + 1 && goes_on(p, values[i - 1], values[i - 2]))
			continue;
		add_point(b, "V", axis_at(axis, values[i - 1]));
		add_point(b, "H", bucket_x(p, i - 1));
	}
}

static void add_shape(struct buf *b, const struct plot *p, const double *values,
		      const double *below, size_t begin, size_t end, const struct axis *axis,
		      bool filled)
{
	add_point(b, "M", bucket_x(p, begin));
	add_point(b, " ", axis_at(axis, values[begin]));
	add_steps(b, p, values, begin, end, axis);
	if (!filled)
		return;
	if (below) {
		add_steps_back(b, p, below, begin, end, axis);
	} else {
		add_point(b, "V", axis_at(axis, 0));
		add_point(b, "H", bucket_x(p, begin));
	}
	buf_addc(b, 'Z');
}

/* Where nothing is known there is nothing: a line may be in several pieces. */
static void add_pieces(struct buf *b, const struct plot *p, const double *values,
		       const double *below, const struct axis *axis, bool filled)
{
	for (size_t i = 0, end; i < p->buckets; i = end) {
		for (end = i; end < p->buckets && !isnan(values[end]); end++)
			;
		if (end > i)
			add_shape(b, p, values, below, i, end, axis, filled);
		else
			end++;
	}
}

static void add_path(struct buf *b, const struct plot *p, size_t part, const struct axis *axis,
		     bool filled)
{
	buf_addf(b, "<path class=\"%s %s\" d=\"", filled ? p->below ? "stacked" : "area" : "line",
		 chart_colour(p->c, part));
	add_pieces(b, p, p->values + part * p->buckets,
		   p->below ? p->below + part * p->buckets : NULL, axis, filled);
	buf_adds(b, "\"/>\n");
}

/* What reaches higher than the mean, from there up. */
static void add_peaks(struct buf *b, const struct plot *p, size_t part, const struct axis *axis)
{
	if (!p->peaks)
		return;
	buf_addf(b, "<path class=\"peak %s\" d=\"", chart_colour(p->c, part));
	add_pieces(b, p, p->peaks + part * p->buckets, p->values + part * p->buckets, axis, true);
	buf_adds(b, "\"/>\n");
}

static void add_time(struct buf *b, const struct plot *p, size_t bucket)
{
	cell_add_human(b, p->c->axis_unit,
		       cell_real(p->time.from + (p->time.to - p->time.from) * (double)bucket /
							(double)p->buckets));
}

/* "DRAM 41.3%, highest 100.0%": where one sample is all, that is both. */
static void add_lane_value(struct buf *b, const struct plot *p, size_t part, size_t bucket)
{
	const double value = p->values[part * p->buckets + bucket];
	const double peak = p->peaks ? p->peaks[part * p->buckets + bucket] : NAN;
	const enum unit unit = p->c->lanes[part].unit;

	buf_addf(b, "%s ", p->c->parts[part].name);
	cell_add_human(b, unit, isfinite(value) ? cell_real(value) : cell_null());
	if (isfinite(peak) && peak > value) {
		buf_adds(b, ", highest ");
		cell_add_human(b, unit, cell_real(peak));
	}
}

/* What each part is in a bucket, for who points at it. */
static void add_tips(struct buf *b, const struct plot *p, double height)
{
	const size_t tip_parts = p->c->lanes ? CHART_LANES : TIP_PARTS;
	struct buf tip = {0};

	for (size_t i = 0; i < p->buckets; i++) {
		buf_clear(&tip);
		add_time(&tip, p, i);
		for (size_t part = 0; part < p->parts && part < tip_parts; part++) {
			double value = p->values[part * p->buckets + i];

			buf_adds(&tip, " · ");
			if (p->below)
				value -= p->below[part * p->buckets + i];
			if (p->c->lanes)
				add_lane_value(&tip, p, part, i);
			else
				chart_add_part_value(&tip, p->c, part, value, 0);
		}
		if (p->parts > tip_parts)
			buf_adds(&tip, " …");
		svg_box(b, "tip", bucket_x(p, i), TOP, bucket_x(p, i + 1) - bucket_x(p, i), height,
			buf_str(&tip));
	}
	buf_free(&tip);
}

/* What does not end at the top says where; of neighbours, the first. */
static void add_cuts(struct buf *b, const struct plot *p, const struct axis *axis)
{
	const double *totals = p->values + (p->parts - 1) * p->buckets, right = p->width - 2;
	double taken = -INFINITY;
	struct buf text = {0};

	for (size_t i = 0; p->below && i < p->buckets; i++) {
		double x = bucket_x(p, i), width;

		if (totals[i] <= axis->to)
			continue;
		svg_line(b, "cut", x - 1, axis->end + CUT_BELOW + 3, bucket_x(p, i + 1) + 1,
			 axis->end + CUT_BELOW - 3);
		buf_clear(&text);
		chart_add_value(&text, p->c, totals[i]);
		width = (double)text_width(buf_str(&text)) * SVG_CHAR;
		x = fmin(x, right - width);
		if (x < taken)
			continue;
		svg_text(b, "start", x, axis->end - 3, buf_str(&text));
		taken = x + width + SVG_CHAR;
	}
	buf_free(&text);
}

/* Who sees fewer points than there are should know which. */
static void add_merged(struct buf *b, const struct plot *p)
{
	if (!p->below || p->buckets == p->c->count)
		return;
	buf_adds(b, "<p class=\"more\">each point is the longest of up to ");
	units_add_count(b, (int64_t)((p->c->count + p->buckets - 1) / p->buckets));
	buf_adds(b, "</p>\n");
}

/* All parts in one drawing. */
static void draw_together(struct buf *b, const struct plot *p)
{
	struct axis axis = value_axis(p, TOP + HEIGHT, TOP, 4);

	svg_begin(b, p->c->title, p->width, TOP + HEIGHT + CHART_AXIS);
	axis_add_vertical(b, &axis, LEFT, p->time.end);
	axis_add_horizontal(b, &p->time, TOP + HEIGHT, TOP + HEIGHT);
	for (size_t part = 0; part < p->parts; part++) {
		if (p->below || p->parts == 1)
			add_path(b, p, part, &axis, true);
		if (!p->below)
			add_path(b, p, part, &axis, false);
	}
	add_cuts(b, p, &axis);
	add_tips(b, p, HEIGHT);
	svg_end(b);
	add_merged(b, p);
}

/* Stretches of which nothing is known: nobody should take them for nothing. */
static void add_unknown(struct buf *b, const struct plot *p, size_t part, const struct axis *axis)
{
	const double *values = p->values + part * p->buckets;

	for (size_t i = 0, end; p->c->lanes && i < p->buckets; i = end + 1) {
		for (end = i; end < p->buckets && isnan(values[end]); end++)
			;
		if (end == i)
			continue;
		buf_adds(b, "<path class=\"unknown\" d=\"");
		add_point(b, "M", bucket_x(p, i));
		add_point(b, " ", axis->begin);
		add_point(b, "V", axis->end);
		add_point(b, "H", bucket_x(p, end));
		add_point(b, "V", axis->begin);
		buf_adds(b, "Z\"/>\n");
	}
}

static struct axis axis_of_lane(const struct plot *p, size_t part)
{
	const double y = TOP + (double)part * LANE;

	return p->c->lanes ? lane_axis(p, part, y + LANE - 4, y + 4)
			   : value_axis(p, y + LANE - 4, y + 4, 1);
}

/* On the right of the drawing: for the value at each lane's top, and half of one below it. */
static double right_of(const struct plot *p)
{
	size_t widest = 0;

	for (size_t part = 0; chart_is_in_lanes(p->c) && part < p->parts; part++) {
		const struct axis axis = axis_of_lane(p, part);
		SCOPED_BUF text = {0};

		axis_add_value(&text, axis.unit, axis.to);
		widest = text_width(buf_str(&text)) > widest ? text_width(buf_str(&text)) : widest;
	}
	return fmax(RIGHT, BESIDE + (double)widest * SVG_CHAR);
}

static void add_lane(struct buf *b, const struct plot *p, size_t part)
{
	double y = TOP + (double)part * LANE, right = p->time.end;
	const struct axis axis = axis_of_lane(p, part);
	double zero = axis_at(&axis, 0);
	struct buf text = {0};

	if (p->c->parts)
		text_add_safe(&text, str_of(p->c->parts[part].name));
	svg_label(b, "end", LEFT - (p->c->lanes ? 6 : 8), y + LANE / 2.0 + 4,
		  LEFT - (p->c->lanes ? 6 : 10), buf_str(&text));
	svg_line(b, "zero", LEFT, zero, right, zero);
	svg_line(b, "grid", LEFT, axis.end, right, axis.end);
	add_unknown(b, p, part, &axis);
	add_peaks(b, p, part, &axis);
	add_path(b, p, part, &axis, true);
	buf_clear(&text);
	axis_add_value(&text, axis.unit, axis.to);
	svg_text(b, "start", right + BESIDE, axis.end + 8, buf_str(&text));
	buf_free(&text);
}

/* A strip for each part, all on one scale unless each has its own. */
static void draw_lanes(struct buf *b, const struct plot *p)
{
	double height = (double)p->parts * LANE;

	svg_begin(b, p->c->title, p->width, TOP + height + CHART_AXIS);
	axis_add_horizontal(b, &p->time, TOP, TOP + height);
	buf_adds(b, "<g class=\"lanes\">\n");
	for (size_t part = 0; part < p->parts; part++)
		add_lane(b, p, part);
	buf_adds(b, "</g>\n");
	add_tips(b, p, height);
	svg_end(b);
}

/* Not narrower than a pixel of a phone's. */
static size_t most_buckets(double width)
{
	return chart_is_slim(width)  ? MAX_BUCKETS / 4
	       : width < CHART_WIDTH ? MAX_BUCKETS / 2
				     : MAX_BUCKETS;
}

void chart_draw_series(struct buf *b, const struct chart *c, size_t items, double width)
{
	struct plot p = {
		.c = c,
		.width = width,
		.buckets = items < most_buckets(width) ? items : most_buckets(width),
		.parts = c->part_count < CHART_LANES ? c->part_count : CHART_LANES,
	};

	read_values(&p);
	p.time = axis_make(c->axis_unit, chart_drawable(c->from), chart_drawable(c->to), LEFT,
			   width - right_of(&p),
			   chart_is_slim(width)	 ? 3
			   : width < CHART_WIDTH ? 5
						 : 7);
	if (c->stacked)
		stack_values(&p);
	if (chart_is_in_lanes(c))
		draw_lanes(b, &p);
	else
		draw_together(b, &p);
	free(p.values);
	free(p.peaks);
	free(p.below);
}
