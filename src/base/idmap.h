/*
 * A map from 64-bit keys to 32-bit values: open addressing, grows by doubling, no removal.
 * A zeroed struct idmap is empty and valid.
 */
#ifndef BASE_IDMAP_H
#define BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap {
	uint64_t *keys;
	uint32_t *values; /* IDMAP_NONE marks a free slot */
	size_t count;
	size_t mask; /* slots - 1; 0 before the first insert */
};

/* The value of key, or IDMAP_NONE. */
uint32_t idmap_get(const struct idmap *m, uint64_t key);
/* Inserts key → value unless key is there; returns the value that key has now. */
uint32_t idmap_add(struct idmap *m, uint64_t key, uint32_t value);
/* The number of a pair: 0 for the first that is met, then 1, and so on. */
uint32_t idmap_number_pair(struct idmap *m, uint32_t high, uint32_t low);
void idmap_reserve(struct idmap *m, size_t count);
void idmap_free(struct idmap *m);

/* Differs from run to run, so that no trace can be made to collide. Slot order means nothing. */
extern uint64_t idmap_seed;

static inline uint64_t idmap_hash(uint64_t x)
{
	x ^= x >> 32 ^ idmap_seed;
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return x ^ (x >> 32);
}

#endif
