/* How does a guide look in a terminal? */
#include "guides/guide.h"

#include "guides/guide_inline.h"
#include "guides/guide_lines.h"
#include "guides/guide_table.h"
#include "text/text.h"

enum { COLUMNS = 80, CODE_INDENT = 4, ITEM_INDENT = 2 };

struct page {
	struct buf *out;
	struct buf paragraph; /* its lines so far, joined */
	size_t indent;	      /* of its lines but the first */
	struct str rows;      /* of a table, so far */
	bool gap;	      /* something is to be set apart from what is there */
};

/* One blank line at most, wherever the source has how many. */
static void begin_block(struct page *p)
{
	if (p->gap)
		buf_addc(p->out, '\n');
	p->gap = false;
}

static void end_block(struct page *p)
{
	if (p->paragraph.len) {
		begin_block(p);
		text_add_wrapped(p->out, buf_str(&p->paragraph), COLUMNS - p->indent, p->indent);
		buf_addc(p->out, '\n');
		buf_clear(&p->paragraph);
	}
	if (p->rows.len) {
		begin_block(p);
		guide_add_table(p->out, p->rows, COLUMNS);
		p->rows = (struct str){0};
	}
}

static void add_heading(struct page *p, struct str text, const char *below)
{
	begin_block(p);
	buf_addstr(p->out, text);
	buf_addc(p->out, '\n');
	for (size_t i = 0; i < text_width(text); i++)
		buf_adds(p->out, below);
	buf_addc(p->out, '\n');
}

static void add_code(struct page *p, struct str text)
{
	begin_block(p);
	buf_addf(p->out, "%*s%.*s\n", text.len ? CODE_INDENT : 0, "", STR_FMT(text));
}

static void begin_item(struct page *p, struct str text)
{
	buf_adds(&p->paragraph, "- ");
	p->indent = ITEM_INDENT;
	guide_add_inline(&p->paragraph, text);
}

static void add_words(struct page *p, struct str text)
{
	if (p->paragraph.len)
		buf_addc(&p->paragraph, ' ');
	else
		p->indent = 0;
	guide_add_inline(&p->paragraph, text);
}

static void add_line(struct page *p, const struct guide_line *line, struct str rest)
{
	if (line->kind == LINE_ROW && p->rows.len) {
		p->rows.len = (size_t)(rest.s - p->rows.s);
		return;
	}
	if (line->kind != LINE_TEXT || p->rows.len)
		end_block(p);
	switch (line->kind) {
	case LINE_BLANK:
		p->gap = true;
		break;
	case LINE_HEADING:
		add_heading(p, line->text, "─");
		break;
	case LINE_CODE:
		add_code(p, line->text);
		break;
	case LINE_ROW:
		p->rows = (struct str){line->text.s, (size_t)(rest.s - line->text.s)};
		break;
	case LINE_ITEM:
		begin_item(p, line->text);
		break;
	case LINE_TEXT:
		add_words(p, line->text);
		break;
	}
}

void guide_add_text(struct buf *b, const struct guide *g)
{
	struct guide_lines lines = {.rest = str_of(g->text)};
	struct page p = {.out = b};
	struct guide_line line;

	add_heading(&p, str_of(g->title), "═");
	p.gap = true;
	while (guide_next_line(&lines, &line))
		add_line(&p, &line, lines.rest);
	end_block(&p);
	buf_free(&p.paragraph);
}
