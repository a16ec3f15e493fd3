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

#endif
