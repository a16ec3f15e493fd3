/*
 * Rows whose headers are the same bytes lie the same way: where each wanted value is has to be
 * worked out once per kind of row, not once per row. Each thread keeps the kinds it met last.
 */
#ifndef SQLITEFILE_LAYOUT_H
#define SQLITEFILE_LAYOUT_H

#include "sqlitefile/record.h"

enum { LAYOUT_SLOTS = 256, LAYOUT_WORDS = 8 };

/*
 * Where one wanted value lies and how it is read, packed so that one load fetches it all. NULL and
 * the integers are one formula: (8 bytes from `at` >> shift & stored) | one.
 */
enum { FIELD_AT = 0, FIELD_SHIFT = 16, FIELD_TYPE = 24, FIELD_ONE = 32, FIELD_SERIAL = 40 };
#define FIELD_STORED ((uint64_t)1 << 63) /* the value has bytes of its own */
#define FIELD_ODD    ((uint64_t)1 << 62) /* not of that formula */
#define FIELD_DONE   ((uint64_t)1 << 61) /* the row was decoded otherwise; always odd too */

struct layout {
	uint64_t key[LAYOUT_WORDS]; /* the header as far as the wants reach */
	uint32_t end;		    /* after the last wanted value; 0 marks a free slot */
	uint32_t batch;		    /* the last that used it: it must not change before that ends */
	uint64_t no_ints, no_nulls; /* wants (bits, by number modulo 64) that are no INT, no NULL */
	uint64_t *fields;	    /* one per want */
};

struct layouts {
	struct layout slots[LAYOUT_SLOTS];
	uint64_t *done; /* fields of a row that was decoded otherwise */
	uint32_t batch; /* counts up, from 1 */
	size_t words;	/* of a key; 0 when the wants reach too far for this */
	uint64_t last_mask;
	uint64_t *fields;
};

void layouts_start(struct layouts *l, const struct plan *plan);
void layouts_free(struct layouts *l);

/* Fills the slot for this record's header, or returns NULL when it is not of the common kind. */
const struct layout *layout_make(struct layouts *l, const struct plan *plan, struct layout *slot,
				 const uint8_t *record);

/* Word i of a record's key. */
static inline uint64_t layout_word(const struct layouts *l, const uint8_t *record, size_t i)
{
	uint64_t word;

	memcpy(&word, record + 8 * i, sizeof(word));
	return i + 1 == l->words ? word & l->last_mask : word;
}

/* How this record lies, or NULL. LAYOUT_WORDS * 8 bytes from there must be readable. */
static inline const struct layout *layout_find(struct layouts *l, const struct plan *plan,
					       const uint8_t *record)
{
	uint64_t hash = 0, differs = 0;
	struct layout *slot;

	for (size_t i = 0; i < l->words; i++)
		hash = (hash ^ layout_word(l, record, i)) * 0x9e3779b97f4a7c15u;
	slot = &l->slots[hash >> 56];
	for (size_t i = 0; i < l->words; i++)
		differs |= slot->key[i] ^ layout_word(l, record, i);
	if (__builtin_expect(differs == 0 && slot->end != 0, 1)) {
		slot->batch = l->batch;
		return slot;
	}
	return layout_make(l, plan, slot, record);
}

#endif
