/*
 * Small numbers for the distinct (process, correlationId) pairs of GPU ops. Correlation ids count
 * up, so that a bit per id in pages of 256 is compact and quick where they are dense, and costs no
 * more than a few words each where a hostile trace has scattered them.
 */
#ifndef TRACE_LAUNCH_NUMBERS_H
#define TRACE_LAUNCH_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAUNCH_NONE UINT32_MAX

struct pair_page {
	uint64_t key; /* process << 24 | correlation >> 8 */
	uint64_t bits[4];
	uint32_t first;	   /* launch of the page's lowest bit */
	uint8_t before[4]; /* bits set in the words before each */
};

enum { RECENT_PAGES = 64 };

/* The pairs of some ops: many lists may be filled at once. A zeroed one is empty and valid. */
struct pair_list {
	struct pair_page *pages;
	size_t count, cap;
	size_t at;		       /* page of the last pair */
	uint32_t recent[RECENT_PAGES]; /* pages by key: processes take turns */
};

/* All pairs, by key. */
struct launch_numbers {
	struct pair_page *pages;
	size_t page_count;
	size_t count; /* of launches */
};

/* Where the last pairs were: the next is nearly always in one of their pages, whichever process's
 * turn it is. Each thread has its own. */
enum { LAUNCH_CURSORS = 8 };

struct launch_cursor {
	struct launch_cursor_page {
		uint64_t key;
		uint32_t page;
		bool valid;
		bool found; /* there is such a page */
	} pages[LAUNCH_CURSORS];
};

/* Makes the key's page the list's last one. */
void pair_list_turn(struct pair_list *l, uint64_t key);
/* After the last pair: pages in order, each once. */
void pair_list_settle(struct pair_list *l);

/* Numbers the pairs of settled lists and frees those. */
void launch_numbers_make(struct launch_numbers *s, struct pair_list *lists, size_t count);
/* Moves the cursor to where the key's page is, or would be. */
void launch_numbers_seek(const struct launch_numbers *s, struct launch_cursor_page *c,
			 uint64_t key);
void launch_numbers_free(struct launch_numbers *s);

static inline uint64_t pair_key(uint32_t process, uint32_t correlation)
{
	return (uint64_t)process << 24 | correlation >> 8;
}

/* The lowest correlation id that has the key. */
static inline uint32_t pair_key_correlation(uint64_t key)
{
	return (uint32_t)(key << 8);
}

static inline void pair_list_add(struct pair_list *l, uint32_t process, uint32_t correlation)
{
	uint64_t key = pair_key(process, correlation);

	if (!l->count || l->pages[l->at].key != key)
		pair_list_turn(l, key);
	l->pages[l->at].bits[correlation >> 6 & 3] |= UINT64_C(1) << (correlation & 63);
}

/* The pair's launch, or LAUNCH_NONE; from as many threads as you like. */
static inline uint32_t launch_numbers_find(const struct launch_numbers *s,
					   struct launch_cursor *cursor, uint32_t process,
					   uint32_t correlation)
{
	const uint32_t word = correlation >> 6 & 3, bit = correlation & 63;
	const uint64_t key = pair_key(process, correlation);
	struct launch_cursor_page *c = &cursor->pages[process % LAUNCH_CURSORS];
	const struct pair_page *p;

	if (!c->valid || c->key != key)
		launch_numbers_seek(s, c, key);
	if (!c->found)
		return LAUNCH_NONE;
	p = &s->pages[c->page];
	if (!(p->bits[word] >> bit & 1))
		return LAUNCH_NONE;
	return p->first + p->before[word] +
	       (uint32_t)__builtin_popcountll(p->bits[word] & ((UINT64_C(1) << bit) - 1));
}

#endif
