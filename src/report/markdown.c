/* How does a report look on a page of GitHub's? What comes from a trace must not become markup. */
#include "report/cell_text.h"
#include "report/elisions.h"
#include "report/finding.h"
#include "report/present.h"
#include "text/text.h"
#include "text/units.h"

#include <ctype.h>

enum {
	CELL_COLUMNS = 100, /* of text in a comment */
	LINE_COLUMNS = 500,
	END_BYTES = 4096, /* of a comment, for what ends it */
};

static bool follows(struct str s, size_t i, const char *what)
{
	const size_t len = strlen(what);

	return i + len <= s.len && memcmp(s.s + i, what, len) == 0;
}

/*
 * GitHub looks for people, issues and addresses in the text itself, whatever is escaped: a space of
 * no width keeps it from seeing any.
 */
static bool is_reference(struct str s, size_t i)
{
	return s.s[i] == '@' || follows(s, i, "://") ||
	       (s.s[i] == '#' && i + 1 < s.len && isdigit((unsigned char)s.s[i + 1])) ||
	       (s.s[i] == 'w' && i >= 2 && follows(s, i - 2, "www."));
}

static void add_escaped(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.s[i] == '<')
			buf_adds(b, "&lt;");
		else if (s.s[i] == '>')
			buf_adds(b, "&gt;");
		else if (s.s[i] == '&')
			buf_adds(b, "&amp;");
		else if (s.s[i] && strchr("\\`*_[]|~$#", s.s[i]))
			buf_addf(b, "\\%c", s.s[i]);
		else
			buf_addc(b, s.s[i]);
		if (is_reference(s, i))
			buf_adds(b, "&#8203;");
	}
}

static bool is_inside(struct str s, size_t at)
{
	return at < s.len && ((unsigned char)s.s[at] & 0xc0) == 0x80;
}

/* The first and the last of so many bytes, whole characters. */
static void add_ends(struct buf *b, struct str s, size_t bytes)
{
	size_t begin = s.len - bytes / 2, end = bytes / 2;

	while (is_inside(s, begin))
		begin++;
	while (is_inside(s, end))
		end--;
	buf_add(b, s.s, end);
	buf_adds(b, "…");
	buf_add(b, s.s + begin, s.len - begin);
}

/* How long texts of a comment may be: what is cut stays different from what else is. */
struct brevity {
	size_t columns; /* 0: they are whole */
	struct elisions cut;
};

/* Safe text. Some characters have no width: bytes count, too. */
static void add_cut(struct buf *b, struct str safe, struct brevity *brevity)
{
	SCOPED_BUF cut = {0};

	if (!brevity->columns) {
		buf_addstr(b, safe);
		return;
	}
	elisions_add(&brevity->cut, &cut, safe, brevity->columns);
	if (cut.len > 4 * brevity->columns)
		add_ends(b, buf_str(&cut), 4 * brevity->columns);
	else
		buf_addstr(b, buf_str(&cut));
}

/* A colon before a space; elsewhere it may make an address, or a picture of a face. */
static bool is_plain_colon(struct str s, size_t i)
{
	return s.s[i] == ':' && i + 1 < s.len && s.s[i + 1] == ' ';
}

static bool is_plain_words(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!isalnum((unsigned char)s.s[i]) && !(s.s[i] && strchr(" ,()%/-", s.s[i])) &&
		    !is_plain_colon(s, i))
			return false;
	return true;
}

static size_t longest_run(struct str s, char c)
{
	size_t run = 0, longest = 0;

	for (size_t i = 0; i < s.len; i++) {
		run = s.s[i] == c ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

/*
 * A row is cut at every | without a backslash before it, in code too, and a backslash that is
 * itself escaped does not count: the number of them before a | must be odd.
 */
static void add_cell_bytes(struct buf *b, struct str s)
{
	size_t backslashes = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.s[i] == '|')
			buf_addn(b, '\\', 1 + backslashes % 2);
		backslashes = s.s[i] == '\\' ? backslashes + 1 : 0;
		buf_addc(b, s.s[i]);
	}
}

static void add_code_span(struct buf *b, struct str s, bool in_cell)
{
	size_t ticks = longest_run(s, '`') + 1;
	bool padded = strchr("` ", s.s[0]) || strchr("` ", s.s[s.len - 1]);

	buf_addn(b, '`', ticks);
	if (padded)
		buf_addc(b, ' ');
	if (in_cell)
		add_cell_bytes(b, s);
	else
		buf_addstr(b, s);
	if (padded)
		buf_addc(b, ' ');
	buf_addn(b, '`', ticks);
}

/*
 * Safe text, in a table's cell or not: words stand as they are, anything else goes into a code
 * span, where GitHub looks for nothing.
 */
static void add_literal(struct buf *b, struct str s, bool in_cell)
{
	if (is_plain_words(s))
		buf_addstr(b, s);
	else
		add_code_span(b, s, in_cell);
}

/*
 * Running text of the report's own, made safe: in the rest everything is escaped that means
 * something. What stands between two backticks becomes a code span, wherever they come from: a name
 * with backticks of its own looks odd, but each piece is either code or escaped.
 */
static void add_brief_text(struct buf *b, const char *text, size_t columns)
{
	struct brevity brevity = {.columns = columns};
	struct buf safe = {0}, brief = {0};
	struct str rest;

	text_add_safe(&safe, str_of(text));
	add_cut(&brief, buf_str(&safe), &brevity);
	elisions_free(&brevity.cut);
	rest = buf_str(&brief);
	while (rest.len) {
		const char *begin = memchr(rest.s, '`', rest.len), *last = rest.s + rest.len;
		const char *end = begin ? memchr(begin + 1, '`', (size_t)(last - begin - 1)) : NULL;

		if (!end)
			break;
		add_escaped(b, (struct str){rest.s, (size_t)(begin - rest.s)});
		if (end > begin + 1)
			add_code_span(b, (struct str){begin + 1, (size_t)(end - begin - 1)}, false);
		else
			add_escaped(b, (struct str){begin, 2});
		rest = (struct str){end + 1, (size_t)(last - end - 1)};
	}
	add_escaped(b, rest);
	buf_free(&safe);
	buf_free(&brief);
}

static void add_text(struct buf *b, const char *text)
{
	add_brief_text(b, text, 0);
}

/* The same of a text with parts that are struck out: each begins and ends with ~~. */
static void add_struck_text(struct buf *b, const char *text)
{
	while (*text) {
		const char *begin = strstr(text, "~~"),
			   *end = begin ? strstr(begin + 2, "~~") : NULL;
		SCOPED_BUF before = {0}, struck = {0};

		if (!end || end == begin + 2)
			break;
		buf_add(&before, text, (size_t)(begin - text));
		buf_add(&struck, begin + 2, (size_t)(end - begin - 2));
		add_text(b, buf_str(&before).s);
		buf_adds(b, "~~");
		add_text(b, struck.s);
		buf_adds(b, "~~");
		text = end + 2;
	}
	add_text(b, text);
}

static void add_cell(struct buf *b, const struct table *t, const struct column *column,
		     const struct cell *cell, bool in_row, struct brevity *brevity)
{
	struct buf whole = {0}, text = {0};

	cell_add_shown(&whole, t, column, cell);
	if (column->unit == UNIT_COMMAND)
		buf_addstr(&text, buf_str(&whole));
	else
		add_cut(&text, buf_str(&whole), brevity);
	for (unsigned i = 0; i < cell->depth; i++)
		buf_adds(b, "&emsp;"); /* spaces would not show */
	if (cell->kind == CELL_TEXT)
		add_literal(b, buf_str(&text), in_row);
	else
		buf_addstr(b, buf_str(&text));
	buf_free(&whole);
	buf_free(&text);
}

static void add_header(struct buf *b, const struct table *t)
{
	buf_addc(b, '|');
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY)
			continue;
		buf_addc(b, ' ');
		add_text(b, t->columns[c].title);
		buf_adds(b, " |");
	}
	buf_adds(b, "\n|");
	for (size_t c = 0; c < t->column_count; c++)
		if (t->columns[c].show != MACHINE_ONLY)
			buf_adds(b, column_is_text(&t->columns[c]) ? " --- |" : " ---: |");
	buf_addc(b, '\n');
}

static void add_row(struct buf *b, const struct table *t, const struct cell *cells,
		    struct brevity *brevity)
{
	buf_addc(b, '|');
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY)
			continue;
		buf_addc(b, ' ');
		add_cell(b, t, &t->columns[c], &cells[c], true, brevity);
		buf_adds(b, " |");
	}
	buf_addc(b, '\n');
}

static void add_footer(struct buf *b, const struct table *t, uint64_t rows)
{
	const uint64_t all = t->total_rows > t->rows ? t->total_rows : t->rows;
	uint64_t more = all - rows;

	if (more) {
		buf_adds(b, t->total_is_least ? "\n… more than " : "\n… ");
		units_add_count(b, (int64_t)more);
		buf_adds(b, more == 1 ? " more row" : " more rows");
		if (t->rest) {
			buf_adds(b, ": ");
			add_text(b, t->rest);
			buf_addc(b, '\n');
		} else {
			buf_adds(b, " (`--limit 0` shows all)\n");
		}
	} else if (t->rows == 0) {
		buf_adds(b, "\n(no rows)\n");
	}
}

/* A list of what is known. */
static void add_facts(struct buf *b, const struct table *t, const struct cell *cells,
		      struct brevity *brevity)
{
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].show == MACHINE_ONLY || cells[c].kind == CELL_NULL)
			continue;
		buf_adds(b, "- ");
		add_text(b, t->columns[c].title);
		buf_adds(b, ": ");
		add_cell(b, t, &t->columns[c], &cells[c], false, brevity);
		buf_addc(b, '\n');
	}
}

/* An item in the list of its parent. */
static void add_node(struct buf *b, const struct table *t, const struct cell *cells,
		     struct brevity *brevity)
{
	bool any = false;

	buf_addn(b, ' ', 2 * (size_t)cells[0].depth);
	buf_adds(b, "- ");
	add_cell(b, t, &t->columns[0],
		 &(struct cell){.kind = CELL_TEXT, .literal = cells[0].literal, .s = cells[0].s},
		 false, brevity);
	for (size_t c = 1; c < t->column_count; c++) {
		if (t->columns[c].show != SHOW || cells[c].kind == CELL_NULL)
			continue;
		buf_adds(b, any ? ", " : ": ");
		any = true;
		add_text(b, t->columns[c].title);
		buf_addc(b, ' ');
		add_cell(b, t, &t->columns[c], &cells[c], false, brevity);
	}
	buf_addc(b, '\n');
}

static bool is_facts(const struct table *t)
{
	return t->facts && t->rows > 0;
}

static void add_any_row(struct buf *b, const struct table *t, const struct cell *cells, uint64_t i,
			struct brevity *brevity)
{
	if (is_facts(t) && i > 0)
		buf_adds(b, "\n---\n\n");
	if (is_facts(t))
		add_facts(b, t, cells, brevity);
	else if (t->tree)
		add_node(b, t, cells, brevity);
	else
		add_row(b, t, cells, brevity);
}

/* Takes back what was added last where a comment has no room for it. */
static bool fits(struct buf *b, const struct report *r, size_t before)
{
	if (!r->most_bytes || b->len + END_BYTES <= r->most_bytes)
		return true;
	b->len = before;
	if (b->s)
		b->s[before] = '\0';
	return false;
}

static int add_table(struct out *o, const struct report *r, const struct table *t, struct err *e)
{
	struct brevity brevity = {.columns = r->most_bytes ? CELL_COLUMNS : 0};
	int result = 0;
	uint64_t i;

	if (t->title) {
		buf_adds(&o->text, "### ");
		add_text(&o->text, t->title);
		buf_adds(&o->text, "\n\n");
	}
	if (!is_facts(t) && !t->tree)
		add_header(&o->text, t);
	for (i = 0; i < t->rows; i++) {
		const size_t before = o->text.len;

		add_any_row(&o->text, t, out_row(o, t, i), i, &brevity);
		if (!fits(&o->text, r, before))
			break;
		result = r->most_bytes ? 0 : out_poll(o, e);
		if (result < 0)
			break;
	}
	if (result == 0 && !is_facts(t))
		add_footer(&o->text, t, i);
	elisions_free(&brevity.cut);
	return result;
}

/* A line of text after what introduces it. */
static void add_line(struct buf *b, const char *before, const char *text)
{
	buf_adds(b, before);
	add_text(b, text);
	buf_addc(b, '\n');
}

static void add_finding(struct buf *b, const struct finding *f, size_t number)
{
	buf_addf(b, "%zu. **%s** · ", number, severity_name(f->severity));
	add_text(b, f->title);
	if (f->recoverable_ns > 0) {
		buf_adds(b, " — recoverable: ");
		finding_add_cost(b, f);
		buf_addf(b, " (confidence %s)", confidence_name(f->confidence));
	}
	buf_addc(b, '\n');
	for (size_t i = 0; i < f->evidence_count; i++) {
		struct buf value = {0};

		evidence_add_value(&value, &f->evidence[i]);
		buf_adds(b, "   - ");
		add_text(b, f->evidence[i].label);
		buf_adds(b, ": ");
		/* A kernel's name is code; a figure is text. */
		if (f->evidence[i].value.kind == CELL_TEXT)
			add_literal(b, buf_str(&value), false);
		else
			add_text(b, buf_str(&value).s);
		buf_addc(b, '\n');
		buf_free(&value);
	}
	for (size_t i = 0; i < f->advice_count; i++)
		add_line(b, "   - **do:** ", f->advice[i]);
	if (f->how && f->recoverable_ns > 0)
		add_line(b, "   - *estimated as:* ", f->how);
	if (f->unless)
		add_line(b, "   - *ignore if:* ", f->unless);
}

static int add_block(struct out *o, const struct report *r, const struct block *block,
		     struct err *e)
{
	static const char *const prefixes[] = {
		[BLOCK_HEADING] = "## ",
		[BLOCK_LEAD] = "",
		[BLOCK_NOTE] = "",
		[BLOCK_WARNING] = "> **Warning:** ",
	};

	if (block->kind == BLOCK_TABLE)
		return add_table(o, r, block->table, e);
	if (block->kind == BLOCK_FINDING) {
		if (!r->findings_are_told)
			add_finding(&o->text, block->finding, block->number);
		return 0;
	}
	if (block->kind == BLOCK_ACTION)
		buf_addf(&o->text, "%zu. ", block->number);
	else
		buf_adds(&o->text, prefixes[block->kind]);
	if (block->has_strikes)
		add_struck_text(&o->text, block->text);
	else
		add_brief_text(&o->text, block->text, r->most_bytes ? LINE_COLUMNS : 0);
	buf_addc(&o->text, '\n');
	return 0;
}

/* In a comment, details are behind a click: from their heading to the next. */
static bool is_folded(const struct report *r, const struct block *block)
{
	return r->most_bytes && block->kind == BLOCK_HEADING && block->detail;
}

static void begin_fold(struct buf *b, const char *heading)
{
	buf_adds(b, "<details>\n<summary>");
	add_brief_text(b, heading, LINE_COLUMNS);
	buf_adds(b, "</summary>\n");
}

static void end_fold(struct buf *b, bool *folded)
{
	if (*folded)
		buf_adds(b, "\n</details>\n");
	*folded = false;
}

static void add_title(struct buf *b, const struct report *r)
{
	buf_adds(b, r->most_bytes ? "## " : "# ");
	add_brief_text(b, r->title, r->most_bytes ? LINE_COLUMNS : 0);
	buf_addc(b, '\n');
}

/* A block, with an empty line before it unless it is the first. */
static int add_next_block(struct out *o, const struct report *r, const struct block *block,
			  bool first, struct err *e)
{
	if (!first)
		buf_addc(&o->text, '\n');
	if (is_folded(r, block)) {
		begin_fold(&o->text, block->text);
		return 0;
	}
	return add_block(o, r, block, e);
}

static void add_left_out(struct buf *b, size_t left_out)
{
	if (left_out)
		buf_addf(b, "\n*%zu more tables or notes have no room here.*\n", left_out);
}

static int add_report(struct out *o, const struct report *r, struct err *e)
{
	bool first = !r->continues, folded = false;
	size_t left_out = 0;

	if (r->title && first) {
		add_title(&o->text, r);
		first = false;
	}
	for (size_t i = 0; i < r->block_count; i++) {
		const struct block *block = &r->blocks[i];
		const size_t before = o->text.len;

		if (block->kind == BLOCK_CHART)
			continue;
		if (block->kind == BLOCK_HEADING)
			end_fold(&o->text, &folded);
		if (add_next_block(o, r, block, first, e) < 0)
			return -1;
		first = false;
		if (fits(&o->text, r, before))
			folded = folded || is_folded(r, block);
		else
			left_out++;
	}
	add_left_out(&o->text, left_out);
	end_fold(&o->text, &folded);
	return 0;
}

const struct presenter presenter_markdown = {
	.name = "markdown",
	.extension = ".md",
	.for_people = true,
	.in_pieces = true,
	.add = add_report,
};
