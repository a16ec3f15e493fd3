/* Which process or thread is this, as a small number? */
#include "trace/intern.h"

#include "base/mem.h"

#include <stdlib.h>

void intern_init(struct intern *in)
{
	*in = (struct intern){0};
	pthread_mutex_init(&in->lock, NULL);
}

void intern_free(struct intern *in)
{
	pthread_mutex_destroy(&in->lock);
	idmap_free(&in->map);
	free(in->keys);
}

void intern_cache_init(struct intern_cache *c)
{
	memset(c->number, 0xff, sizeof(c->number));
}

uint32_t intern_add(struct intern *in, uint64_t key)
{
	uint32_t number = idmap_add(&in->map, key, (uint32_t)in->count);

	if (number == in->count) {
		MEM_GROW(in->keys, in->cap, in->count + 1);
		in->keys[in->count++] = key;
	}
	return number;
}

uint32_t intern_number(struct intern *in, struct intern_cache *c, uint64_t key)
{
	size_t slot = idmap_hash(key) % INTERN_CACHE;

	if (c->number[slot] == ID_NONE || c->key[slot] != key) {
		pthread_mutex_lock(&in->lock);
		c->number[slot] = intern_add(in, key);
		pthread_mutex_unlock(&in->lock);
		c->key[slot] = key;
	}
	return c->number[slot];
}

static void remake_map(struct intern *in)
{
	idmap_free(&in->map);
	for (size_t i = 0; i < in->count; i++)
		idmap_add(&in->map, in->keys[i], (uint32_t)i);
}

/* Where nothing was added nothing is touched: others may be reading. */
void intern_forget(struct intern *in, size_t before)
{
	if (in->count == before)
		return;
	in->count = before;
	remake_map(in);
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void intern_settle(struct intern *in, size_t before, uint32_t *column, uint64_t rows)
{
	size_t added = in->count - before;
	uint64_t *met;
	uint32_t *now;

	if (added < 2)
		return;
	met = mem_alloc(added, sizeof(*met));
	memcpy(met, in->keys + before, added * sizeof(*met));
	qsort(in->keys + before, added, sizeof(*in->keys), compare_keys);
	remake_map(in);
	now = mem_alloc(added, sizeof(*now));
	for (size_t i = 0; i < added; i++)
		now[i] = idmap_get(&in->map, met[i]);
	for (uint64_t i = 0; i < rows; i++) {
		if (column[i] != ID_NONE && column[i] >= before)
			column[i] = now[column[i] - before];
	}
	free(met);
	free(now);
}
