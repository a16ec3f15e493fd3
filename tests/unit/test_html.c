/* Is a page what it should be, whatever is put into it? */
#include "base/mem.h"
#include "groups.h"
#include "report/chart.h"
#include "report/finding.h"
#include "report/html/html_assets.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "report/present.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int to_buf(void *ctx, const char *bytes, size_t len)
{
	buf_add(ctx, bytes, len);
	return 0;
}

static struct buf present(const struct report *r, const char *format, struct style style)
{
	struct buf text = {0};
	struct sink sink = {to_buf, &text};
	struct err e = {0};

	assert_int_equal(present_report(presenter_find(format), r, &style, &sink, &e), 0);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
		n++;
	return n;
}

static void assert_text(struct str s, const char *expected)
{
	struct buf b = {0};

	buf_adds(&b, "|");
	html_add_text(&b, s);
	assert_string_equal(b.s + 1, expected);
	buf_free(&b);
}

static void test_escaping(void **state)
{
	(void)state;
	assert_text(STR_LIT(""), "");
	assert_text(STR_LIT("plain µ text"), "plain µ text");
	assert_text(STR_LIT("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;");
	assert_text(STR_LIT("\"'&amp;"), "&quot;&#39;&amp;amp;");
	assert_text(STR_LIT("a\0b\033[1m\n\t\x7f"), "a\\x00b\\x1b[1m\\n\\t\\x7f");
	assert_text(STR_LIT("\xff\xc3(\x80<"), "\\xff\\xc3(\\x80&lt;");
	assert_text(STR_LIT("a\u202eb\xc2\x85"), "a\\u202eb\\x85");
}

static void test_code_in_prose(void **state)
{
	struct buf b = {0};

	(void)state;
	html_add_prose(&b, "in `<b>` and `c`, ``, then ` alone &");
	assert_string_equal(b.s,
			    "in <code>&lt;b&gt;</code> and <code>c</code>, <code></code>, then "
			    "` alone &amp;");
	buf_free(&b);
}

static void assert_brief(const char *text, size_t columns, const char *expected)
{
	struct buf b = {0};

	buf_adds(&b, "|");
	html_add_brief(&b, str_of(text), columns);
	assert_string_equal(b.s + 1, expected);
	buf_free(&b);
}

static void test_brief_cuts_before_it_escapes(void **state)
{
	(void)state;
	assert_brief("<<<<>>>>", 8, "&lt;&lt;&lt;&lt;&gt;&gt;&gt;&gt;");
	assert_brief("<<<<>>>>", 5, "&lt;&lt;…&gt;&gt;");
	assert_brief("abc", 0, "");
}

static void assert_number(double x, const char *expected)
{
	struct buf b = {0};

	html_add_number(&b, x);
	assert_string_equal(b.s, expected);
	buf_free(&b);
}

static void test_numbers(void **state)
{
	(void)state;
	assert_number(0, "0");
	assert_number(-0.001, "0");
	assert_number(12, "12");
	assert_number(100, "100");
	assert_number(1.5, "1.5");
	assert_number(-2.345, "-2.35");
	assert_number(NAN, "0");
	assert_number(INFINITY, "0");
	assert_number(-1e300, "-1000000");
}

static void assert_ticks(struct axis a, const char *expected)
{
	struct buf drawn = {0}, values = {0};
	const char *at;

	axis_add_horizontal(&drawn, &a, 0, 10);
	for (at = drawn.s; at && (at = strstr(at, "<text")) != NULL; at++) {
		at = strchr(at, '>') + 1;
		buf_add(&values, at, strcspn(at, "<"));
		buf_addc(&values, ';');
	}
	assert_string_equal(buf_str(&values).s, expected);
	buf_free(&drawn);
	buf_free(&values);
}

static void test_ticks_are_round(void **state)
{
	(void)state;
	assert_ticks(axis_make(UNIT_NS, 0, 5.75e9, 0, 100, 6), "0;1 s;2 s;3 s;4 s;5 s;");
	assert_ticks(axis_make(UNIT_NS, 0, 2500, 0, 100, 5), "0;500 ns;1 µs;1.5 µs;2 µs;2.5 µs;");
	assert_ticks(axis_make(UNIT_NS, 841.11e6, 841.29e6, 0, 100, 4),
		     "841.15 ms;841.20 ms;841.25 ms;");
	assert_ticks(axis_make(UNIT_COUNT, 0, 1, 0, 100, 5), "0;1;");
	assert_ticks(axis_make(UNIT_COUNT, 0, 0, 0, 100, 5), "0;1;");
	assert_ticks(axis_make(UNIT_PERCENT, 0, 100, 0, 100, 4), "0;50%;100%;");
	assert_ticks(axis_make(UNIT_TIME_NS, 14.2e9, 16.3e9, 0, 100, 4), "15 s;16 s;");
	assert_ticks(axis_make(UNIT_NS, -31e6, 12e6, 0, 100, 5), "-30 ms;-20 ms;-10 ms;0;10 ms;");
	assert_ticks(axis_make(UNIT_BYTES, 1e18, 1e18, 0, 100, 1), "1,000 PB;1,000 PB;");
}

static void test_places_stay_on_the_axis(void **state)
{
	struct axis a = axis_make_round(UNIT_COUNT, 7, 200, 0, 4);

	(void)state;
	assert_true(a.to == 8);
	assert_true(axis_at(&a, 0) == 200 && axis_at(&a, 8) == 0 && axis_at(&a, 4) == 100);
	assert_true(axis_at(&a, -5) == 200 && axis_at(&a, 1e300) == 0);
}

/* No coordinate is absurd and nothing is left open; the numbers are in quotes. */
static void assert_sound(const char *page)
{
	const char *picture = strstr(page, "<main>");

	assert_non_null(picture);
	assert_null(strstr(picture, "=\"nan"));
	assert_null(strstr(picture, "=\"inf"));
	assert_null(strstr(picture, "=\"-inf"));
	assert_null(strstr(picture, "width=\"-"));
	assert_null(strstr(picture, "height=\"-"));
	assert_int_equal(count(page, "<svg"), count(page, "</svg>"));
	assert_int_equal(count(page, "<g "), count(page, "</g>"));
	assert_int_equal(count(page, "<rect class"), count(page, "</rect>"));
}

/* The page of a chart of these values, one part. */
static struct buf page_of_values(enum chart_kind kind, const double *values, size_t n)
{
	struct report r = {0};
	struct chart *c = report_new_chart(&r, kind, "T", UNIT_NS, n, NULL, 1);
	struct buf page;

	c->to = 1e9;
	for (size_t i = 0; i < n; i++) {
		chart_item(c, i)[0] = values[i];
		if (c->labels)
			c->labels[i] = str_of("<item>");
		if (c->parents)
			c->parents[i] = i ? (uint32_t)(i - 1) / 2 : CHART_ROOT;
	}
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_null(strstr(page.s, "<item>"));
	report_free(&r);
	return page;
}

/* Of each chart: a wide one, a middle one and a slim one; of those side by side, no wide one. */
enum { DRAWINGS = 3, HALF_DRAWINGS = 2 };

static size_t boxes_of(enum chart_kind kind, const double *values, size_t n)
{
	struct buf page = page_of_values(kind, values, n);
	size_t boxes = count(page.s, "<rect class");

	buf_free(&page);
	return boxes;
}

static void test_charts_without_values(void **state)
{
	static const double unknown[] = {NAN, INFINITY};

	(void)state;
	for (int kind = 0; kind < CHART_KINDS; kind++) {
		for (size_t n = 0; n <= 2; n += 2) {
			struct buf page = page_of_values((enum chart_kind)kind, unknown, n);

			assert_non_null(strstr(page.s, "nothing to show"));
			assert_null(strstr(strstr(page.s, "<main>"), "<svg"));
			buf_free(&page);
		}
	}
}

static void test_charts_of_zeros(void **state)
{
	static const double zeros[] = {0, 0, 0};

	(void)state;
	assert_int_equal(boxes_of(CHART_STACK, zeros, 3), 0);
	assert_int_equal(boxes_of(CHART_BARS, zeros, 3), 3 * DRAWINGS);
	assert_int_equal(boxes_of(CHART_HISTOGRAM, zeros, 3), 0);
	assert_int_equal(boxes_of(CHART_SERIES, zeros, 3), 3 * DRAWINGS); /* for tips */
	assert_int_equal(boxes_of(CHART_ICICLE, zeros, 3), 0);
}

/* Where logarithms put it: 10 FLOP/B and 10 TFLOP/s are in the middle of 1 to 100 and 1 to 100. */
static void test_roofline(void **state)
{
	static const struct chart_roof roofs[] = {{"fp32", 100e12}};
	struct report r = {0};
	struct chart *c =
		report_new_chart(&r, CHART_ROOFLINE, "T", UNIT_NS, 2, NULL, CHART_ROOF_VALUES);
	struct buf page;

	(void)state;
	c->roofs = roofs;
	c->roof_count = 1;
	c->bytes_per_s = 10e12;
	c->labels[0] = str_of("<item>");
	c->labels[1] = str_of("no operations");
	memcpy(chart_item(c, 0), (double[]){10, 10e12, 42}, sizeof(double[3]));
	memcpy(chart_item(c, 1), (double[]){0, 0, 5}, sizeof(double[3]));
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, "<circle"), DRAWINGS);
	assert_int_equal(count(page.s, "<line class=\"roof\""), 2 * DRAWINGS);
	assert_non_null(strstr(page.s, "cx=\"436\" cy=\"238\" r=\"24\""));
	assert_non_null(strstr(page.s, "42 ns \xc2\xb7 10.0 TFLOP/s \xc2\xb7 10.000 FLOP/B"));
	buf_free(&page);
	report_free(&r);
}

static void test_charts_of_one_value(void **state)
{
	static const double one[] = {42};

	(void)state;
	/* A kernel of a roofline has three. */
	for (int kind = 0; kind < CHART_ROOFLINE; kind++) {
		struct buf page = page_of_values((enum chart_kind)kind, one, 1);

		assert_int_equal(count(page.s, "<rect class"),
				 kind == CHART_HISTOGRAM ? HALF_DRAWINGS : DRAWINGS);
		assert_non_null(strstr(page.s, "42 ns"));
		buf_free(&page);
	}
}

/* Each change begins where the one before it ended; the last bar ends where they lead to. */
static void test_waterfall(void **state)
{
	static const double values[] = {100, 60, -20, 140};
	struct buf page = page_of_values(CHART_WATERFALL, values, ARRAY_LEN(values));

	(void)state;
	assert_int_equal(count(page.s, "<rect class=\"sum\""), 2 * DRAWINGS);
	assert_int_equal(count(page.s, "<rect class=\"up\""), DRAWINGS);
	assert_int_equal(count(page.s, "<rect class=\"down\""), DRAWINGS);
	assert_non_null(strstr(page.s, "+60 ns"));
	assert_non_null(strstr(page.s, "-20 ns"));
	/* 100 is more than half of 160: the axis begins a tick below it. */
	assert_non_null(strstr(page.s, "not from 0: the axis begins at 90 ns"));
	buf_free(&page);
	page = page_of_values(CHART_WATERFALL, (double[]){10, 90, 100}, 3);
	assert_null(strstr(page.s, "not from 0"));
	buf_free(&page);
}

static void test_columns_are_merged_and_cut(void **state)
{
	enum { MANY = 5000 };
	double *values = mem_zalloc(MANY, sizeof(*values));
	struct buf page;

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		values[i] = (double)i;
	page = page_of_values(CHART_COLUMNS, values, 20);
	assert_int_equal(count(page.s, "<rect class"), 20 * DRAWINGS);
	buf_free(&page);
	page = page_of_values(CHART_COLUMNS, values, MANY);
	assert_int_equal(count(page.s, "<rect class"), 0);
	assert_int_equal(count(page.s, "<path class=\"stacked even\""), DRAWINGS);
	assert_non_null(strstr(page.s, "(a column is the longest of up to 12)"));
	buf_free(&page);
	free(values);
}

static const struct chart_part shades[] = {{"< 1 %", HUE_SHADE}, {"> 1 %", HUE_SHADE + 1}};
static const struct chart_part three_ranks[] = {
	{"rank 0", HUE_PLAIN}, {"rank <1>", HUE_PLAIN}, {"rank 2", HUE_PLAIN}};

/* Three ranks by steps, of which one is late in the second step. */
static struct chart *add_heat(struct report *r, size_t steps)
{
	struct chart *c = report_new_chart(r, CHART_HEAT, "T", UNIT_NS, steps, three_ranks, 3);

	for (size_t i = 0; i < steps; i++)
		c->labels[i] = str_of("<step>");
	chart_item(c, 1)[2] = 7e6;
	c->looks[1 * 3 + 2] = 1;
	c->keys = shades;
	c->key_count = 2;
	return c;
}

static void test_heat(void **state)
{
	struct report r = {0};
	struct buf page;

	(void)state;
	add_heat(&r, 4);
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, "<rect class=\"h1\""), DRAWINGS);
	assert_int_equal(count(page.s, "<rect class=\"h0\""), DRAWINGS * (3 * 4 - 1));
	assert_int_equal(count(page.s, "<title>rank 2, &lt;step&gt;: 7.00 ms</title>"), DRAWINGS);
	assert_null(strstr(page.s, "<step>"));
	assert_null(strstr(page.s, "<1>"));
	buf_free(&page);
	report_free(&r);
}

/* A cell too small to point at is a piece of a path; one that stands out is not merged away. */
static void test_large_heat(void **state)
{
	struct report r = {0};
	struct buf page;

	(void)state;
	add_heat(&r, 5000);
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	/* The slim drawing has so few columns that they can be pointed at. */
	assert_int_equal(count(page.s, "<path class=\"h1\""), DRAWINGS - 1);
	assert_int_equal(count(page.s, "<rect class=\"tip\""), (DRAWINGS - 1) * 3);
	assert_int_equal(count(page.s, "<rect class=\"h1\""), 1);
	assert_non_null(strstr(page.s, "the most of rank 2, &lt;step&gt;: 7.00 ms"));
	assert_true(page.len < 100000);
	buf_free(&page);
	report_free(&r);
}

static void test_heat_in_a_terminal(void **state)
{
	struct report r = {0};
	struct buf text;

	(void)state;
	add_heat(&r, 100);
	text = present(&r, "text", (struct style){.width = 40});
	assert_string_equal(text.s, "T\n"
				    "rank 0    ·························\n"
				    "rank <1>  ·························\n"
				    "rank 2    ▁························\n"
				    "          <step>             <step>\n"
				    "· < 1 %  ▁ > 1 %\n");
	buf_free(&text);
	report_free(&r);
}

/* Whatever a cell or a row says leads down, to a page, or nowhere. */
static void test_pages_are_ours(void **state)
{
	static const char *const pages[] = {"ranks/rank_0.html", "javascript:alert(1)//.html",
					    "../up.html"};
	static const struct column columns[] = {{.key = "p", .title = "P", .unit = UNIT_PAGE}};
	struct report r = {0};
	struct rows *rows;
	struct buf page;

	(void)state;
	add_heat(&r, 4)->pages = pages;
	rows = REPORT_ROWS(&r, "t", NULL, columns);
	for (size_t i = 0; i < ARRAY_LEN(pages); i++)
		rows_add(rows, cell_text(pages[i]));
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, "<a href=\"ranks/rank_0.html\">"), DRAWINGS + 1);
	assert_null(strstr(page.s, "href=\"javascript"));
	assert_null(strstr(page.s, "href=\"../"));
	buf_free(&page);
	report_free(&r);
}

/* Two that became one of twice their length meet in its middle. */
static void test_ribbons(void **state)
{
	static const struct chart_ribbon ribbons[] = {{{0, 2}, {0, 0}, {1, 0.5F}, 0},
						      {{1, 2}, {0, 0.5F}, {1, 1}, 0}};
	struct report r = {0};
	struct chart *c =
		report_new_chart(&r, CHART_RIBBONS, "T", UNIT_NS, 3, NULL, CHART_RIBBON_VALUES);
	struct buf page;

	(void)state;
	memcpy(c->values, (double[]){0, 100, 200, 100, 0, 929}, 6 * sizeof(double));
	for (size_t i = 0; i < 3; i++)
		c->labels[i] = str_of("<item>");
	c->places[2].row = 1;
	c->ribbons = ribbons;
	c->ribbon_count = 2;
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_null(strstr(page.s, "<item>"));
	assert_int_equal(count(page.s, "<rect class"), 3 * DRAWINGS);
	assert_int_equal(count(page.s, "<path class=\"ribbon even\""), DRAWINGS);
	/* 929 ns are 929 wide, from 1 on: the first ends at half of that, and so the second begins.
	 */
	assert_non_null(
		strstr(page.s, "M 1 52C 1 95 1 95 1 138L 465.5 138C 465.5 95 101 95 101 52z"));
	assert_non_null(strstr(page.s, "M 201 52C 201 95 465.5 95 465.5 138L 930 138"));
	buf_free(&page);
	report_free(&r);
}

static void test_dots_and_bands(void **state)
{
	static const struct chart_band bands[] = {{"<tolerance>", 40, 50, true},
						  {"interval", 45, 60, false}};
	static const struct chart_part rows[] = {{"before", HUE_NEXT}, {"after", HUE_NEXT}};
	struct report r = {0};
	struct chart *c = report_new_chart(&r, CHART_DOTS, "T", UNIT_NS, 2, rows, 2);
	struct buf page;

	(void)state;
	c->labels[0] = c->labels[1] = str_of("<run>");
	memcpy(c->values, (double[]){42, NAN, NAN, 57}, 4 * sizeof(double));
	c->bands = bands;
	c->band_count = 2;
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, "<circle"), 2 * DRAWINGS);
	assert_int_equal(count(page.s, "<rect class=\"band\""), DRAWINGS);
	assert_int_equal(count(page.s, "<line class=\"end\""), 2 * DRAWINGS);
	assert_non_null(strstr(page.s, "&lt;tolerance&gt;: 40 ns to 50 ns"));
	assert_non_null(strstr(page.s, "&lt;run&gt;: 57 ns"));
	buf_free(&page);
	report_free(&r);
}

/* Colours tell the change: the most changed strongest, what hardly changed not at all. */
static void test_changed_tree(void **state)
{
	struct report r = {0};
	struct chart *c = report_new_chart(&r, CHART_ICICLE, "T", UNIT_NS, 3, NULL, 1);
	struct buf page;

	(void)state;
	c->changes = arena_alloc(&r.arena, 3, sizeof(*c->changes));
	for (size_t i = 0; i < 3; i++) {
		c->labels[i] = str_of("range");
		c->parents[i] = CHART_ROOT;
		*chart_item(c, i) = 100;
		c->changes[i] = (double[]){80, -30, 1}[i];
	}
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, "<rect class=\"up s4\""), DRAWINGS);
	assert_int_equal(count(page.s, "<rect class=\"down s2\""), DRAWINGS);
	assert_int_equal(count(page.s, "<rect class=\"even\""), DRAWINGS);
	assert_non_null(strstr(page.s, "range +80 ns"));
	buf_free(&page);
	report_free(&r);
}

static void test_charts_of_odd_values(void **state)
{
	static const double odd[] = {NAN, -7, 0, 1e300, INFINITY, -INFINITY, 1e-300, -1e300, 3};

	(void)state;
	for (int kind = 0; kind < CHART_KINDS; kind++)
		boxes_of((enum chart_kind)kind, odd, ARRAY_LEN(odd));
	/* Those below zero are on the other side. */
	assert_int_equal(boxes_of(CHART_BARS, odd, ARRAY_LEN(odd)), DRAWINGS * ARRAY_LEN(odd));
}

static void test_many_items_are_cut_and_said(void **state)
{
	enum { MANY = 5000 };
	double *values = mem_alloc(MANY, sizeof(*values));
	struct buf page;

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		values[i] = (double)(MANY - i);
	page = page_of_values(CHART_BARS, values, MANY);
	assert_int_equal(count(page.s, "<rect class"), 40 * DRAWINGS);
	assert_non_null(strstr(page.s, "(first 40 of 5,000)"));
	buf_free(&page);
	/* Buckets of time are merged instead: all of them count. */
	assert_int_equal(boxes_of(CHART_SERIES, values, MANY), 400 + 200 + 100);
	/* A histogram has all its classes. */
	assert_int_equal(boxes_of(CHART_HISTOGRAM, values, 200), 200 * HALF_DRAWINGS);
	/* Nodes too narrow to see are left out. */
	assert_in_range(boxes_of(CHART_ICICLE, values, MANY), 1, DRAWINGS * MANY / 2);
	free(values);
}

static void test_stack_says_shares(void **state)
{
	static const struct chart_part parts[] = {{"busy", HUE_COMPUTE}, {"<idle>", HUE_IDLE}};
	struct report r = {0};
	struct chart *c = report_new_chart(&r, CHART_STACK, "T", UNIT_NS, 1, parts, 2);
	struct buf page;

	(void)state;
	c->labels[0] = str_of("GPU 0");
	chart_item(c, 0)[0] = 250e6;
	chart_item(c, 0)[1] = 750e6;
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_non_null(strstr(page.s, "<title>GPU 0 · busy: 250 ms (25.0%)</title>"));
	assert_non_null(strstr(page.s, "<title>GPU 0 · &lt;idle&gt;: 750 ms (75.0%)</title>"));
	assert_non_null(strstr(page.s, "<i class=\"compute\"></i>busy"));
	assert_non_null(strstr(page.s, ">75.0%</text>"));
	buf_free(&page);
	report_free(&r);
}

static void test_many_series_have_lanes(void **state)
{
	struct chart_part parts[70];
	struct report r = {0};
	struct chart *c;
	struct buf page;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		parts[i] = (struct chart_part){"GPU", HUE_NEXT};
	c = report_new_chart(&r, CHART_SERIES, "T", UNIT_PERCENT, 10, parts, ARRAY_LEN(parts));
	c->top = 100;
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, "<path"), 32 * DRAWINGS);
	assert_non_null(strstr(page.s, "(first 32 of 70)"));
	assert_null(strstr(page.s, "legend\""));
	buf_free(&page);
	report_free(&r);
}

/* Each on its own scale, the highest values paler above the means; what is unknown is not drawn. */
static void test_strips_have_scales_of_their_own(void **state)
{
	static const struct chart_part parts[] = {{"busy", HUE_NEXT}, {"clock", HUE_NEXT}};
	static const struct chart_lane lanes[] = {{UNIT_PERCENT, 100}, {UNIT_COUNT, 0}};
	static double peaks[] = {80, NAN, INFINITY, 1900, 50, 1980, NAN, NAN};
	static const double means[] = {20, 1500, 30, 1500, 50, 1500, NAN, NAN};
	struct report r = {0};
	struct chart *c = report_new_chart(&r, CHART_SERIES, "T", UNIT_PERCENT, 4, parts, 2);
	struct buf page;

	(void)state;
	memcpy(c->values, means, sizeof(means));
	c->to = 1e9;
	c->lanes = lanes;
	c->peaks = peaks;
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, "<path class=\"peak"), 2 * DRAWINGS);
	assert_int_equal(count(page.s, "<path class=\"area"), 2 * DRAWINGS);
	assert_non_null(strstr(page.s, ">100%</text>"));
	assert_non_null(strstr(page.s, ">2,000</text>"));
	assert_non_null(strstr(page.s, "busy 20.0%, highest 80.0% \xc2\xb7 clock 1,500<"));
	assert_non_null(strstr(page.s, "busy 50.0% \xc2\xb7 clock 1,500, highest 1,980<"));
	/* The last bucket is nobody's. */
	assert_int_equal(count(page.s, "<path class=\"unknown\""), 2 * DRAWINGS);
	assert_non_null(strstr(page.s, "paler: its highest sample; grey: no sample)"));
	/* From the mean of three buckets, which is one step, down to nothing; "2,000" has room
	 * beside the four. */
	assert_non_null(
		strstr(page.s, "<path class=\"area c1\" d=\"M76 73.5V73.5H709.75V102H76Z\"/>"));
	buf_free(&page);
	report_free(&r);
}

static void test_stacked_series_stand_on_each_other(void **state)
{
	static const struct chart_part parts[] = {{"a", HUE_NEXT}, {"b", HUE_NEXT}};
	struct report r = {0};
	struct chart *c = report_new_chart(&r, CHART_SERIES, "T", UNIT_PERCENT, 2, parts, 2);
	struct buf page;

	(void)state;
	c->to = 2e9;
	c->top = 100;
	c->stacked = true;
	for (size_t i = 0; i < 2; i++) {
		chart_item(c, i)[0] = 50;
		chart_item(c, i)[1] = i ? NAN : 50;
	}
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	/* The drawing is from 14 to 214, 76 to 926: a is its lower half, b its upper left. */
	assert_non_null(strstr(page.s, "c0\" d=\"M76 114V114H501V114H926V214H501V214H76Z"));
	assert_non_null(strstr(page.s, "c1\" d=\"M76 14V14H501V114H926V114H501V114H76Z"));
	buf_free(&page);
	report_free(&r);
}

/* The 7th of 1000 is a hundred times as long: it is cut, says so, and is not averaged away. */
static void test_what_is_cut_says_its_value(void **state)
{
	enum { MANY = 1000 };
	static const struct chart_part parts[] = {{"a", HUE_NEXT}, {"none", HUE_NEXT}};
	struct report r = {0};
	struct chart *c = report_new_chart(&r, CHART_SERIES, "T", UNIT_NS, MANY, parts, 2);
	struct buf page;

	(void)state;
	c->to = MANY;
	c->axis_unit = UNIT_COUNT;
	c->cut = 10e6;
	c->stacked = true;
	for (size_t i = 0; i < MANY; i++)
		chart_item(c, i)[0] = i == 7 ? 1e9 : 10e6;
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, ">1.00 s</text>"), DRAWINGS);
	assert_int_equal(count(page.s, "<line class=\"cut\""), DRAWINGS);
	assert_non_null(strstr(page.s, ">10 ms</text>"));
	assert_non_null(strstr(page.s, "each point is the longest of up to 3<"));
	assert_non_null(strstr(page.s, "each point is the longest of up to 10<"));
	assert_null(strstr(page.s, "</i>none"));
	buf_free(&page);
	report_free(&r);
}

/* Where one round value alone lies between its ends, they are its ticks. */
static void test_axes_have_two_ticks(void **state)
{
	struct buf b = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		const struct axis a = axis_make(UNIT_RATIO, 0.7 * i, 0.7 * i + 37, 0, 100, 3);

		buf_clear(&b);
		axis_add_horizontal(&b, &a, 0, 10);
		assert_in_range(count(b.s, "<text"), 2, 5);
	}
	buf_free(&b);
}

static void test_icicle_children_stay_below_their_parent(void **state)
{
	/* 0 → 1 and 2, which claim twice what it has; 1 → 3 and 4. */
	static const double values[] = {100, 100, 100, 50, 0};
	struct buf page = page_of_values(CHART_ICICLE, values, ARRAY_LEN(values));

	(void)state;
	assert_non_null(strstr(page.s, "x=\"0\" y=\"0\" width=\"960\""));
	assert_non_null(strstr(page.s, "x=\"0\" y=\"24\" width=\"480\""));
	assert_non_null(strstr(page.s, "x=\"480\" y=\"24\" width=\"480\""));
	assert_non_null(strstr(page.s, "x=\"0\" y=\"48\" width=\"240\""));
	assert_non_null(strstr(page.s, "(full width is 100 ns)"));
	buf_free(&page);
}

static void test_too_deep_nodes_are_counted(void **state)
{
	enum { DEEP = CHART_TREE_ROWS + 3 };
	struct report r = {0};
	struct chart *c = report_new_chart(&r, CHART_ICICLE, "T", UNIT_NS, DEEP, NULL, 1);
	struct buf page;

	(void)state;
	for (uint32_t i = 0; i < DEEP; i++) {
		*chart_item(c, i) = 100;
		c->labels[i] = str_of("f");
		c->parents[i] = i ? i - 1 : CHART_ROOT;
	}
	page = present(&r, "html", (struct style){0});
	assert_sound(page.s);
	assert_int_equal(count(page.s, "<rect class"), CHART_TREE_ROWS * DRAWINGS);
	assert_non_null(strstr(page.s, "(full width is 100 ns; not drawn: 3 below row 24)"));
	buf_free(&page);
	report_free(&r);
}

static const struct column columns[] = {
	{.key = "kernel", .title = "Kernel", .unit = UNIT_KERNEL},
	{.key = "total_ns", .title = "Total", .unit = UNIT_NS},
	{.key = "pct", .title = "Share", .unit = UNIT_PERCENT},
	{.key = "host", .title = "Host", .unit = UNIT_NAME, .show = MACHINE_ONLY},
};

static void add_row(struct rows *t, const char *name)
{
	rows_add(t, cell_text(name));
	rows_add(t, cell_int(1234567));
	rows_add(t, cell_real(NAN));
	rows_add(t, cell_text("for machines"));
}

static void test_table(void **state)
{
	struct report r = {0};
	struct rows *t = report_new_rows(&r, "k", "<Kernels>", columns, ARRAY_LEN(columns));
	struct buf page;

	(void)state;
	rows_add(t, cell_str_in_tree(STR_LIT("child"), 2));
	for (int i = 0; i < 3; i++)
		rows_add(t, cell_null());
	add_row(t, "void at::native::add<float, \"x\">(int)");
	page = present(&r, "html", (struct style){0});
	assert_non_null(strstr(page.s, "<h3>&lt;Kernels&gt;</h3>"));
	assert_non_null(strstr(
		page.s,
		"<tr><td title=\"void at::native::add&lt;float, "
		"&quot;x&quot;&gt;(int)\">add&lt;x&gt;</td><td class=\"n\" data-v=\"1234567\">"
		"1.23 ms</td><td class=\"n p\">-</td></tr>"));
	assert_non_null(strstr(page.s, "<tr><td>&emsp;&emsp;child</td><td class=\"n\">-</td>"));
	assert_null(strstr(page.s, "for machines"));
	buf_free(&page);
	report_free(&r);
}

static void test_long_tables_are_cut_and_said(void **state)
{
	struct report r = {0};
	struct rows *t = report_new_rows(&r, "k", NULL, columns, ARRAY_LEN(columns));
	struct buf page;

	(void)state;
	for (int i = 0; i < 501; i++)
		add_row(t, "gemm");
	page = present(&r, "html", (struct style){0});
	assert_int_equal(count(page.s, "<tr><td"), 500);
	assert_non_null(strstr(page.s, "the first 500 of 501 rows"));
	buf_free(&page);
	report_free(&r);
}

static void test_huge_names_are_cut(void **state)
{
	struct report r = {0};
	struct rows *t = report_new_rows(&r, "k", NULL, columns, ARRAY_LEN(columns));
	char *name = mem_zalloc(1000001, 1);
	struct buf page;

	(void)state;
	memset(name, '<', 1000000);
	add_row(t, name);
	page = present(&r, "html", (struct style){0});
	assert_true(page.len < 60000);
	buf_free(&page);
	free(name);
	report_free(&r);
}

static void test_page(void **state)
{
	struct report r = {.command = "kernels", .has_trace = true};
	struct buf page;

	(void)state;
	r.trace.path = "/home/somebody/secret-project/run & 1.sqlite";
	report_heading(&r, "Title, from <here> to there");
	page = present(&r, "html", (struct style){0});
	assert_non_null(strstr(page.s, "<title>kernels · run &amp; 1.sqlite · gpuwhy</title>"));
	assert_null(strstr(page.s, "secret-project"));
	assert_non_null(strstr(page.s, "<h2 id=\"b0\">Title <small>from &lt;here&gt; to there"));
	assert_non_null(strstr(page.s, "<a href=\"#b0\">Title</a>"));
	assert_non_null(strstr(page.s, "default-src 'none'"));
	assert_non_null(strstr(page.s, html_script_sha256));
	assert_non_null(strstr(page.s, html_style_sha256));
	/* Nothing is fetched, and nothing has a style or a handler of its own. */
	assert_null(strstr(page.s, "http:"));
	assert_null(strstr(page.s, "https:"));
	assert_null(strstr(page.s, "url("));
	assert_null(strstr(page.s, "style=\""));
	assert_int_equal(count(page.s, "<script"), 1);
	buf_free(&page);
	report_free(&r);
}

static void test_finding(void **state)
{
	static const struct finding f = {
		.id = "x",
		.severity = SEVERITY_HIGH,
		.title = "<b>waits</b>",
		.recoverable_ns = 544000000,
		.recoverable_pct = 171.2,
		.confidence = CONFIDENCE_LOW,
		.unless = "it & that",
		.advice = {"do \"it\""},
		.advice_count = 1,
	};
	struct report r = {0};
	struct buf page;

	(void)state;
	report_finding(&r, &f);
	page = present(&r, "html", (struct style){0});
	assert_non_null(strstr(page.s, "<article class=\"finding high\" id=\"b0\">"));
	assert_non_null(strstr(
		page.s, "1. &lt;b&gt;waits&lt;/b&gt; <span class=\"owner\">Data</span></h3>"));
	assert_non_null(strstr(page.s, "height=\"8\" width=\"100\"/>"));
	assert_non_null(strstr(page.s, "<b>544\u00a0ms, 171.2\u00a0% of the window</b>"));
	assert_non_null(strstr(page.s, "<li>do &quot;it&quot;</li>"));
	assert_non_null(strstr(page.s, "<b>ignore if:</b> it &amp; that"));
	assert_non_null(strstr(page.s, "<span class=\"badge high\">1 high</span>"));
	buf_free(&page);
	report_free(&r);
}

static const struct finding stall = {
	.id = "host_stall",
	.owner = OWNER_MODEL,
	.title = "waits",
	.recoverable_ns = 60,
	.recoverable_pct = 60,
	.confidence = CONFIDENCE_HIGH,
	.evidence = {{"longest gap", UNIT_NS, {.kind = CELL_INT, .i = 30}, true, 10, 40}},
	.evidence_count = 1,
	.advice = {"run `gpuwhy idle \"t\"`, not `x`"},
	.advice_count = 1,
};

static void add_gaps(struct report *r)
{
	static const struct column columns[] = {{"start_ns", "At", UNIT_TIME_NS, 0, NULL, SHOW}};
	struct rows *rows = REPORT_ROWS(r, "gaps", NULL, columns);

	rows_add(rows, cell_int(10));
}

/* Of an action: who, what, how much of what, and the way to why; of the finding the way to its
 * rows. */
static void test_action(void **state)
{
	struct report r = {.has_window = true, .window_end_ns = 100, .window_steps = 5};
	struct buf page;

	(void)state;
	report_action(&r, &stall);
	report_heading(&r, "Findings");
	report_finding(&r, &stall);
	report_heading(&r, "Gaps");
	r.blocks[r.block_count - 1].detail = true;
	add_gaps(&r);
	assert_string_equal(
		r.blocks[0].text,
		"Model code: run `gpuwhy idle \"t\"`, not `x`: up to 12 ns of 20 ns a step "
		"(60.0 %), confidence high. Why: waits.");
	page = present(&r, "html", (struct style){0});
	assert_non_null(strstr(page.s,
			       "<ol class=\"actions\">\n<li id=\"b0\"><span class=\"owner\">"
			       "Model code</span> run <code class=\"command\">gpuwhy idle "
			       "&quot;t&quot;</code>, not <code>x</code>"));
	assert_non_null(strstr(page.s, "up to 12\u00a0ns of 20\u00a0ns a step (60.0\u00a0%)</b>"));
	assert_non_null(strstr(page.s, "<a class=\"why\" href=\"#b2\">waits</a>"));
	assert_non_null(strstr(page.s, "<a class=\"rows\" href=\"#b4\" data-from=\"10\" "
				       "data-to=\"40\">30\u00a0ns"));
	assert_non_null(strstr(page.s, "<section class=\"detail\">\n<h2 id=\"b3\">"));
	assert_non_null(strstr(page.s, "<p class=\"paper\">"));
	buf_free(&page);
	report_free(&r);
}

/* A chart of two GPUs between a heading and a table. */
static void add_stack(struct report *r)
{
	static const struct chart_part parts[] = {
		{"compute", HUE_COMPUTE}, {"comm", HUE_COMM}, {"idle", HUE_IDLE}};
	struct chart *c;

	report_heading(r, "H");
	c = report_new_chart(r, CHART_STACK, "not said", UNIT_NS, 2, parts, 3);
	c->labels[0] = str_of("GPU 0");
	c->labels[1] = str_of("GPU \033");
	chart_item(c, 0)[0] = 50;
	chart_item(c, 0)[2] = 50;
	chart_item(c, 1)[0] = 100;
	report_new_rows(r, "none", NULL, columns, 1);
}

static void test_stack_in_a_terminal(void **state)
{
	struct report r = {0};
	struct buf text;

	(void)state;
	add_stack(&r);
	text = present(&r, "text", (struct style){.width = 60});
	assert_string_equal(text.s,
			    "H\n"
			    "GPU 0     █████████░░░░░░░░░  █ compute  50.0%  ░ idle 50.0%\n"
			    "GPU \\x1b  ██████████████████  █ compute 100.0%  ░ idle  0.0%\n"
			    "\n"
			    "Kernel\n"
			    "──────\n"
			    "(no rows)\n");
	buf_free(&text);
	report_free(&r);
}

static void assert_no_chart(const struct report *r, const char *format, size_t width,
			    const char *expected)
{
	struct buf text = present(r, format, (struct style){.width = width});

	assert_string_equal(buf_str(&text).s, expected);
	buf_free(&text);
}

static void test_charts_are_left_out(void **state)
{
	struct report r = {0};

	(void)state;
	add_stack(&r);
	assert_no_chart(&r, "text", 0, "H\nKernel\n──────\n(no rows)\n");
	assert_no_chart(&r, "text", 20, "H\nKernel\n──────\n(no rows)\n");
	assert_no_chart(&r, "markdown", 60, "## H\n\n| Kernel |\n| --- |\n\n(no rows)\n");
	assert_no_chart(&r, "csv", 60, "kernel\n");
	report_free(&r);
}

int html_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escaping),
		cmocka_unit_test(test_code_in_prose),
		cmocka_unit_test(test_brief_cuts_before_it_escapes),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_ticks_are_round),
		cmocka_unit_test(test_places_stay_on_the_axis),
		cmocka_unit_test(test_charts_without_values),
		cmocka_unit_test(test_charts_of_zeros),
		cmocka_unit_test(test_charts_of_one_value),
		cmocka_unit_test(test_roofline),
		cmocka_unit_test(test_charts_of_odd_values),
		cmocka_unit_test(test_waterfall),
		cmocka_unit_test(test_columns_are_merged_and_cut),
		cmocka_unit_test(test_heat),
		cmocka_unit_test(test_large_heat),
		cmocka_unit_test(test_heat_in_a_terminal),
		cmocka_unit_test(test_pages_are_ours),
		cmocka_unit_test(test_ribbons),
		cmocka_unit_test(test_dots_and_bands),
		cmocka_unit_test(test_changed_tree),
		cmocka_unit_test(test_many_items_are_cut_and_said),
		cmocka_unit_test(test_stack_says_shares),
		cmocka_unit_test(test_many_series_have_lanes),
		cmocka_unit_test(test_strips_have_scales_of_their_own),
		cmocka_unit_test(test_stacked_series_stand_on_each_other),
		cmocka_unit_test(test_what_is_cut_says_its_value),
		cmocka_unit_test(test_axes_have_two_ticks),
		cmocka_unit_test(test_icicle_children_stay_below_their_parent),
		cmocka_unit_test(test_too_deep_nodes_are_counted),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_long_tables_are_cut_and_said),
		cmocka_unit_test(test_huge_names_are_cut),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_finding),
		cmocka_unit_test(test_action),
		cmocka_unit_test(test_stack_in_a_terminal),
		cmocka_unit_test(test_charts_are_left_out),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
