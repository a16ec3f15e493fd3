/*
 * Numbers for pairs of ids, 0 for the first that is met, where a few pairs come again and again:
 * the streams of a process, the ranks of a program taking turns. A zeroed one is empty and valid.
 */
#ifndef BASE_PAIRS_H
#define BASE_PAIRS_H

#include "base/idmap.h"

enum { PAIRS_RECENT = 128 };

struct pairs {
	struct idmap numbers;
	struct {
		uint32_t high, low;
		uint32_t number_plus_1; /* 0: none yet */
	} recent[PAIRS_RECENT];		/* those met last, by a hash */
};

static inline void pairs_free(struct pairs *p)
{
	idmap_free(&p->numbers);
}

static inline uint32_t pairs_number(struct pairs *p, uint32_t high, uint32_t low)
{
	const uint32_t mixed = (high * 0x9e3779b1u ^ low) * 0x85ebca6bu;
	const uint32_t at = mixed >> 25;

	if (p->recent[at].number_plus_1 && p->recent[at].high == high && p->recent[at].low == low)
		return p->recent[at].number_plus_1 - 1;
	p->recent[at].high = high;
	p->recent[at].low = low;
	p->recent[at].number_plus_1 = idmap_number_pair(&p->numbers, high, low) + 1;
	return p->recent[at].number_plus_1 - 1;
}

/* The number of a pair that was met; IDMAP_NONE: it was not. */
static inline uint32_t pairs_find(const struct pairs *p, uint32_t high, uint32_t low)
{
	return idmap_get(&p->numbers, (uint64_t)high << 32 | low);
}

/* How many pairs have a number. */
static inline size_t pairs_count(const struct pairs *p)
{
	return p->numbers.count;
}

#endif
