/* Where do the wanted values lie in records that begin with this header? */
#include "sqlitefile/leaf.h"

#include "base/mem.h"

#include <stdlib.h>

void layouts_start(struct layouts *l, const struct plan *plan)
{
	size_t bytes = plan->columns + 1, wants = plan->want_count;

	memset(l, 0, sizeof(*l));
	l->fields = mem_zalloc((LAYOUT_SLOTS + 1) * wants, sizeof(*l->fields));
	for (size_t i = 0; i < LAYOUT_SLOTS; i++) {
		l->slots[i].fields = l->fields + i * wants;
		l->slots[i].end = UINT32_MAX;
	}
	l->done = l->fields + LAYOUT_SLOTS * wants;
	for (size_t i = 0; i < wants; i++)
		l->done[i] = FIELD_ODD | FIELD_DONE;
	if (bytes <= LAYOUT_WORDS * 8) {
		l->keys.words = (bytes + 7) / 8;
		l->keys.last_mask = ~(uint64_t)0 >> (l->keys.words * 64 - bytes * 8);
	}
}

void layouts_free(struct layouts *l)
{
	free(l->fields);
}

/* How the value of a serial type that is met at `type_at` of the header is read. */
static uint64_t make_field(uint64_t serial, uint64_t type_at, uint64_t at, bool is_real)
{
	bool is_null = serial == 0 || serial == 10 || serial == 11;
	uint64_t type = is_null ? SQLITE_IS_NULL : SQLITE_IS_INT;
	uint64_t field = type << FIELD_TYPE | serial << FIELD_SERIAL;

	if (is_real || serial == 7 || serial >= 12)
		return field | FIELD_ODD | at << FIELD_AT;
	if (serial >= 1 && serial <= 6)
		return field | at << FIELD_AT | (uint64_t)(64 - 8 * serial_sizes[serial]);
	/* Below 16 its high bits are 0, and those of the serial type 9, which means 1, are 1. */
	return field | type_at << FIELD_AT | (serial == 9 ? 59 : 60);
}

/* Wants that share a bit only keep each other from being read in a simpler way. */
static void note_types(struct layout *slot, size_t wants)
{
	slot->no_ints = slot->no_nulls = 0;
	for (size_t i = 0; i < wants; i++) {
		uint64_t field = slot->fields[i], bit = UINT64_C(1) << (i & 63);
		uint8_t type = (uint8_t)(field >> FIELD_TYPE);

		if (field & FIELD_ODD || type != SQLITE_IS_INT)
			slot->no_ints |= bit;
		if (field & FIELD_ODD || type != SQLITE_IS_NULL)
			slot->no_nulls |= bit;
	}
}

/* Of the wanted types the last may be that of a text or blob of 58 bytes to 8 KB. */
static bool is_long(const struct plan *plan, const uint8_t *record)
{
	const uint8_t *last = record + plan->columns;

	return plan->columns && last[0] > 0x80 && last[1] < 0x80 && record[0] > plan->columns + 1;
}

static bool is_common(const struct plan *plan, const uint8_t *record)
{
	const uint32_t short_types = plan->columns - is_long(plan, record);

	if (record[0] >= 0x80 || record[0] <= plan->columns)
		return false;
	for (uint32_t i = 0; i < short_types; i++)
		if (record[1 + i] >= 0x80)
			return false;
	return true;
}

/* The last wanted value, where its type takes two bytes. */
static void end_with_long(struct layout *slot, const struct plan *plan, uint32_t at)
{
	slot->fields[plan->want_count - 1] = FIELD_ODD | FIELD_LONG | (uint64_t)at << FIELD_AT;
	slot->end = at;
	slot->long_at = plan->columns;
}

struct layout *layout_make(struct layouts *l, const struct plan *plan, const uint8_t *record)
{
	const uint8_t *types = record + 1;
	uint32_t at = record[0], column = 0;
	struct layout *slot;

	if (l->keys.words == 0 || !is_common(plan, record))
		return NULL;
	slot = layout_slot(l, l->keys, record);
	if (slot->batch == l->batch)
		return NULL;
	for (size_t i = 0; i < plan->want_count; i++) {
		const struct want *w = &plan->wants[i];

		for (; column < w->column; column++)
			at += serial_sizes[types[column]];
		slot->fields[i] = make_field(types[column], column + 1, at, w->is_real);
	}
	slot->end = at;
	slot->long_at = 0;
	if (is_long(plan, record))
		end_with_long(slot, plan, at);
	else if (plan->columns)
		slot->end += serial_sizes[types[column]];
	note_types(slot, plan->want_count);
	slot->batch = l->batch;
	for (size_t i = 0; i < l->keys.words; i++)
		slot->key[i] = layout_word(record, i);
	slot->key[l->keys.words - 1] &= l->keys.last_mask;
	return slot;
}
