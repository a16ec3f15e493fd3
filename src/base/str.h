/*
 * A view of bytes that somebody else owns. Text from a trace is any bytes whatever: not
 * terminated, perhaps not UTF-8, perhaps with control characters. Presenters escape it.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct str {
	const char *s;
	size_t len;
};

#define STR_FMT(x)	 (int)(x).len, (x).s
#define STR_LIT(literal) ((struct str){(literal), sizeof(literal) - 1})

static inline struct str str_of(const char *s)
{
	return (struct str){s, s ? strlen(s) : 0};
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.s, b.s, a.len) == 0);
}

/* In whatever case either is written. */
static inline bool str_eq_any_case(struct str a, const char *text)
{
	return a.len == strlen(text) && strncasecmp(a.s, text, a.len) == 0;
}

static inline int str_cmp(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.s, b.s, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

static inline bool str_starts(struct str a, const char *prefix)
{
	size_t n = strlen(prefix);

	return a.len >= n && memcmp(a.s, prefix, n) == 0;
}

static inline bool str_ends(struct str a, const char *suffix)
{
	size_t n = strlen(suffix);

	return a.len >= n && memcmp(a.s + a.len - n, suffix, n) == 0;
}

static inline bool str_holds(struct str a, const char *part)
{
	return a.len && memmem(a.s, a.len, part, strlen(part)) != NULL;
}

static inline bool str_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Without the spaces, tabs and ends of lines around it. */
static inline struct str str_trimmed(struct str s)
{
	while (s.len && str_is_space(s.s[0])) {
		s.s++;
		s.len--;
	}
	while (s.len && str_is_space(s.s[s.len - 1]))
		s.len--;
	return s;
}

/* Takes the first line off a text, without its end. */
static inline struct str str_next_line(struct str *rest)
{
	const char *end = rest->len ? memchr(rest->s, '\n', rest->len) : NULL;
	const struct str line = {rest->s, end ? (size_t)(end - rest->s) : rest->len};

	rest->s += line.len + (end != NULL);
	rest->len -= line.len + (end != NULL);
	return line;
}

/* Takes the first off a list of words with a space between them; empty after the last. */
static inline struct str str_next_word(const char **list)
{
	const struct str word = {*list, strcspn(*list, " ")};

	*list += word.len + (word.s[word.len] == ' ');
	return word;
}

static inline bool str_is_listed_any_case(struct str word, const char *list)
{
	struct str next;

	while ((next = str_next_word(&list)).len) {
		if (word.len == next.len && strncasecmp(word.s, next.s, next.len) == 0)
			return true;
	}
	return false;
}

static inline bool str_is_listed(struct str word, const char *list)
{
	struct str next;

	while ((next = str_next_word(&list)).len) {
		if (str_eq(word, next))
			return true;
	}
	return false;
}

/* Whether two texts are the same, or both are missing. */
static inline bool str_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* What is behind the last slash of a path: nothing where it ends in one. */
static inline const char *str_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
