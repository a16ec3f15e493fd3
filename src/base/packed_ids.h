/*
 * Numbers of rows in any order, of which those beside each other in it mostly lie near one another
 * in their table, or near up to four places of it: 2.3 bytes each in place of 4, and each is read
 * in the same short time. Nothing is asked of the numbers: 64 that lie far apart take 4.3 each.
 */
#ifndef BASE_PACKED_IDS_H
#define BASE_PACKED_IDS_H

#include <stddef.h>
#include <stdint.h>

enum {
	PACKED_BLOCK = 64, /* ids that are packed together */
	PACKED_BASES = 4,
};

struct packed_block {
	uint32_t bases[PACKED_BASES];
	uint32_t bits; /* of an offset; 0: the block is wide, and bases[0] its place in `highs` */
};

/* A zeroed one is empty. */
struct packed_ids {
	uint16_t *codes; /* of each id its offset, and above that the number of its base */
	struct packed_block *blocks;
	uint16_t *highs; /* the upper halves of ids in wide blocks, whose codes are the lower */
	size_t count, wide_count;
};

/* On all cores. `ids` stay the caller's. */
void packed_ids_make(struct packed_ids *p, const uint32_t *ids, size_t count);
void packed_ids_free(struct packed_ids *p);
/* The ids [begin, end). */
void packed_ids_read(const struct packed_ids *p, size_t begin, size_t end, uint32_t *ret);

#endif
