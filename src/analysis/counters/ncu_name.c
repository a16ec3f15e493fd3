/* What is left of a kernel's name when what tools print differently is gone? */
#include "analysis/counters/ncu_name.h"

#include "text/cxx.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct str from(struct str s, size_t at)
{
	return (struct str){s.s + at, s.len - at};
}

static size_t word_length(struct str s)
{
	size_t n = 0;

	while (n < s.len && is_word(s.s[n]))
		n++;
	return n;
}

/* "(int)" of "(int)-2": a type in parentheses before a number; else 0. */
static size_t cast_length(struct str s)
{
	size_t end = 1;

	if (!s.len || s.s[0] != '(')
		return 0;
	while (end < s.len && (is_word(s.s[end]) || s.s[end] == ' ' || s.s[end] == ':'))
		end++;
	if (end < 2 || end + 1 >= s.len || s.s[end] != ')')
		return 0;
	return is_digit(s.s[end + 1]) || s.s[end + 1] == '-' ? end + 1 : 0;
}

/* 8ul is 8; true is 1. */
static struct str plain_word(struct str word)
{
	if (str_eq(word, STR_LIT("true")))
		return STR_LIT("1");
	if (str_eq(word, STR_LIT("false")))
		return STR_LIT("0");
	while (word.len > 1 && is_digit(word.s[0]) && strchr("uUlL", word.s[word.len - 1]))
		word.len--;
	return word;
}

/* A word, or nothing of it: a namespace, or void before a name. Returns its length. */
static size_t add_word(struct buf *b, struct str rest)
{
	size_t len = word_length(rest);
	struct str word = {rest.s, len}, after = from(rest, len);

	if (str_starts(after, "::"))
		return len + 2;
	if (str_eq(word, STR_LIT("void")) && after.len > 1 && after.s[0] == ' ' &&
	    (is_word(after.s[1]) || cxx_unnamed_length(from(after, 1))))
		return len + 1;
	buf_addstr(b, plain_word(word));
	return len;
}

static void add_plain(struct buf *b, struct str name)
{
	size_t at = 0;

	while (at < name.len) {
		struct str rest = from(name, at);
		size_t skipped = cxx_unnamed_length(rest);

		if (!skipped)
			skipped = cast_length(rest);
		if (!skipped && is_word(rest.s[0])) {
			at += add_word(b, rest);
			continue;
		}
		if (!skipped && rest.s[0] != ' ')
			buf_addc(b, rest.s[0]);
		at += skipped ? skipped : 1;
	}
}

/* Where the parentheses that a plain name ends with begin; its length where it has none. */
static size_t params_begin(struct str plain)
{
	size_t depth = 0;

	for (size_t i = plain.len; i > 0; i--) {
		char c = plain.s[i - 1];

		depth += c == ')';
		if (c == '(' && depth && --depth == 0)
			return i - 1;
		if (!depth)
			break;
	}
	return plain.len;
}

static size_t own_name_length(struct str plain)
{
	size_t n = 0;

	while (n < plain.len && plain.s[n] != '<' && plain.s[n] != '(')
		n++;
	return n ? n : plain.len;
}

void ncu_name_add_form(struct buf *b, struct str name, enum ncu_form form)
{
	struct buf plain = {0};
	struct str s;

	if (form == NCU_FORM_EXACT) {
		buf_addstr(b, name);
		return;
	}
	add_plain(&plain, name);
	s = buf_str(&plain);
	if (form == NCU_FORM_NO_PARAMS)
		s.len = params_begin(s);
	else if (form == NCU_FORM_NO_ARGS)
		s.len = own_name_length(s);
	buf_addstr(b, s);
	buf_free(&plain);
}

bool ncu_name_has_args(struct str name)
{
	struct buf plain = {0};
	struct str s;
	bool has;

	add_plain(&plain, name);
	s = from(buf_str(&plain), own_name_length(buf_str(&plain)));
	has = str_starts(s, "<") && !str_starts(s, "<...>") && !str_starts(s, "<\xe2\x80\xa6>");
	buf_free(&plain);
	return has;
}
