/* Which small number stands for this process's correlation id? */
#include "trace/slots.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static uint64_t page_key(uint32_t process, uint32_t correlation)
{
	return (uint64_t)process << 24 | correlation >> 8;
}

static uint32_t add_page(struct slots *s, uint64_t key)
{
	uint32_t page = idmap_add(&s->page_of, key, (uint32_t)s->page_count);

	if (page == s->page_count) {
		MEM_GROW(s->pages, s->page_cap, s->page_count + 1);
		s->pages[s->page_count++] = (struct slot_page){0};
	}
	return page;
}

void slots_add(struct slots *s, struct slot_cursor *c, uint32_t process, uint32_t correlation)
{
	uint64_t key = page_key(process, correlation);

	if (!c->valid || c->key != key)
		*c = (struct slot_cursor){key, add_page(s, key), true};
	s->pages[c->page].bits[correlation >> 6 & 3] |= UINT64_C(1) << (correlation & 63);
}

/* Pages in the order of their keys: calls that follow one another have slots that do, too. */
static uint32_t *order_pages(const struct slots *s)
{
	int64_t *keys = mem_alloc(s->page_count, sizeof(*keys));
	uint32_t *order;

	for (size_t i = 0; s->page_count && i <= s->page_of.mask; i++) {
		if (s->page_of.values[i] != IDMAP_NONE)
			keys[s->page_of.values[i]] = (int64_t)s->page_of.keys[i];
	}
	order = sort_new_order(keys, s->page_count);
	free(keys);
	return order;
}

void slots_number(struct slots *s)
{
	uint32_t *order = order_pages(s);

	for (size_t i = 0; i < s->page_count; i++) {
		struct slot_page *p = &s->pages[order[i]];

		p->first = (uint32_t)s->count;
		for (int w = 0; w < 4; w++)
			s->count += (size_t)__builtin_popcountll(p->bits[w]);
	}
	free(order);
}

uint32_t slots_find(const struct slots *s, struct slot_cursor *c, uint32_t process,
		    uint32_t correlation)
{
	const uint32_t word = correlation >> 6 & 3, bit = correlation & 63;
	const uint64_t key = page_key(process, correlation);
	const struct slot_page *p;
	uint32_t slot;

	if (!c->valid || c->key != key)
		*c = (struct slot_cursor){key, idmap_get(&s->page_of, key), true};
	if (c->page == IDMAP_NONE)
		return SLOT_NONE;
	p = &s->pages[c->page];
	if (!(p->bits[word] >> bit & 1))
		return SLOT_NONE;
	slot = p->first +
	       (uint32_t)__builtin_popcountll(p->bits[word] & ((UINT64_C(1) << bit) - 1));
	for (uint32_t w = 0; w < word; w++)
		slot += (uint32_t)__builtin_popcountll(p->bits[w]);
	return slot;
}

void slots_free(struct slots *s)
{
	idmap_free(&s->page_of);
	free(s->pages);
	*s = (struct slots){0};
}
