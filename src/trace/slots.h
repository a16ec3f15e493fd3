/*
 * Small numbers for the distinct (process, correlationId) pairs of GPU ops. Correlation ids count
 * up, so that a bit per id in pages of 256 is compact and quick where they are dense, and costs no
 * more than a few words each where a hostile trace has scattered them.
 */
#ifndef TRACE_SLOTS_H
#define TRACE_SLOTS_H

#include "base/idmap.h"

#include <stdbool.h>

#define SLOT_NONE UINT32_MAX

struct slot_page {
	uint64_t key; /* process << 24 | correlation >> 8 */
	uint64_t bits[4];
	uint32_t first; /* slot of the page's lowest bit */
};

/* A zeroed struct slots is empty and valid. */
struct slots {
	struct idmap page_of;	 /* key → page, until they are numbered */
	struct slot_page *pages; /* by key, once they are numbered */
	size_t page_count, page_cap;
	size_t count; /* of slots; known once they are numbered */
};

/* Where the last pair was: the next is nearly always in the same page. Each thread has its own. */
struct slot_cursor {
	uint64_t key;
	uint32_t page;
	bool valid;
};

/* Add all pairs, then number them, then look them up from as many threads as you like. */
void slots_add(struct slots *s, struct slot_cursor *c, uint32_t process, uint32_t correlation);
void slots_number(struct slots *s);
/* The pair's slot, or SLOT_NONE. */
uint32_t slots_find(const struct slots *s, struct slot_cursor *c, uint32_t process,
		    uint32_t correlation);
void slots_free(struct slots *s);

#endif
