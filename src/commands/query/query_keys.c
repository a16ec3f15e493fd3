/* By which numbers are rows sorted as their values are? */
#include "commands/query/query_keys.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum { NO_TEXT = -1 };

int64_t cell_key(struct cell c)
{
	if (c.kind == CELL_INT)
		return c.i;
	return c.kind == CELL_REAL ? sort_key_of_double(c.r) : INT64_MIN;
}

void text_keys_begin(struct text_keys *k, uint64_t rows)
{
	k->rows = rows;
	k->keys = mem_alloc(rows, sizeof(*k->keys));
}

static uint64_t known_key(enum trace_kind kind, uint32_t number)
{
	return (uint64_t)kind << 32 | number;
}

bool text_keys_repeat(struct text_keys *k, uint64_t row, enum trace_kind kind, uint32_t number)
{
	uint32_t text = idmap_get(&k->known, known_key(kind, number));

	if (text == IDMAP_NONE)
		return false;
	k->keys[row] = (int64_t)text - 1;
	return true;
}

/* The text lives no longer than the call. */
void text_keys_add(struct text_keys *k, uint64_t row, struct cell text)
{
	uint32_t before = (uint32_t)k->texts.count, number;

	k->keys[row] = NO_TEXT;
	if (text.kind != CELL_TEXT)
		return;
	number = strtab_add(&k->texts, text.s);
	if (number == before)
		k->texts.items[number] = arena_str(&k->arena, text.s);
	k->keys[row] = number;
}

void text_keys_remember(struct text_keys *k, uint64_t row, enum trace_kind kind, uint32_t number)
{
	idmap_add(&k->known, known_key(kind, number), (uint32_t)(k->keys[row] + 1));
}

static int compare_texts(const void *a, const void *b, void *ctx)
{
	const struct str *texts = ctx;

	return str_cmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

int64_t *text_keys_end(struct text_keys *k)
{
	const size_t count = k->texts.count;
	uint32_t *order = mem_alloc(count, sizeof(*order));
	int64_t *rank = mem_alloc(count, sizeof(*rank));

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	sort_stable(order, count, sizeof(*order), compare_texts, k->texts.items);
	for (size_t i = 0; i < count; i++)
		rank[order[i]] = (int64_t)i;
	for (uint64_t i = 0; i < k->rows; i++)
		k->keys[i] = k->keys[i] == NO_TEXT ? INT64_MIN : rank[k->keys[i]];
	free(rank);
	free(order);
	strtab_free(&k->texts);
	idmap_free(&k->known);
	arena_free(&k->arena);
	return k->keys;
}
