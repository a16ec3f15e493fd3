/* Sums of leaves as they are met: by path, by what the device or the host did, and by kind of step.
 */
#ifndef DIFF_LEAF_TABLE_H
#define DIFF_LEAF_TABLE_H

#include "diff/account.h"

struct leaf_table {
	size_t kinds; /* of steps */
	struct idmap index;
	uint64_t *keys; /* path << 32 | what */
	size_t count, cap;
	struct leaf_sum *sums; /* by leaf · kinds + kind */
	size_t sum_cap;
	/* Where keys of late were found, by some of their bits: most come again soon. */
	struct leaf_found {
		uint64_t key;
		uint32_t number; /* and one more; 0: there is none */
	} recent[64];
};

/* A zeroed table with `kinds` set is empty. */
struct leaf_sum *leaf_table_sum(struct leaf_table *t, uint32_t path, uint32_t what, uint32_t kind);
void leaf_table_add(struct leaf_table *to, const struct leaf_table *from);
void leaf_table_free(struct leaf_table *t);

static inline uint32_t leaf_key_path(uint64_t key)
{
	return (uint32_t)(key >> 32);
}

static inline uint32_t leaf_key_what(uint64_t key)
{
	return (uint32_t)key;
}

#endif
