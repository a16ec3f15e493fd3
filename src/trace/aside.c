/* Where are the few values that a narrow column has no room for? */
#include "trace/aside.h"

#include "base/mem.h"

#include <stdlib.h>

void aside_put(struct aside *a, size_t row, int64_t value)
{
	const uint32_t at = idmap_add(&a->at, row, (uint32_t)a->count);

	if (at == a->count) {
		MEM_GROW(a->values, a->cap, a->count + 1);
		a->count++;
	}
	a->values[at] = value;
}

int64_t aside_get(const struct aside *a, size_t row)
{
	return a->values[idmap_get(&a->at, row)];
}

void aside_renumber(struct aside *a, const uint32_t *of, size_t count)
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

void aside_free(struct aside *a)
{
	idmap_free(&a->at);
	free(a->values);
	*a = (struct aside){0};
}
