/* How does a report look to a person in a terminal? */
#include "text/text.h"
#include "report/finding.h"
#include "report/text_parts.h"
#include "text/brief.h"

#include "base/mem.h"
#include "text/units.h"

enum {
	WIDE = 120, /* has room for more than an answer at a glance */
	FINDING_INDENT = 6,
	FINDINGS_BRIEF = 3,
};

/* Words before a command of ours that is the rest of the line. */
static const char *const leads[] = {"Next: ", "Over time: "};

static void add_fitting(struct buf *b, const struct style *style, struct str safe, size_t indent)
{
	if (style->width >= LEAST_WIDTH)
		text_add_wrapped(b, safe, style->width - indent, indent);
	else
		buf_addstr(b, safe);
}

/* Where a command line begins that is the rest of the text; NULL: there is none. */
static const char *find_command(struct str safe)
{
	const char *nsys;

	if (!safe.s)
		return NULL;
	nsys = strstr(safe.s, "nsys profile ");
	if (nsys)
		return nsys == safe.s || nsys[-1] == ' ' ? nsys : NULL;
	for (size_t i = 0; i < ARRAY_LEN(leads); i++) {
		const char *command = safe.s + strlen(leads[i]);

		if (str_starts(safe, leads[i]) &&
		    strncmp(command, "gpuwhy ", strlen("gpuwhy ")) == 0)
			return command;
	}
	return NULL;
}

/* Lines between words; a command is there to be copied: it has a line of its own, unbroken. */
static void add_lines(struct buf *b, const struct style *style, struct str safe, size_t indent)
{
	const char *command = style->width >= LEAST_WIDTH ? find_command(safe) : NULL;
	size_t prose = command ? (size_t)(command - safe.s) : safe.len;

	if (!command || text_width(safe) + indent <= style->width) {
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
	add_lines(b, style, buf_str(&safe), FINDING_INDENT + text_width(str_of(sign)));
	buf_addc(b, '\n');
	buf_free(&safe);
}

static void add_finding_number(struct buf *b, const struct finding *f, size_t number,
			       const struct style *style)
{
	buf_addf(b, "%2zu. ", number);
	ansi_add(b, style, severity_colour(f->severity), str_of(severity_name(f->severity)));
	buf_adds(b, "  ");
}

static void add_finding_title(struct buf *b, const struct finding *f, size_t number,
			      const struct style *style)
{
	struct buf title = {0}, lines = {0};

	add_finding_number(b, f, number, style);
	text_add_safe(&title, str_of(f->title));
	add_fitting(&lines, style, buf_str(&title), 4 + strlen(severity_name(f->severity)) + 2);
	ansi_add(b, style, ANSI_BOLD, buf_str(&lines));
	buf_addc(b, '\n');
	buf_free(&lines);
	buf_free(&title);
}

/* "in `fwd`: no other GPU work overlaps them": what comes after the last name goes first. */
static struct str up_to_name(struct str title, size_t width)
{
	const char *end = title.len ? memrchr(title.s, '`', title.len) : NULL;

	if (!end || text_width(title) <= width || end + 1 == title.s + title.len ||
	    !strchr(":,", end[1]))
		return title;
	return (struct str){title.s, (size_t)(end + 1 - title.s)};
}

/* All of a finding in one line: where it is too long, its cost stays in sight, and the name in it.
 */
static void add_finding_line(struct buf *b, const struct finding *f, size_t number,
			     const struct style *style)
{
	size_t taken = 4 + strlen(severity_name(f->severity)) + 2;
	struct buf title = {0}, cost = {0}, line = {0};

	add_finding_number(b, f, number, style);
	text_add_safe(&title, str_of(f->title));
	if (f->recoverable_ns > 0) {
		buf_adds(&cost, ": ");
		units_add_ns(&cost, (double)f->recoverable_ns);
		buf_adds(&cost, ", ");
		units_add_fixed(&cost, f->recoverable_pct, 1);
		buf_adds(&cost, " %");
	}
	taken += text_width(buf_str(&cost));
	if (style->width >= LEAST_WIDTH && style->width > taken)
		text_add_brief(&line, up_to_name(buf_str(&title), style->width - taken),
			       style->width - taken);
	else
		buf_addstr(&line, buf_str(&title));
	buf_addstr(&line, buf_str(&cost));
	ansi_add(b, style, finding_is_warning(f) ? ANSI_BOLD : ANSI_DIM, buf_str(&line));
	buf_addc(b, '\n');
	buf_free(&line);
	buf_free(&cost);
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

/* Its confidence is beside it, or below it. */
static void add_recoverable(struct buf *b, const struct finding *f, const struct style *style)
{
	struct buf line = {0}, sure = {0};

	buf_adds(&line, "recoverable: ");
	finding_add_cost(&line, f);
	buf_addf(&sure, "[confidence: %s]", confidence_name(f->confidence));
	if (style->width < LEAST_WIDTH ||
	    FINDING_INDENT + text_width(buf_str(&line)) + 2 + sure.len <= style->width) {
		buf_addf(b, "%*s%s  %s\n", FINDING_INDENT, "", line.s, sure.s);
	} else {
		add_point(b, style, "", line.s);
		add_point(b, style, "", sure.s);
	}
	buf_free(&line);
	buf_free(&sure);
}

/* `brief`: without evidence and doubts, and with one piece of advice only. */
static void add_finding(struct buf *b, const struct finding *f, size_t number, bool brief,
			const struct style *style)
{
	if (brief && (number > 1 || !(finding_is_warning(f) || f->leads))) {
		add_finding_line(b, f, number, style);
		return;
	}
	add_finding_title(b, f, number, style);
	if (f->recoverable_ns > 0)
		add_recoverable(b, f, style);
	for (size_t i = 0; i < f->evidence_count && !brief; i++)
		add_evidence(b, &f->evidence[i], style);
	for (size_t i = 0; i < f->advice_count && (i == 0 || !brief); i++)
		add_point(b, style, "→ ", f->advice[i]);
	if (f->unless && !brief)
		add_unless(b, f->unless, style);
}

static bool has_air_around(enum block_kind kind)
{
	return kind == BLOCK_TABLE || kind == BLOCK_FINDING || kind == BLOCK_CHART;
}

/* Air around tables and above headings; what belongs to a heading follows it closely. */
static bool wants_blank_line(const struct out *o, const struct report *r,
			     const struct block *before, const struct block *block)
{
	if (o->dense)
		return !o->airless && block->kind == BLOCK_TABLE && !block->table->facts;
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
		ansi_add(&o->text, style, ANSI_YELLOW, STR_LIT(WARNING_WORD));
		add_line(&o->text, style, NULL, block->text, strlen(WARNING_WORD));
		break;
	case BLOCK_NOTE:
	case BLOCK_LEAD:
		add_line(&o->text, style, NULL, block->text, 0);
		break;
	case BLOCK_FINDING:
		if (!r->findings_are_told)
			add_finding(&o->text, block->finding, block->number, r->brief, style);
		break;
	case BLOCK_ACTION:
		buf_addf(&o->text, "%zu. ", block->number);
		add_line(&o->text, style, NULL, block->text, 3);
		break;
	case BLOCK_CHART:
		text_add_chart(&o->text, block->chart, style);
		break;
	case BLOCK_TABLE:
		return text_add_table(o, block->table, e);
	}
	return 0;
}

/* Columns of a line with the escape sequences of its colours. */
static size_t columns_of(struct str line)
{
	SCOPED_BUF shown = {0};

	for (size_t i = 0; i < line.len; i++) {
		if (line.s[i] == '\033')
			while (i < line.len && line.s[i] != 'm')
				i++;
		else
			buf_addc(&shown, line.s[i]);
	}
	return text_width(buf_str(&shown));
}

/* As a terminal shows them: a command is one line, which may be wider than that. */
static size_t count_rows(const struct buf *text, const struct style *style)
{
	const size_t width = style->width ? style->width : SIZE_MAX / 2;
	size_t rows = 0;

	for (size_t at = 0; at < text->len;) {
		const char *end = memchr(text->s + at, '\n', text->len - at);
		const size_t len = end ? (size_t)(end - text->s) - at : text->len - at;
		const size_t columns = columns_of((struct str){text->s + at, len});

		rows += columns > width ? (columns + width - 1) / width : 1;
		at += len + 1;
	}
	return rows;
}

/* What comes behind the last finding, with the empty row above it and that of the prompt. */
static size_t rows_below_findings(const struct out *o, const struct report *r)
{
	struct out below = {.style = o->style};
	struct err ignored = {0};
	size_t i = r->block_count, rows;

	while (i && r->blocks[i - 1].kind != BLOCK_FINDING)
		i--;
	for (; i < r->block_count; i++)
		add_block(&below, r, &r->blocks[i], &ignored);
	rows = count_rows(&below.text, o->style) + 2;
	buf_free(&below.text);
	return rows;
}

/* A line for a lesser finding is not worth what it would push off the screen. */
static bool has_row_left(const struct out *o, const struct report *r)
{
	if (!o->style->width || o->style->width >= WIDE || r->continues)
		return true;
	return count_rows(&o->text, o->style) + rows_below_findings(o, r) < style_rows(o->style);
}

/* What to look at besides: the last of an answer at a glance, where there is room for it. */
static bool is_besides(const struct report *r, const struct block *block)
{
	return r->brief && block == &r->blocks[r->block_count - 1] && block->kind == BLOCK_NOTE &&
	       str_starts(str_of(block->text), leads[1]);
}

static bool fits_below(const struct out *o, const struct report *r, const struct block *block)
{
	struct out below = {.style = o->style};
	struct err ignored = {0};
	size_t rows;

	/* Narrower than usual, nothing has room: it is scrolled anyway. */
	if (!o->style->rows || o->style->width < USUAL_WIDTH || o->style->width >= WIDE ||
	    r->continues)
		return true;
	add_block(&below, r, block, &ignored);
	rows = count_rows(&o->text, o->style) + count_rows(&below.text, o->style);
	buf_free(&below.text);
	return rows < style_rows(o->style);
}

/* At a glance: on a terminal of the usual size all of it is in sight. */
static bool is_shown(const struct out *o, const struct report *r, const struct block *block)
{
	const struct style *style = o->style;

	if (block->kind == BLOCK_CHART)
		return text_shows_chart(block->chart, style);
	if (block->kind == BLOCK_TABLE && r->brief)
		return r->has_room || !style->width || style->width >= WIDE;
	if (block->kind == BLOCK_FINDING && r->brief && block->number > 1)
		return block->number <= FINDINGS_BRIEF && has_row_left(o, r);
	if (is_besides(r, block))
		return fits_below(o, r, block);
	return true;
}

int text_add_blocks(struct out *o, const struct report *r, struct err *e)
{
	const struct block *before = NULL;

	for (size_t i = 0; i < r->block_count; i++) {
		const struct block *block = &r->blocks[i];

		if (!is_shown(o, r, block))
			continue;
		if (before ? wants_blank_line(o, r, before, block) : r->continues)
			buf_addc(&o->text, '\n');
		if (add_block(o, r, block, e) < 0)
			return -1;
		before = block;
	}
	return 0;
}

static int add_report(struct out *o, const struct report *r, struct err *e)
{
	return r->fits_screen ? text_add_fitting(o, r, e) : text_add_blocks(o, r, e);
}

const struct presenter presenter_text = {
	.name = "text",
	.extension = ".txt",
	.for_people = true,
	.in_pieces = true,
	.add = add_report,
};
