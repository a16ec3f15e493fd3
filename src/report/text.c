/* How does a report look to a person in a terminal? */
#include "base/text.h"
#include "report/ansi.h"
#include "report/finding_text.h"
#include "report/presenters.h"
#include "report/text_chart.h"
#include "report/text_table.h"

static void add_line(struct buf *b, const struct style *style, const char *code, const char *text)
{
	struct buf safe = {0};

	text_add_safe(&safe, str_of(text));
	if (code)
		ansi_add(b, style, code, buf_str(&safe));
	else
		buf_addstr(b, buf_str(&safe));
	buf_addc(b, '\n');
	buf_free(&safe);
}

static bool is_shown(const struct block *block, const struct style *style)
{
	return block->kind != BLOCK_CHART || text_shows_chart(block->chart, style);
}

static bool has_air_around(enum block_kind kind)
{
	return kind == BLOCK_TABLE || kind == BLOCK_FINDING || kind == BLOCK_CHART;
}

/* Air around tables and above headings; what belongs to a heading follows it closely. */
static bool wants_blank_line(const struct report *r, const struct block *before,
			     const struct block *block)
{
	if (r->brief && before->kind == BLOCK_FINDING && block->kind == BLOCK_FINDING)
		return false;
	if (block->kind == BLOCK_HEADING || has_air_around(before->kind))
		return true;
	return (block->kind == BLOCK_TABLE || block->kind == BLOCK_CHART) &&
	       before->kind != BLOCK_HEADING;
}

static int add_block(struct out *o, const struct report *r, const struct block *block,
		     const struct style *style, struct err *e)
{
	switch (block->kind) {
	case BLOCK_HEADING:
		add_line(&o->text, style, ANSI_BOLD, block->text);
		break;
	case BLOCK_WARNING:
		ansi_add(&o->text, style, ANSI_YELLOW, STR_LIT("warning: "));
		add_line(&o->text, style, NULL, block->text);
		break;
	case BLOCK_NOTE:
		add_line(&o->text, style, NULL, block->text);
		break;
	case BLOCK_FINDING:
		finding_add_text(&o->text, block->finding, block->number, r->brief, style);
		break;
	case BLOCK_CHART:
		text_add_chart(&o->text, block->chart, style);
		break;
	case BLOCK_TABLE:
		return text_add_table(o, block->table, style, e);
	}
	return 0;
}

static int present(const struct report *r, const struct style *style, struct sink *sink,
		   struct err *e)
{
	const struct block *before = NULL;
	struct out o = {.sink = sink};
	int status = 0;

	for (size_t i = 0; i < r->block_count && status == 0; i++) {
		const struct block *block = &r->blocks[i];

		if (!is_shown(block, style))
			continue;
		if (before ? wants_blank_line(r, before, block) : r->continues)
			buf_addc(&o.text, '\n');
		status = add_block(&o, r, block, style, e);
		before = block;
	}
	return out_close(&o, status, e);
}

const struct presenter presenter_text = {
	.name = "text",
	.extension = ".txt",
	.in_pieces = true,
	.report = present,
};
