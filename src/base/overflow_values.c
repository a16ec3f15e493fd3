/* Where are the values that a narrow column has no room for? */
#include "base/overflow_values.h"

#include "base/mem.h"

#include <stdlib.h>

void overflow_values_put(struct overflow_values *a, size_t row, int64_t value)
{
	const uint32_t at = idmap_add(&a->at, row, (uint32_t)a->count);

	if (at == a->count) {
		MEM_GROW(a->values, a->cap, a->count + 1);
		a->count++;
	}
	a->values[at] = value;
}

int64_t overflow_values_get(const struct overflow_values *a, size_t row)
{
	return a->values[idmap_get(&a->at, row)];
}

void overflow_values_renumber(struct overflow_values *a, const uint32_t *of, size_t count)
{
	struct idmap moved = {0};

	for (size_t i = 0; i < count && a->count; i++) {
		const uint32_t at = idmap_get(&a->at, of[i]);

		if (at != IDMAP_NONE)
			idmap_add(&moved, i, at);
	}
	idmap_free(&a->at);
	a->at = moved;
}

void overflow_values_free(struct overflow_values *a)
{
	idmap_free(&a->at);
	free(a->values);
	*a = (struct overflow_values){0};
}
