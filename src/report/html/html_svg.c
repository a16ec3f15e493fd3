/* How is a shape written down? */
#include "report/html/html_svg.h"

#include "report/html/html_text.h"
#include "text/text.h"

static void add_attribute(struct buf *b, const char *name, double value)
{
	buf_addc(b, ' ');
	buf_adds(b, name);
	buf_adds(b, "=\"");
	html_add_number(b, value);
	buf_addc(b, '"');
}

void svg_begin(struct buf *b, const char *title, double width, double height)
{
	buf_adds(b, "<svg viewBox=\"0 0 ");
	html_add_number(b, width);
	buf_addc(b, ' ');
	html_add_number(b, height);
	buf_adds(b, "\" role=\"img\" aria-label=\"");
	html_add_text(b, str_of(title));
	buf_adds(b, "\">\n");
}

void svg_end(struct buf *b)
{
	buf_adds(b, "</svg>\n");
}

static void add_tip(struct buf *b, struct str tip)
{
	buf_adds(b, "<title>");
	html_add_brief(b, tip, 400);
	buf_adds(b, "</title>");
}

void svg_box(struct buf *b, const char *class, double x, double y, double width, double height,
	     struct str tip)
{
	buf_addf(b, "<rect class=\"%s\"", class);
	add_attribute(b, "x", x);
	add_attribute(b, "y", y);
	add_attribute(b, "width", width);
	add_attribute(b, "height", height);
	buf_addc(b, '>');
	add_tip(b, tip);
	buf_adds(b, "</rect>\n");
}

void svg_line(struct buf *b, const char *class, double x1, double y1, double x2, double y2)
{
	buf_addf(b, "<line class=\"%s\"", class);
	add_attribute(b, "x1", x1);
	add_attribute(b, "y1", y1);
	add_attribute(b, "x2", x2);
	add_attribute(b, "y2", y2);
	buf_adds(b, "/>\n");
}

static void begin_text(struct buf *b, const char *anchor, double x, double y)
{
	buf_adds(b, "<text");
	if (strcmp(anchor, "start") != 0)
		buf_addf(b, " text-anchor=\"%s\"", anchor);
	add_attribute(b, "x", x);
	add_attribute(b, "y", y);
	buf_addc(b, '>');
}

void svg_text(struct buf *b, const char *anchor, double x, double y, struct str text)
{
	begin_text(b, anchor, x, y);
	html_add_escaped(b, text);
	buf_adds(b, "</text>\n");
}

void svg_label(struct buf *b, const char *anchor, double x, double y, double width, struct str text)
{
	size_t columns = width > SVG_CHAR ? (size_t)(width / SVG_CHAR) : 1;

	begin_text(b, anchor, x, y);
	html_add_brief(b, text, columns);
	if (text_width(text) > columns)
		add_tip(b, text);
	buf_adds(b, "</text>\n");
}
