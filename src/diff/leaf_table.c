/* How much time does each leaf have so far? */
#include "diff/leaf_table.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static size_t find(struct leaf_table *t, uint64_t key)
{
	struct leaf_found *recent =
		&t->recent[(key ^ key >> 32 ^ key >> 35) % ARRAY_LEN(t->recent)];
	uint32_t number;

	if (recent->number && recent->key == key)
		return recent->number - 1;
	number = idmap_add(&t->index, key, (uint32_t)t->count);
	if (number == t->count) {
		MEM_GROW(t->keys, t->cap, t->count + 1);
		MEM_GROW(t->sums, t->sum_cap, (t->count + 1) * t->kinds);
		memset(&t->sums[t->count * t->kinds], 0, t->kinds * sizeof(*t->sums));
		t->keys[t->count++] = key;
	}
	*recent = (struct leaf_found){key, number + 1};
	return number;
}

struct leaf_sum *leaf_table_sum(struct leaf_table *t, uint32_t path, uint32_t what, uint32_t kind)
{
	const size_t leaf = find(t, (uint64_t)path << 32 | what);

	return &t->sums[leaf * t->kinds + kind];
}

void leaf_table_add(struct leaf_table *to, const struct leaf_table *from)
{
	for (size_t i = 0; i < from->count * from->kinds; i++) {
		const uint64_t key = from->keys[i / from->kinds];

		leaf_sum_add(leaf_table_sum(to, leaf_key_path(key), leaf_key_what(key),
					    (uint32_t)(i % from->kinds)),
			     &from->sums[i]);
	}
}

void leaf_table_free(struct leaf_table *t)
{
	idmap_free(&t->index);
	free(t->keys);
	free(t->sums);
	*t = (struct leaf_table){.kinds = t->kinds};
}
