/* Which strings are on the list? */
#include "base/string_list.h"

#include "base/mem.h"

#include <stdlib.h>

void string_list_add(struct string_list *l, const char *s)
{
	MEM_GROW(l->all, l->cap, l->count + 2);
	l->all[l->count++] = s;
	l->all[l->count] = NULL;
}

void string_list_free(struct string_list *l)
{
	free(l->all);
	*l = (struct string_list){0};
}
