/* What compilers and demanglers do to names of C++. */
#ifndef BASE_CXX_H
#define BASE_CXX_H

#include "base/mem.h"
#include "base/str.h"

/* The length of a namespace without a name that s begins with, else 0. */
static inline size_t cxx_unnamed_length(struct str s)
{
	static const char *const forms[] = {
		"<unnamed>::", "(anonymous namespace)::", "{anonymous}::"};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (str_starts(s, forms[i]))
			return strlen(forms[i]);
	}
	return 0;
}

/* A function's name with its namespaces: without "void ", template arguments and parameters. */
static inline struct str cxx_qualified_name(struct str name)
{
	size_t len = 0;

	if (str_starts(name, "void "))
		name = (struct str){name.s + 5, name.len - 5};
	while (len < name.len) {
		size_t unnamed = cxx_unnamed_length((struct str){name.s + len, name.len - len});

		if (!unnamed && (name.s[len] == '(' || name.s[len] == '<'))
			break;
		len += unnamed ? unnamed : 1;
	}
	return (struct str){name.s, len};
}

/* Whether a namespace of a qualified name, or the name in it, begins with this text. */
static inline bool cxx_part_begins(struct str qualified, const char *text)
{
	while (!str_starts(qualified, text)) {
		const char *at = qualified.len ? memmem(qualified.s, qualified.len, "::", 2) : NULL;

		if (!at)
			return false;
		qualified.len -= (size_t)(at + 2 - qualified.s);
		qualified.s = at + 2;
	}
	return true;
}

#endif
