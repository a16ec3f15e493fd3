/* Which number stands for this name? */
#include "text/strtab.h"

#include "base/idmap.h"
#include "base/mem.h"

#include <stdlib.h>

/* Both halves of the product: every bit of either factor matters to every bit of it. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load64(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static uint64_t load32(const char *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/*
 * Names are long and looked up for every row: two words a step, each step of a secret seed. The
 * last words may overlap those before: with the length they still tell all bytes.
 */
static uint64_t hash_of(struct str s)
{
	const uint64_t secret = idmap_seed ^ 0x9e3779b97f4a7c15u;
	uint64_t h = idmap_seed + s.len, a = 0, b = 0;

	for (; s.len > 16; s.s += 16, s.len -= 16)
		h = mix(load64(s.s) ^ secret, load64(s.s + 8) ^ h);
	if (s.len >= 8) {
		a = load64(s.s);
		b = load64(s.s + s.len - 8);
	} else if (s.len >= 4) {
		a = load32(s.s);
		b = load32(s.s + s.len - 4);
	} else if (s.len) {
		a = (uint64_t)(uint8_t)s.s[0] << 16 | (uint64_t)(uint8_t)s.s[s.len / 2] << 8 |
		    (uint8_t)s.s[s.len - 1];
	}
	return mix(mix(a ^ secret, b ^ h), secret);
}

static size_t find_slot(const struct strtab *t, struct str s)
{
	size_t i = hash_of(s) & t->mask;

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

uint32_t strtab_find(const struct strtab *t, struct str s)
{
	return t->count ? t->slots[find_slot(t, s)] : STRTAB_NONE;
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

uint32_t strtab_keep(struct strtab *t, struct arena *a, struct str s)
{
	const size_t known = t->count;
	const uint32_t number = strtab_add(t, s);

	if (t->count > known)
		t->items[number] = arena_str(a, s);
	return number;
}

void strtab_free(struct strtab *t)
{
	free(t->items);
	free(t->slots);
	*t = (struct strtab){0};
}
