/* Which number stands for this name? */
#include "base/strtab.h"

#include "base/idmap.h"
#include "base/mem.h"

#include <stdlib.h>

/* Both halves of the product: every bit of either factor matters to every bit of it. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Names are long and looked up for every row: two words a step, each step of a secret seed. */
uint64_t str_hash(struct str s)
{
	uint64_t h = idmap_hash(s.len), words[2] = {0};

	for (; s.len > sizeof(words); s.s += sizeof(words), s.len -= sizeof(words)) {
		memcpy(words, s.s, sizeof(words));
		h = mix(words[0] ^ idmap_seed ^ 0x9e3779b97f4a7c15u, words[1] ^ h);
	}
	words[0] = words[1] = 0;
	if (s.len)
		memcpy(words, s.s, s.len);
	return idmap_hash(mix(words[0] ^ idmap_seed ^ 0x9e3779b97f4a7c15u, words[1] ^ h));
}

static size_t find_slot(const struct strtab *t, struct str s)
{
	size_t i = str_hash(s) & t->mask;

	while (t->slots[i] != STRTAB_NONE && !str_eq(t->items[t->slots[i]], s))
		i = (i + 1) & t->mask;
	return i;
}

static void grow(struct strtab *t)
{
	size_t slots = t->mask ? (t->mask + 1) * 2 : 64;

	free(t->slots);
	t->slots = mem_alloc(slots, sizeof(*t->slots));
	memset(t->slots, 0xff, slots * sizeof(*t->slots));
	t->mask = slots - 1;
	for (size_t i = 0; i < t->count; i++)
		t->slots[find_slot(t, t->items[i])] = (uint32_t)i;
}

uint32_t strtab_add(struct strtab *t, struct str s)
{
	size_t slot;

	if (!t->mask || t->count >= t->mask / 2)
		grow(t);
	slot = find_slot(t, s);
	if (t->slots[slot] == STRTAB_NONE) {
		MEM_GROW(t->items, t->cap, t->count + 1);
		t->items[t->count] = s;
		t->slots[slot] = (uint32_t)t->count++;
	}
	return t->slots[slot];
}

void strtab_free(struct strtab *t)
{
	free(t->items);
	free(t->slots);
	*t = (struct strtab){0};
}
