/* How does a page show what went on around a place? */
#include "report/html/html_strip.h"

#include "base/mem.h"
#include "report/html/html_page.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "report/kernel_name.h"
#include "text/shell_words.h"
#include "text/text.h"
#include "text/units.h"

#include <inttypes.h>
#include <math.h>

/*
 * Heights are in pixels and widths in percent: whatever the width of the page, text stays as high
 * as it is, and is cut where its event ends. Busy cells are a picture within, which is stretched.
 */
enum {
	ROW = 18,
	MARK = 20,
	SCALE = 18,
	FULL = 8 /* eighths */,
	TICKS = 7,
	NAME_WIDTH = 40,
	TIP_WIDTH = 80
};

/* Classes of page.css, and what a legend calls them. */
static const struct look {
	const char *class, *name;
} looks[STRIP_CLASSES] = {
	[STRIP_COMPUTE] = {"compute", "compute"},
	[STRIP_COMM] = {"comm", "communication"},
	[STRIP_COPY] = {"copy", "copy or memset"},
	[STRIP_LAUNCH] = {"c2", "launch"},
	[STRIP_WAIT] = {"c1", "wait"},
	[STRIP_MEMORY] = {"c6", "memory call"},
	[STRIP_CODE] = {"c11", "module loading"},
	[STRIP_OTHER] = {"c7", "other call"},
};
static const char *const tints[STRIP_TINTS] = {"t0", "t1", "t2", "t3", "t4", "t5"};

static const char *look_of(const struct strip_row *row, unsigned class)
{
	return row->kind == STRIP_RANGES ? tints[class % STRIP_TINTS]
					 : looks[class % STRIP_CLASSES].class;
}

/* Where a moment is in the window, in percent of its width. */
static double at_percent(const struct strip *s, int64_t at_ns)
{
	const double length = (double)s->window.end_ns - (double)s->window.start_ns;
	const double at = ((double)at_ns - (double)s->window.start_ns) / length;

	return 100 * fmax(0, fmin(1, at));
}

static void add_percent(struct buf *b, const char *name, double percent)
{
	buf_addf(b, " %s=\"", name);
	html_add_number(b, percent);
	buf_adds(b, "%\"");
}

/* From x on, of a width, over the whole height of what it is in. */
static void add_extent(struct buf *b, const struct strip *s, struct span time)
{
	const double from = at_percent(s, time.start_ns);

	add_percent(b, "x", from);
	add_percent(b, "width", at_percent(s, time.end_ns) - from);
}

static void add_place(struct buf *b, const struct strip *s, const char *class, int y, int height)
{
	buf_addf(b, "<rect class=\"%s\"", class);
	add_extent(b, s, s->place);
	buf_addf(b, " y=\"%d\" height=\"%d\"/>", y, height);
}

/* Cells that look alike are one step of the outline. */
static void add_outline(struct buf *b, const struct strip_row *row, unsigned class)
{
	for (size_t i = 0, next; i < STRIP_CELLS; i = next) {
		const struct strip_cell c = row->cells[i];

		next = i + 1;
		if (!c.eighths || c.class != class)
			continue;
		while (next < STRIP_CELLS && row->cells[next].eighths == c.eighths &&
		       row->cells[next].class == class)
			next++;
		buf_addf(b, "M%zu %dV%dh%zuV%d", i, FULL, FULL - c.eighths, next - i, FULL);
	}
}

static bool has_class(const struct strip_row *row, unsigned class)
{
	for (size_t i = 0; i < STRIP_CELLS; i++) {
		if (row->cells[i].eighths && row->cells[i].class == class)
			return true;
	}
	return false;
}

static void add_cells(struct buf *b, const struct strip_row *row)
{
	buf_addf(b,
		 "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" y=\"2\" height=\"%d\">",
		 STRIP_CELLS, FULL, ROW - 2);
	for (unsigned class = 0; class < STRIP_CLASSES; class ++) {
		if (!has_class(row, class))
			continue;
		buf_addf(b, "<path class=\"%s\" d=\"", look_of(row, class));
		add_outline(b, row, class);
		buf_adds(b, "\"/>");
	}
	buf_adds(b, "</svg>");
}

/* As people call it, for who points at it the whole, and as much of it as a line holds: a browser
 * shows what its event has room for, which it alone knows. */
static void add_name(struct buf *b, const struct strip_row *row, struct str name)
{
	SCOPED_BUF brief = {0};
	SCOPED_BUF safe = {0};
	SCOPED_BUF start = {0};

	if (row->kind != STRIP_STREAM)
		buf_addstr(&brief, name);
	else if (!copy_name_add_short(&brief, name))
		kernel_name_add_short(&brief, name);
	text_add_safe(&safe, buf_str(&brief));
	text_add_start(&start, buf_str(&safe), NAME_WIDTH);
	buf_adds(b, " title=\"");
	html_add_brief(b, buf_str(&safe), TIP_WIDTH);
	buf_adds(b, "\">");
	html_add_escaped(b, buf_str(&start));
}

static void add_events(struct buf *b, const struct strip *s, const struct strip_row *row)
{
	for (size_t i = 0; i < row->event_count; i++) {
		buf_adds(b, "<svg");
		add_extent(b, s, row->events[i].time);
		buf_addf(b,
			 "><line class=\"begin\" y1=\"2\" y2=\"%d\"/>"
			 "<foreignObject width=\"100%%\" height=\"%d\"><div%s",
			 ROW, ROW, row->kind == STRIP_RANGES ? " class=\"range\"" : "");
		add_name(b, row, row->events[i].name);
		buf_adds(b, "</div></foreignObject></svg>");
	}
}

/* "GPU 0: busy for 5.31 ms of 12.3 ms (43.2%)" */
static void add_busy(struct buf *b, const struct strip *s, const struct strip_row *row)
{
	const double length = (double)s->window.end_ns - (double)s->window.start_ns;

	text_add_safe(b, str_of(*row->label ? row->label : "ranges within"));
	buf_adds(b, ": busy for ");
	units_add_ns(b, (double)row->busy_ns);
	buf_adds(b, " of ");
	units_add_ns(b, length);
	buf_adds(b, " (");
	units_add_fixed(b, 100 * (double)row->busy_ns / length, 1);
	buf_adds(b, "%)");
}

static void add_row(struct buf *b, const struct strip *s, const struct strip_row *row)
{
	SCOPED_BUF busy = {0};

	add_busy(&busy, s, row);
	html_add_between(b, "<span>", row->label, "</span>");
	buf_addf(b, "<svg class=\"row\" height=\"%d\" data-v=\"%" PRId64 "\">", ROW, row->busy_ns);
	add_place(b, s, "place", 0, ROW);
	add_cells(b, row);
	buf_addf(b, "<rect class=\"over\" width=\"100%%\" height=\"%d\">", ROW);
	svg_tip(b, buf_str(&busy));
	buf_adds(b, "</rect>");
	add_events(b, s, row);
	buf_adds(b, "</svg>\n");
}

/* Text at a place of the width that stays within it; `class` may be NULL. */
static void add_text_at(struct buf *b, const char *class, double percent, int y, struct str text)
{
	const char *anchor = percent < 6 ? "start" : percent > 94 ? "end" : "middle";

	buf_addf(b, "<text text-anchor=\"%s\" y=\"%d\"", anchor, y);
	if (class)
		buf_addf(b, " class=\"%s\"", class);
	add_percent(b, "x", percent);
	buf_addc(b, '>');
	html_add_escaped(b, text);
	buf_adds(b, "</text>");
}

/* Above the rows: the place, and how long it is. */
static void add_mark(struct buf *b, const struct strip *s)
{
	const double from = at_percent(s, s->place.start_ns), to = at_percent(s, s->place.end_ns);
	SCOPED_BUF text = {0};

	units_add_ns(&text, (double)span_ns(s->place));
	buf_addf(b, "<span></span><svg class=\"row\" height=\"%d\">", MARK);
	add_place(b, s, "place", MARK - 4, 4);
	add_place(b, s, "mark", MARK - 5, 3);
	add_text_at(b, NULL, (from + to) / 2, MARK - 8, buf_str(&text));
	buf_adds(b, "</svg>\n");
}

/* Below them: times from where the place begins. */
static void add_scale(struct buf *b, const struct strip *s)
{
	const double zero = (double)s->place.start_ns;
	const struct axis a = axis_make(UNIT_NS, (double)s->window.start_ns - zero,
					(double)s->window.end_ns - zero, 0, 100, TICKS);
	double value = ceil(a.from / a.step - 1e-9) * a.step;

	buf_addf(b, "<span></span><svg class=\"row\" height=\"%d\">", SCALE);
	for (int i = 0; i < 2 * TICKS && value <= a.to; i++, value += a.step) {
		const double at = axis_at(&a, value);
		/* On a phone there is room for every other one, with the 0. */
		const bool odd = fmod(fabs(round(value / a.step)), 2) != 0;
		SCOPED_BUF text = {0};

		axis_add_value(&text, UNIT_NS, fabs(value) < a.step / 2 ? 0 : value);
		buf_adds(b, "<line class=\"tick\" y2=\"4\"");
		add_percent(b, "x1", at);
		add_percent(b, "x2", at);
		buf_adds(b, "/>");
		add_text_at(b, odd ? "odd" : NULL, at, SCALE - 3, buf_str(&text));
	}
	buf_adds(b, "</svg>\n");
}

/* In words, for who does not see it. */
static void add_label(struct buf *b, const struct strip *s)
{
	SCOPED_BUF label = {0};

	buf_adds(&label, "Timeline around the place. ");
	for (size_t i = 0; i < s->row_count; i++) {
		buf_adds(&label, i ? "; " : "");
		add_busy(&label, s, &s->rows[i]);
	}
	buf_adds(b, "<div class=\"rows\" role=\"img\" aria-label=\"");
	html_add_escaped(b, buf_str(&label));
	buf_adds(b, "\">\n");
}

static void add_legend(struct buf *b, const struct strip *s)
{
	buf_adds(b, "<ul class=\"legend\">");
	for (unsigned class = 0; class < STRIP_CLASSES; class ++) {
		bool shown = false;

		for (size_t i = 0; i < s->row_count; i++)
			shown |= s->rows[i].kind != STRIP_RANGES && has_class(&s->rows[i], class);
		if (shown)
			buf_addf(b, "<li><i class=\"%s\"></i>%s</li>", looks[class].class,
				 looks[class].name);
	}
	buf_adds(b, "</ul>\n");
}

static void add_words(struct buf *b, const struct strip *s)
{
	SCOPED_BUF when = {0};

	units_add_ns(&when, (double)span_ns(s->place));
	buf_adds(&when, " at ");
	units_add_time(&when, s->place.start_ns);
	if (s->thread)
		buf_adds(&when, ", with the launching thread: ");
	buf_adds(b, "<p class=\"remark\"><b>longest place:</b> ");
	html_add_figures(b, buf_str(&when));
	if (s->thread)
		html_add_text(b, str_of(s->thread));
	if (s->place.end_ns > s->window.end_ns)
		buf_adds(b, " (only its beginning is drawn)");
	buf_adds(b, "</p>\n");
}

static void add_command(struct buf *b, const struct report *r, const struct strip *s)
{
	SCOPED_BUF word = {0};

	if (!r->has_trace || !r->trace.path)
		return;
	word_add_quoted(&word, html_file_name(r->trace.path));
	buf_adds(b, "<p class=\"remark\"><b>open in gpuwhy web:</b> <code class=\"command\">");
	html_add_between(b, "gpuwhy web ", word.s, "");
	buf_addf(b, " --at 'w=%" PRId64 ",%" PRId64 "'</code></p>\n", s->window.start_ns,
		 s->window.end_ns);
}

void html_add_strip(struct buf *b, const struct report *r, const struct strip *s)
{
	buf_adds(b, "<div class=\"strip\">\n");
	add_words(b, s);
	add_label(b, s);
	add_mark(b, s);
	for (size_t i = 0; i < s->row_count; i++)
		add_row(b, s, &s->rows[i]);
	add_scale(b, s);
	buf_adds(b, "</div>\n");
	add_legend(b, s);
	add_command(b, r, s);
	buf_adds(b, "</div>\n");
}
