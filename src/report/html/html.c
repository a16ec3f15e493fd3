/* How does a report look as a page that one can send to somebody? */
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_finding.h"
#include "report/html/html_page.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/out.h"
#include "report/presenters.h"

/* The title, and smaller what is said about it. */
static void add_heading(struct buf *b, const char *text, const char *id)
{
	struct str title = html_heading_title(text);

	buf_addf(b, "<h2 id=\"%s\">", id);
	html_add_text(b, title);
	if (text[title.len]) {
		buf_adds(b, " <small>");
		html_add_text(b, str_of(text + title.len + 2));
		buf_adds(b, "</small>");
	}
	buf_adds(b, "</h2>\n");
}

static void add_paragraph(struct buf *b, const char *class, const char *text)
{
	buf_addf(b, "<p class=\"%s\">", class);
	html_add_prose(b, text);
	buf_adds(b, "</p>\n");
}

static int add_block(struct out *o, const struct block *block, const char *id, struct err *e)
{
	switch (block->kind) {
	case BLOCK_HEADING:
		add_heading(&o->text, block->text, id);
		break;
	case BLOCK_NOTE:
		add_paragraph(&o->text, "note", block->text);
		break;
	case BLOCK_WARNING:
		add_paragraph(&o->text, "warning", block->text);
		break;
	case BLOCK_FINDING:
		html_add_finding(&o->text, block->finding, block->number, id);
		break;
	case BLOCK_CHART:
		html_add_chart(&o->text, block->chart, id);
		break;
	case BLOCK_TABLE:
		return html_add_table(o, block->table, id, e);
	}
	return 0;
}

static bool is_chart(const struct report *r, size_t i)
{
	return i < r->block_count && r->blocks[i].kind == BLOCK_CHART;
}

/* Charts that follow each other may stand side by side. */
static int add_blocks(struct out *o, const struct report *r, struct err *e)
{
	for (size_t i = 0; i < r->block_count; i++) {
		struct block_id id = html_block_id(i);

		if (is_chart(r, i) && (i == 0 || !is_chart(r, i - 1)))
			buf_adds(&o->text, "<div class=\"charts\">\n");
		if (add_block(o, &r->blocks[i], id.text, e) < 0 || out_poll(o, e) < 0)
			return -1;
		if (is_chart(r, i) && !is_chart(r, i + 1))
			buf_adds(&o->text, "</div>\n");
	}
	return 0;
}

static int present(const struct report *r, const struct style *style, struct sink *sink,
		   struct err *e)
{
	struct out o = {.sink = sink};
	int status;

	(void)style;
	html_add_page_begin(&o.text, r);
	status = add_blocks(&o, r, e);
	html_add_page_end(&o.text);
	return out_close(&o, status, e);
}

const struct presenter presenter_html = {
	.name = "html",
	.extension = ".html",
	.report = present,
};
