/*
 * Small numbers for the distinct (process, correlationId) pairs of GPU ops. Correlation ids count
 * up, so that a bit per id in pages of 256 is compact and quick where they are dense, and costs no
 * more than a few words each where a hostile trace has scattered them.
 */
#ifndef TRACE_SLOTS_H
#define TRACE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOT_NONE UINT32_MAX

struct slot_page {
	uint64_t key; /* process << 24 | correlation >> 8 */
	uint64_t bits[4];
	uint32_t first;	   /* slot of the page's lowest bit */
	uint8_t before[4]; /* bits set in the words before each */
};

enum { SLOT_RECENT = 64 };

/* The pairs of some ops: many lists may be filled at once. A zeroed one is empty and valid. */
struct slot_list {
	struct slot_page *pages;
	size_t count, cap;
	size_t at;		      /* page of the last pair */
	uint32_t recent[SLOT_RECENT]; /* pages by key: processes take turns */
};

/* All pairs, by key. */
struct slots {
	struct slot_page *pages;
	size_t page_count;
	size_t count; /* of slots */
};

/* Where the last pairs were: the next is nearly always in one of their pages, whichever process's
 * turn it is. Each thread has its own. */
enum { SLOT_CURSORS = 8 };

struct slot_cursor {
	struct slot_cursor_page {
		uint64_t key;
		uint32_t page;
		bool valid;
		bool found; /* there is such a page */
	} pages[SLOT_CURSORS];
};

/* Makes the key's page the list's last one. */
void slot_list_turn(struct slot_list *l, uint64_t key);
/* After the last pair: pages in order, each once. */
void slot_list_settle(struct slot_list *l);

/* Numbers the pairs of settled lists and frees those. */
void slots_number(struct slots *s, struct slot_list *lists, size_t count);
/* Moves the cursor to where the key's page is, or would be. */
void slots_seek(const struct slots *s, struct slot_cursor_page *c, uint64_t key);
void slots_free(struct slots *s);

static inline uint64_t slots_key(uint32_t process, uint32_t correlation)
{
	return (uint64_t)process << 24 | correlation >> 8;
}

static inline void slot_list_add(struct slot_list *l, uint32_t process, uint32_t correlation)
{
	uint64_t key = slots_key(process, correlation);

	if (!l->count || l->pages[l->at].key != key)
		slot_list_turn(l, key);
	l->pages[l->at].bits[correlation >> 6 & 3] |= UINT64_C(1) << (correlation & 63);
}

/* The pair's slot, or SLOT_NONE; from as many threads as you like. */
static inline uint32_t slots_find(const struct slots *s, struct slot_cursor *cursor,
				  uint32_t process, uint32_t correlation)
{
	const uint32_t word = correlation >> 6 & 3, bit = correlation & 63;
	const uint64_t key = slots_key(process, correlation);
	struct slot_cursor_page *c = &cursor->pages[process % SLOT_CURSORS];
	const struct slot_page *p;

	if (!c->valid || c->key != key)
		slots_seek(s, c, key);
	if (!c->found)
		return SLOT_NONE;
	p = &s->pages[c->page];
	if (!(p->bits[word] >> bit & 1))
		return SLOT_NONE;
	return p->first + p->before[word] +
	       (uint32_t)__builtin_popcountll(p->bits[word] & ((UINT64_C(1) << bit) - 1));
}

#endif
