/* What are the keys of a timeline called, and which text has which number? */
#include "export/timeline.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const timeline_key_names[KEY_COUNT] = {
	[KEY_GRID] = "grid",
	[KEY_BLOCK] = "block",
	[KEY_REGISTERS] = "registers",
	[KEY_STATIC_SMEM] = "static_smem_bytes",
	[KEY_DYNAMIC_SMEM] = "dynamic_smem_bytes",
	[KEY_BYTES] = "bytes",
	[KEY_SOURCE] = "source",
	[KEY_DESTINATION] = "destination",
	[KEY_MEMORY] = "memory",
	[KEY_GRAPH] = "graph",
	[KEY_CORRELATION] = "correlation",
	[KEY_RANGE] = "range",
	[KEY_DOMAIN] = "domain",
	[KEY_COLOR] = "color",
	[KEY_NEVER_CLOSED] = "never_closed",
	[KEY_LINE] = "line",
	[KEY_FILE] = "file",
};

static uint32_t add_text(struct texts *t, struct text text)
{
	MEM_GROW(t->all, t->cap, t->count + 1);
	t->all[t->count] = text;
	return (uint32_t)t->count++;
}

uint32_t texts_add(struct texts *t, struct str s)
{
	return add_text(t, (struct text){s.s ? s.s : "", s.len});
}

uint32_t texts_add_copy(struct texts *t, struct str s)
{
	return texts_add(t, arena_str(&t->arena, s));
}

uint32_t texts_add_path(struct texts *t, uint32_t path)
{
	return add_text(t, (struct text){NULL, path});
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
