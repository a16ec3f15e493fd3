/* Which text has which number? */
#include "export/texts.h"

#include "base/mem.h"

#include <stdlib.h>

static uint32_t add(struct texts *t, struct text text)
{
	MEM_GROW(t->all, t->cap, t->count + 1);
	t->all[t->count] = text;
	return (uint32_t)t->count++;
}

uint32_t texts_add(struct texts *t, struct str s)
{
	return add(t, (struct text){s.s ? s.s : "", s.len});
}

uint32_t texts_add_copy(struct texts *t, struct str s)
{
	return texts_add(t, arena_str(&t->arena, s));
}

uint32_t texts_add_path(struct texts *t, uint32_t path)
{
	return add(t, (struct text){NULL, path});
}

struct str texts_get(const struct texts *t, uint32_t number, struct buf *scratch)
{
	const struct text *text = &t->all[number];

	if (text->s)
		return (struct str){text->s, text->len};
	buf_clear(scratch);
	range_path_add(scratch, t->paths, t->path_names, (uint32_t)text->len);
	return buf_str(scratch);
}

void texts_free(struct texts *t)
{
	free(t->all);
	arena_free(&t->arena);
	*t = (struct texts){0};
}
