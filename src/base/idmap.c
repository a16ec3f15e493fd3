/* Which small number stands for this large id? */
#include "base/idmap.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static size_t find_slot(const struct idmap *m, uint64_t key)
{
	size_t i = idmap_hash(key) & m->mask;

	while (m->values[i] != IDMAP_NONE && m->keys[i] != key)
		i = (i + 1) & m->mask;
	return i;
}

uint32_t idmap_get(const struct idmap *m, uint64_t key)
{
	return m->mask ? m->values[find_slot(m, key)] : IDMAP_NONE;
}

static void resize(struct idmap *m, size_t slots)
{
	struct idmap grown = {
		.keys = mem_alloc(slots, sizeof(*grown.keys)),
		.values = mem_alloc(slots, sizeof(*grown.values)),
		.count = m->count,
		.mask = slots - 1,
	};

	memset(grown.values, 0xff, slots * sizeof(*grown.values));
	for (size_t i = 0; m->mask && i <= m->mask; i++) {
		if (m->values[i] != IDMAP_NONE) {
			size_t to = find_slot(&grown, m->keys[i]);

			grown.keys[to] = m->keys[i];
			grown.values[to] = m->values[i];
		}
	}
	free(m->keys);
	free(m->values);
	*m = grown;
}

void idmap_reserve(struct idmap *m, size_t count)
{
	size_t slots = 16;

	while (slots - slots / 4 <= count)
		slots *= 2;
	if (slots > m->mask + 1 || !m->mask)
		resize(m, slots);
}

uint32_t idmap_add(struct idmap *m, uint64_t key, uint32_t value)
{
	size_t slot;

	idmap_reserve(m, m->count + 1);
	slot = find_slot(m, key);
	if (m->values[slot] == IDMAP_NONE) {
		m->keys[slot] = key;
		m->values[slot] = value;
		m->count++;
	}
	return m->values[slot];
}

void idmap_free(struct idmap *m)
{
	free(m->keys);
	free(m->values);
	*m = (struct idmap){0};
}
