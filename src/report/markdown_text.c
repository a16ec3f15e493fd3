/* How is text put on a page so that it is shown and never obeyed? */
#include "report/markdown_text.h"

#include "base/text.h"

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

void markdown_add_text(struct buf *b, const char *text)
{
	struct buf safe = {0};

	text_add_safe(&safe, str_of(text));
	add_escaped(b, buf_str(&safe));
	buf_free(&safe);
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
static void add_code_bytes(struct buf *b, struct str s)
{
	size_t backslashes = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.s[i] == '|')
			buf_addn(b, '\\', 1 + backslashes % 2);
		backslashes = s.s[i] == '\\' ? backslashes + 1 : 0;
		buf_addc(b, s.s[i]);
	}
}

static void add_code_span(struct buf *b, struct str s)
{
	size_t ticks = longest_run(s, '`') + 1;
	bool padded = strchr("` ", s.s[0]) || strchr("` ", s.s[s.len - 1]);

	buf_addn(b, '`', ticks);
	if (padded)
		buf_addc(b, ' ');
	add_code_bytes(b, s);
	if (padded)
		buf_addc(b, ' ');
	buf_addn(b, '`', ticks);
}

void markdown_add_literal(struct buf *b, struct str s)
{
	if (is_plain_words(s))
		buf_addstr(b, s);
	else
		add_code_span(b, s);
}
