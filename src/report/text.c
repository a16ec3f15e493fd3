/* How does a report look to a person in a terminal? */
#include "text/text.h"
#include "report/finding.h"
#include "report/presenters.h"
#include "report/text_parts.h"

/* What is narrower than this is not worth fitting to. */
enum { LEAST_WIDTH = 40 };

static void add_fitting(struct buf *b, const struct style *style, struct str safe, size_t indent)
{
	if (style->width > LEAST_WIDTH)
		text_add_wrapped(b, safe, style->width - indent, indent);
	else
		buf_addstr(b, safe);
}

/* Lines between words; a command is there to be copied: it has a line of its own, unbroken. */
static void add_lines(struct buf *b, const struct style *style, struct str safe, size_t indent)
{
	const char *command =
		style->width > LEAST_WIDTH && safe.s ? strstr(safe.s, "nsys profile ") : NULL;
	size_t prose = command ? (size_t)(command - safe.s) : safe.len;
	bool in_brackets = prose && command && command[-1] != ' ';

	if (!command || in_brackets || text_width(safe) <= style->width) {
		add_fitting(b, style, safe, indent);
		return;
	}
	add_fitting(b, style, (struct str){safe.s, prose ? prose - 1 : 0}, indent);
	buf_addf(b, "%s%s", prose ? "\n" : "", command);
}

/* The text begins at column `indent`, and so do its further lines. */
static void add_line(struct buf *b, const struct style *style, const char *code, const char *text,
		     size_t indent)
{
	struct buf safe = {0}, lines = {0};

	text_add_safe(&safe, str_of(text));
	add_lines(&lines, style, buf_str(&safe), indent);
	if (code)
		ansi_add(b, style, code, buf_str(&lines));
	else
		buf_addstr(b, buf_str(&lines));
	buf_addc(b, '\n');
	buf_free(&lines);
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
		add_line(&o->text, style, ANSI_BOLD, block->text, 0);
		break;
	case BLOCK_WARNING:
		ansi_add(&o->text, style, ANSI_YELLOW, STR_LIT("warning: "));
		add_line(&o->text, style, NULL, block->text, strlen("warning: "));
		break;
	case BLOCK_NOTE:
		add_line(&o->text, style, NULL, block->text, 0);
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
