/* How does what people type become a pattern? */
#include "text/name_pattern.h"

#include "base/buf.h"

static bool is_wild(char c)
{
	return c == '*' || c == '?';
}

static bool escapes(struct str s, size_t i)
{
	return s.s[i] == '\\' && i + 1 < s.len && (is_wild(s.s[i + 1]) || s.s[i + 1] == '\\');
}

static bool has_wildcards(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (escapes(s, i))
			i++;
		else if (is_wild(s.s[i]))
			return true;
	}
	return false;
}

/* Everything but letters, digits and bytes beyond ASCII might mean something. */
static void add_literal(struct buf *b, char c)
{
	unsigned char u = (unsigned char)c;

	if (u < 0x80 && !(u >= '0' && u <= '9') && !((u | 32) >= 'a' && (u | 32) <= 'z'))
		buf_addc(b, '\\');
	buf_addc(b, c);
}

static int compile_glob(struct pattern **ret, struct str s, struct err *e)
{
	SCOPED_BUF b = {0};

	buf_adds(&b, "^(?s:");
	for (size_t i = 0; i < s.len; i++) {
		if (escapes(s, i))
			add_literal(&b, s.s[++i]);
		else if (s.s[i] == '*')
			buf_adds(&b, ".*");
		else if (s.s[i] == '?')
			buf_addc(&b, '.');
		else
			add_literal(&b, s.s[i]);
	}
	buf_adds(&b, ")\\z");
	return pattern_compile(ret, buf_str(&b), PATTERN_ANY_CASE, e);
}

static int compile_text(struct pattern **ret, struct str s, struct err *e)
{
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < s.len; i++) {
		i += escapes(s, i);
		buf_addc(&b, s.s[i]);
	}
	return pattern_compile(ret, buf_str(&b), PATTERN_LITERAL | PATTERN_ANY_CASE, e);
}

/* "/regex/" or "/regex/i". */
static bool take_slashes(struct str s, struct str *ret, unsigned *flags)
{
	*flags = 0;
	if (s.len > 3 && s.s[s.len - 1] == 'i' && s.s[s.len - 2] == '/') {
		*flags = PATTERN_ANY_CASE;
		s.len--;
	}
	*ret = (struct str){s.s + 1, s.len - 2};
	return s.len > 2 && s.s[0] == '/' && s.s[s.len - 1] == '/';
}

bool name_pattern_is_regex(struct str text)
{
	struct str regex;
	unsigned flags;

	return take_slashes(text, &regex, &flags);
}

int name_pattern_compile_whole(struct pattern **ret, struct str text, struct err *e)
{
	struct str regex;
	unsigned flags;

	if (!text.len)
		return err_set(e, ERR_USAGE, "an empty pattern matches everything: give some text");
	if (take_slashes(text, &regex, &flags))
		return pattern_compile(ret, regex, flags, e);
	return compile_glob(ret, text, e);
}

int name_pattern_compile(struct pattern **ret, struct str text, struct err *e)
{
	if (!text.len || has_wildcards(text) || name_pattern_is_regex(text))
		return name_pattern_compile_whole(ret, text, e);
	return compile_text(ret, text, e);
}
