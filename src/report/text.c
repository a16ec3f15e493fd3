/* How does a report look to a person in a terminal? */
#include "text/text.h"
#include "report/finding.h"
#include "report/text_parts.h"

enum { LEAST_WIDTH = 40 /* what is narrower is not worth fitting to */, FINDING_INDENT = 6 };

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

static const char *severity_colour(enum severity s)
{
	return s == SEVERITY_HIGH ? "\033[1;31m" : s == SEVERITY_MEDIUM ? ANSI_YELLOW : ANSI_DIM;
}

/* A line of a finding behind a sign of two columns, broken between words. */
static void add_point(struct buf *b, const struct style *style, const char *sign, const char *text)
{
	struct buf safe = {0};

	text_add_safe(&safe, str_of(text));
	buf_addf(b, "%*s%s", FINDING_INDENT, "", sign);
	add_fitting(b, style, buf_str(&safe), FINDING_INDENT + 2);
	buf_addc(b, '\n');
	buf_free(&safe);
}

/* `cost`: what is no warning takes one line where space is dear. */
static void add_finding_title(struct buf *b, const struct finding *f, size_t number, bool cost,
			      const struct style *style)
{
	const char *severity = severity_name(f->severity);
	struct buf title = {0}, lines = {0};

	buf_addf(b, "%2zu. ", number);
	ansi_add(b, style, severity_colour(f->severity), str_of(severity));
	buf_adds(b, "  ");
	text_add_safe(&title, str_of(f->title));
	if (cost && f->recoverable_ns > 0) {
		buf_adds(&title, ": ");
		finding_add_cost(&title, f);
	}
	add_fitting(&lines, style, buf_str(&title), 4 + strlen(severity) + 2);
	ansi_add(b, style, ANSI_BOLD, buf_str(&lines));
	buf_addc(b, '\n');
	buf_free(&lines);
	buf_free(&title);
}

static void add_evidence(struct buf *b, const struct evidence *v, const struct style *style)
{
	struct buf line = {0};

	buf_addf(&line, "%s: ", v->label);
	evidence_add_value(&line, v);
	add_point(b, style, "· ", line.s);
	buf_free(&line);
}

static void add_unless(struct buf *b, const char *unless, const struct style *style)
{
	struct buf line = {0};

	buf_addf(&line, "ignore if: %s", unless);
	add_point(b, style, "", line.s);
	buf_free(&line);
}

/* `brief`: without evidence and doubts, and with one piece of advice only. */
static void add_finding(struct buf *b, const struct finding *f, size_t number, bool brief,
			const struct style *style)
{
	bool line = brief && !finding_is_warning(f);

	add_finding_title(b, f, number, line, style);
	if (line)
		return;
	if (f->recoverable_ns > 0) {
		buf_addf(b, "%*srecoverable: ", FINDING_INDENT, "");
		finding_add_cost(b, f);
		buf_addf(b, "  [confidence: %s]\n", confidence_name(f->confidence));
	}
	for (size_t i = 0; i < f->evidence_count && !brief; i++)
		add_evidence(b, &f->evidence[i], style);
	for (size_t i = 0; i < f->advice_count && (i == 0 || !brief); i++)
		add_point(b, style, "→ ", f->advice[i]);
	if (f->unless && !brief)
		add_unless(b, f->unless, style);
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
		     struct err *e)
{
	const struct style *style = o->style;
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
		add_finding(&o->text, block->finding, block->number, r->brief, style);
		break;
	case BLOCK_CHART:
		text_add_chart(&o->text, block->chart, style);
		break;
	case BLOCK_TABLE:
		return text_add_table(o, block->table, e);
	}
	return 0;
}

static int add_report(struct out *o, const struct report *r, struct err *e)
{
	const struct block *before = NULL;

	for (size_t i = 0; i < r->block_count; i++) {
		const struct block *block = &r->blocks[i];

		if (!is_shown(block, o->style))
			continue;
		if (before ? wants_blank_line(r, before, block) : r->continues)
			buf_addc(&o->text, '\n');
		if (add_block(o, r, block, e) < 0)
			return -1;
		before = block;
	}
	return 0;
}

const struct presenter presenter_text = {
	.name = "text",
	.extension = ".txt",
	.in_pieces = true,
	.add = add_report,
};
