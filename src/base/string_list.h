/* A list of strings that grows: an argv, values of an option that may be given again. */
#ifndef BASE_STRING_LIST_H
#define BASE_STRING_LIST_H

#include "base/arena.h"

/* A zeroed one is empty and valid. The strings are somebody else's; NULL follows the last. */
struct string_list {
	const char **all;
	size_t count, cap;
};

void string_list_add(struct string_list *l, const char *s);
/* A formatted text, which is in the arena. */
#define string_list_addf(l, a, ...) string_list_add(l, arena_printf(a, __VA_ARGS__))
void string_list_free(struct string_list *l);

#endif
