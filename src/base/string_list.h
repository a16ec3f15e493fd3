/* A list of strings that grows: an argv, values of an option that may be given again. */
#ifndef BASE_STRING_LIST_H
#define BASE_STRING_LIST_H

#include "base/arena.h"
#include "base/mem.h"

#include <stdlib.h>

/* A zeroed one is empty and valid. The strings are somebody else's; NULL follows the last. */
struct string_list {
	const char **all;
	size_t count, cap;
};

static inline void string_list_add(struct string_list *l, const char *s)
{
	MEM_GROW(l->all, l->cap, l->count + 2);
	l->all[l->count++] = s;
	l->all[l->count] = NULL;
}

/* A formatted text, which is in the arena. */
#define string_list_addf(l, a, ...) string_list_add(l, arena_printf(a, __VA_ARGS__))

static inline void string_list_free(struct string_list *l)
{
	free(l->all);
	*l = (struct string_list){0};
}

#endif
