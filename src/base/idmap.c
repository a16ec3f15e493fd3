/* Which small number stands for this large id? */
#include "base/idmap.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

uint64_t idmap_seed;

__attribute__((constructor)) static void choose_seed(void)
{
	if (getrandom(&idmap_seed, sizeof(idmap_seed), GRND_NONBLOCK) != sizeof(idmap_seed))
		idmap_seed = (uintptr_t)&idmap_seed ^ (uint64_t)getpid() << 32;
}

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
	uint64_t *keys = m->keys;
	uint32_t *values = m->values;
	size_t old_slots = m->mask ? m->mask + 1 : 0;

	m->keys = mem_alloc(slots, sizeof(*m->keys));
	m->values = mem_alloc(slots, sizeof(*m->values));
	m->mask = slots - 1;
	memset(m->values, 0xff, slots * sizeof(*m->values));
	for (size_t i = 0; i < old_slots; i++) {
		if (values[i] != IDMAP_NONE) {
			size_t to = find_slot(m, keys[i]);

			m->keys[to] = keys[i];
			m->values[to] = values[i];
		}
	}
	free(keys);
	free(values);
}

void idmap_reserve(struct idmap *m, size_t count)
{
	size_t slots = m->mask ? m->mask + 1 : 16;

	while (slots - slots / 4 <= count)
		slots *= 2;
	if (slots > m->mask + 1 || !m->mask)
		resize(m, slots);
}

/* A key that is there changes nothing, not even the room: others may be reading. */
uint32_t idmap_add(struct idmap *m, uint64_t key, uint32_t value)
{
	uint32_t known = idmap_get(m, key);
	size_t slot;

	if (known != IDMAP_NONE)
		return known;
	idmap_reserve(m, m->count + 1);
	slot = find_slot(m, key);
	m->keys[slot] = key;
	m->values[slot] = value;
	m->count++;
	return value;
}

uint32_t idmap_number_pair(struct idmap *m, uint32_t high, uint32_t low)
{
	return idmap_add(m, (uint64_t)high << 32 | low, (uint32_t)m->count);
}

void idmap_free(struct idmap *m)
{
	free(m->keys);
	free(m->values);
	*m = (struct idmap){0};
}
