/*
 * A chart: numbers that are easier to see than to read. It is data, not drawing: a grid of values,
 * items (bars, classes, moments, nodes) by parts (what a bar is made of, a line). Presenters that
 * cannot draw leave it out, so what it shows should also stand in a table.
 *
 *	static const struct chart_part parts[] = {{"compute", HUE_COMPUTE}, {"idle", HUE_IDLE}};
 *	struct chart *c = report_new_chart(r, CHART_STACK, "Each GPU's time", UNIT_NS, devices,
 *					   parts, ARRAY_LEN(parts));
 *	c->labels[i] = str_of("GPU 0");
 *	chart_item(c, i)[0] = compute_ns;
 *	chart_item(c, i)[1] = idle_ns;
 */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "base/buf.h"
#include "report/report.h"

enum chart_kind {
	CHART_STACK,	 /* an item is a bar, cut into its parts: each GPU's time */
	CHART_BARS,	 /* an item is a bar; one part: the top kernels */
	CHART_HISTOGRAM, /* an item is a class, in order; parts stand on each other: gap lengths */
	CHART_SERIES,	 /* an item is a bucket of time, a part is a line: utilisation */
	CHART_ICICLE,	 /* an item is a node of a tree; one part: ranges by GPU time */
	CHART_ROOFLINE,	 /* an item is a kernel below what its device can do; logarithms */
	CHART_WATERFALL, /* the first item is a sum, the last another, the rest leads from it to it
			  */
	CHART_DOTS,	 /* an item is a dot, a part is the row that it lies in: runs by side */
	CHART_COLUMNS,	 /* an item is a column, a part is a row of them: steps by run */
	CHART_RIBBONS,	 /* an item is a stretch of one of two rows, ribbons join them: two steps */
	CHART_HEAT,	 /* an item is a column, a part is a row, a cell's shade its key: ranks by
			    step */
	CHART_KINDS,
};

enum {
	CHART_LOOKS = 64,     /* parts of a bar that look different */
	CHART_TREE_ROWS = 24, /* of an icicle that are drawn: what is deeper is counted */
	CHART_SHADES = 7,     /* of a heat map */
};

/* What a part means, so that it has one colour in all charts. */
enum chart_hue {
	HUE_NEXT,
	HUE_COMPUTE,
	HUE_COMM,
	HUE_COPY,
	HUE_IDLE,
	HUE_UP, /* it takes longer than before */
	HUE_DOWN,
	HUE_EVEN,  /* neither */
	HUE_CUT,   /* it is left out of the answer */
	HUE_PLAIN, /* colours mean something else */
	HUE_BAND,  /* it is no thing, but where things may lie */
	HUE_SHADE, /* the palest of CHART_SHADES that follow each other */
};

struct chart_part {
	const char *name;
	enum chart_hue hue;
};

/* CHART_SERIES: the scale of a part that has a strip of its own. */
struct chart_lane {
	enum unit unit;
	double top; /* what its axis reaches at least */
};

/* CHART_ROOFLINE: what the values of an item are, in place of parts. */
enum {
	CHART_ROOF_INTENSITY, /* operations per byte */
	CHART_ROOF_FLOPS,     /* per second */
	CHART_ROOF_TIME,      /* in the chart's unit: how large it is */
	CHART_ROOF_VALUES,
};

/* The most operations a second of one kind. */
struct chart_roof {
	const char *name;
	double flops_per_s;
};

/* CHART_DOTS: a stretch of the axis. */
struct chart_band {
	const char *name;
	double from, to;
	bool behind; /* all rows; else it has a row of its own */
};

/* CHART_RIBBONS: what the values of an item are, in place of parts. */
enum { CHART_RIBBON_START, CHART_RIBBON_LENGTH, CHART_RIBBON_VALUES };

/* Where a stretch lies. */
struct chart_place {
	unsigned char row;  /* 0 the upper, 1 the lower */
	unsigned char lane; /* of the row: from 0 on, below each other */
	unsigned char key;  /* what it looks like */
};

/* Joins parts of two stretches, from 0 to 1 of their lengths. */
struct chart_ribbon {
	uint32_t item[2]; /* of the upper row, of the lower one */
	float from[2], to[2];
	unsigned char key;
};

/* A name beside a row, over a stretch of it; those of a row by where they begin. */
struct chart_name {
	struct str name;
	double from, to;
	unsigned char row;
};

#define CHART_ROOT UINT32_MAX /* the parent of a node that has none */

struct chart {
	enum chart_kind kind;
	const char *title;
	enum unit unit;	      /* of the values */
	size_t count;	      /* of items */
	size_t part_count;    /* at least 1 */
	enum unit label_unit; /* labels of UNIT_KERNEL are shortened */
	struct str *labels;   /* by item; not for CHART_SERIES; any bytes: presenters escape */
	const struct chart_part *parts; /* NULL where there is one and it needs no name */
	double *values; /* not finite where unknown; below 0 only in bars, waterfalls and lines */
	const char *remark; /* said beside the title; NULL: nothing */

	/* What colours mean where they are not those of parts. */
	const struct chart_part *keys;
	size_t key_count;

	/*
	 * CHART_STACK: the name of a table whose first column says which part a row belongs to; a
	 * page lists those of a part that is clicked on. NULL: none.
	 */
	const char *picks;

	/* CHART_SERIES. */
	enum unit axis_unit; /* UNIT_TIME_NS unless set */
	double from, to;     /* where the first bucket begins and the last ends */
	double top;	     /* what the axis reaches at least: 100 for percent */
	double cut;	     /* and at most: what is higher says its value; 0: it fits all */
	const struct chart_lane *lanes; /* by part; NULL: all have the chart's unit and top */
	double *peaks; /* like values, drawn lighter behind them; NULL: there are none */
	bool stacked;  /* parts stand on each other; of merged buckets the highest counts */

	/* CHART_ROOFLINE. */
	const struct chart_roof *roofs;
	size_t roof_count;
	double bytes_per_s; /* of DRAM: the slope that roofs begin at */

	/* CHART_ICICLE: a smaller index than the node's own, or CHART_ROOT. */
	uint32_t *parents;
	bool *bold;	       /* by node; NULL: none is */
	const char *bold_name; /* what these are: "your code" */
	double *changes;       /* by node: its colour tells them; NULL: it tells names apart */

	/* CHART_DOTS. */
	const struct chart_band *bands;
	size_t band_count;

	/* CHART_COLUMNS, CHART_HEAT: by value, which of the keys it is; `cut` as for a series. */
	unsigned char *looks;

	/* CHART_HEAT: by part, the page that a row leads to, as of UNIT_PAGE; NULL: none does. */
	const char *const *pages;

	/* CHART_RIBBONS: places by item; parts are the two rows, of so many lanes each. */
	struct chart_place *places;
	size_t lanes_of[2];
	const struct chart_ribbon *ribbons;
	size_t ribbon_count;
	const struct chart_name *names;
	size_t name_count;
};

/* What a chart points to lives as long as the report. */
void report_chart(struct report *r, const struct chart *c);
/* The usual one: its block is added, its arrays are in the report's arena, to be filled in. */
struct chart *report_new_chart(struct report *r, enum chart_kind kind, const char *title,
			       enum unit unit, size_t count, const struct chart_part *parts,
			       size_t part_count);

/* The values of one item, by part. */
static inline double *chart_item(const struct chart *c, size_t item)
{
	return c->values + item * c->part_count;
}

/* An item's label, safe to show; a kernel's is shortened. */
void chart_add_label(struct buf *b, const struct chart *c, size_t item);
/* What a part is called, safe to show; nothing where it has no name. */
void chart_add_part_name(struct buf *b, const struct chart *c, size_t part);
/* How many columns the widest label of the first items takes. */
size_t chart_widest_label(const struct chart *c, size_t items);
/* The same of what parts are called. */
size_t chart_widest_part(const struct chart *c);
/* A value with its unit, for people. */
void chart_add_value(struct buf *b, const struct chart *c, double value);
/* What can be drawn of a value: 0 for what is not finite, and nothing beyond 10¹⁸ either way. */
double chart_drawable(double value);
/* The drawable values of an item that are not negative, summed. */
double chart_item_total(const struct chart *c, size_t item);

#endif
