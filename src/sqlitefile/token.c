/* Where does each word of a SQL statement begin and end? */
#include "sqlitefile/token.h"

#include <strings.h>

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '.' || (c & 0x80);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *find(const char *p, const char *end, char c)
{
	const char *at = p < end ? memchr(p, c, (size_t)(end - p)) : NULL;

	return at ? at : end;
}

static const char *skip_block_comment(const char *p, const char *end)
{
	for (p += 2; p < end; p++)
		if (p[0] == '*' && p + 1 < end && p[1] == '/')
			return p + 2;
	return end;
}

/* Spaces and block comments; tells whether a line ended among them. */
static bool skip_blank(struct lexer *l)
{
	bool broke_line = false;

	while (l->next < l->end) {
		const char *p = l->next;

		if (is_space(*p)) {
			broke_line |= *p == '\n';
			l->next++;
		} else if (*p == '/' && p + 1 < l->end && p[1] == '*') {
			l->next = skip_block_comment(p, l->end);
		} else {
			break;
		}
	}
	return broke_line;
}

/* The closing quote is doubled to mean itself. */
static const char *skip_quoted(const char *p, const char *end)
{
	char close = *p == '[' ? ']' : *p;

	for (p = find(p + 1, end, close); p < end; p = find(p + 2, end, close))
		if (close == ']' || p + 1 == end || p[1] != close)
			return p + 1;
	return end;
}

struct token token_next(struct lexer *l)
{
	struct token t = {.starts_line = skip_blank(l)};
	const char *p = l->next, *end = l->end;

	if (p == end)
		return t;
	if (is_word_byte(*p)) {
		t.kind = TOKEN_WORD;
		while (p < end && is_word_byte(*p))
			p++;
	} else if (*p == '"' || *p == '`' || *p == '\'' || *p == '[') {
		t.kind = TOKEN_QUOTED;
		p = skip_quoted(p, end);
	} else if (*p == '-' && p + 1 < end && p[1] == '-') {
		t.kind = TOKEN_COMMENT;
		p = find(p, end, '\n');
	} else {
		t.kind = TOKEN_MARK;
		p++;
	}
	t.raw = (struct str){l->next, (size_t)(p - l->next)};
	l->next = p;
	return t;
}

bool token_is_word(const struct token *t, const char *word)
{
	return t->kind == TOKEN_WORD && t->raw.len == strlen(word) &&
	       strncasecmp(t->raw.s, word, t->raw.len) == 0;
}

bool token_is_mark(const struct token *t, char mark)
{
	return t->kind == TOKEN_MARK && t->raw.s[0] == mark;
}

const char *token_name(struct arena *a, const struct token *t)
{
	char *name = arena_alloc(a, t->raw.len + 1, 1), *to = name;
	const char *p = t->raw.s, *end = p + t->raw.len;
	char close = *p == '[' ? ']' : *p;

	if (t->kind != TOKEN_QUOTED)
		return arena_str(a, t->raw).s;
	for (p++; p < end && !(*p == close && p + 1 >= end); p++) {
		*to++ = *p;
		if (*p == close && p[1] == close)
			p++;
	}
	*to = '\0';
	return name;
}
