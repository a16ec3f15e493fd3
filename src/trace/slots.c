/* Which small number stands for this process's correlation id? */
#include "trace/slots.h"

#include "base/mem.h"

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
		s->pages[s->page_count++] = (struct slot_page){.key = key};
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

static int compare_pages(const void *a, const void *b)
{
	uint64_t x = ((const struct slot_page *)a)->key, y = ((const struct slot_page *)b)->key;

	return (x > y) - (x < y);
}

/* Pages in the order of their keys: calls that follow one another have slots that do, too. */
void slots_number(struct slots *s)
{
	bool sorted = true;

	for (size_t i = 1; i < s->page_count; i++)
		sorted = sorted && s->pages[i - 1].key < s->pages[i].key;
	if (!sorted)
		qsort(s->pages, s->page_count, sizeof(*s->pages), compare_pages);
	idmap_free(&s->page_of);
	for (size_t i = 0; i < s->page_count; i++) {
		struct slot_page *p = &s->pages[i];

		p->first = (uint32_t)s->count;
		for (int w = 0; w < 4; w++)
			s->count += (size_t)__builtin_popcountll(p->bits[w]);
	}
}

/* The first page whose key is no less; it is seldom far from `near`. */
static size_t find_page(const struct slots *s, size_t near, uint64_t key)
{
	size_t low = 0, high = s->page_count, step = 1;

	if (near < high && s->pages[near].key >= key) {
		high = near;
	} else if (near < high) {
		low = near + 1;
		while (low + step <= high && s->pages[low + step - 1].key < key) {
			low += step;
			step *= 2;
		}
		if (low + step <= high)
			high = low + step - 1;
	}
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->pages[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t slots_find(const struct slots *s, struct slot_cursor *c, uint32_t process,
		    uint32_t correlation)
{
	const uint32_t word = correlation >> 6 & 3, bit = correlation & 63;
	const uint64_t key = page_key(process, correlation);
	const struct slot_page *p;
	uint32_t slot;

	if (!c->valid || c->key != key)
		*c = (struct slot_cursor){key, (uint32_t)find_page(s, c->page, key), true};
	if (c->page == s->page_count || s->pages[c->page].key != key)
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
