/* What number does a range carry under this name? */
#include "trace/ranges/payload.h"

static struct str after(struct str s, size_t n)
{
	return (struct str){s.s + n, s.len - n};
}

static struct str skip_spaces(struct str s)
{
	while (s.len && (*s.s == ' ' || *s.s == '\t' || *s.s == '\n'))
		s = after(s, 1);
	return s;
}

static bool read_digits(struct str s, uint64_t *ret)
{
	size_t i = 0;

	*ret = 0;
	for (; i < s.len && s.s[i] >= '0' && s.s[i] <= '9'; i++) {
		if (__builtin_mul_overflow(*ret, 10, ret) ||
		    __builtin_add_overflow(*ret, (uint64_t)(s.s[i] - '0'), ret))
			return false;
	}
	/* 1e9 and 1.5 are numbers, too, but none that is meant here. */
	return i > 0 && (i == s.len || !strchr(".eE", s.s[i]) || !s.s[i]);
}

/* "key" with a colon after it; a text that says the same has none. */
bool payload_number(struct str json, const char *key, uint64_t *ret)
{
	size_t len = strlen(key);

	while (json.len > len + 2) {
		const char *found = memmem(json.s + 1, json.len - 1, key, len);
		struct str rest;

		if (!found)
			return false;
		rest = after(json, (size_t)(found - json.s) + len);
		json = rest;
		if (found[-1] != '"' || !rest.len || *rest.s != '"')
			continue;
		rest = skip_spaces(after(rest, 1));
		if (rest.len && *rest.s == ':')
			return read_digits(skip_spaces(after(rest, 1)), ret);
	}
	return false;
}
