/* Numbers that belong together, directly or by way of others. */
#ifndef BASE_SETS_H
#define BASE_SETS_H

#include "base/mem.h"

#include <stdint.h>

/* By number: another one of its set, or itself, the lowest of all. */
static inline uint32_t *sets_new(size_t count)
{
	uint32_t *sets = mem_alloc(count, sizeof(*sets));

	for (size_t i = 0; i < count; i++)
		sets[i] = (uint32_t)i;
	return sets;
}

/* The lowest of its set, which stands for all of it. */
static inline uint32_t sets_first(uint32_t *sets, uint32_t number)
{
	while (sets[number] != number) {
		sets[number] = sets[sets[number]];
		number = sets[number];
	}
	return number;
}

static inline void sets_join(uint32_t *sets, uint32_t a, uint32_t b)
{
	a = sets_first(sets, a);
	b = sets_first(sets, b);
	sets[a > b ? a : b] = a < b ? a : b;
}

#endif
