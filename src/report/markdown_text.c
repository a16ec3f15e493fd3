/* How is text put on a page so that it is shown and never obeyed? */
#include "report/markdown_text.h"

#include "text/text.h"

#include <ctype.h>

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
	}
}

static bool is_plain_words(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!isalnum((unsigned char)s.s[i]) && !(s.s[i] && strchr(" ,()%/-", s.s[i])))
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

void markdown_add_literal(struct buf *b, struct str s, bool in_cell)
{
	if (is_plain_words(s))
		buf_addstr(b, s);
	else
		add_code_span(b, s, in_cell);
}

/*
 * What stands between two backticks becomes a code span, wherever they come from: a name with
 * backticks of its own looks odd, but each piece is either code or escaped.
 */
void markdown_add_text(struct buf *b, const char *text)
{
	struct buf safe = {0};
	struct str rest;

	text_add_safe(&safe, str_of(text));
	rest = buf_str(&safe);
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
}
