/*
 * Rows of leaf pages as columns; one reader per thread.
 *
 * Rows whose headers are the same bytes lie the same way: where each wanted value is has to be
 * worked out once per kind of row, not once per row. Each thread keeps the kinds it met last.
 */
#ifndef SQLITEFILE_LEAF_H
#define SQLITEFILE_LEAF_H

#include "sqlitefile/record.h"

enum { LAYOUT_SLOTS = 256, LAYOUT_WORDS = 8 };

/*
 * Where one wanted value lies and how it is read, packed so that one load fetches it all. NULL and
 * the integers are one formula: 8 bytes from `at` >> shift. Values that have no bytes of their own
 * are made from those of the header.
 */
enum { FIELD_SHIFT = 0, FIELD_TYPE = 8, FIELD_SERIAL = 16, FIELD_AT = 32 };
#define FIELD_ODD  ((uint64_t)1 << 62) /* not of that formula */
#define FIELD_DONE ((uint64_t)1 << 61) /* the row was decoded otherwise; always odd too */
#define FIELD_LONG ((uint64_t)1 << 60) /* its type takes two bytes; always odd too */

struct layout {
	uint64_t key[LAYOUT_WORDS]; /* the header as far as the wants reach */
	uint32_t end;		    /* after the last wanted value; UINT32_MAX: the slot is free */
	uint32_t long_at; /* where the type of that value is, if it takes two bytes: `end` is before
			     the value then, which has another length in each record; else 0 */
	uint32_t batch;	  /* the last that used it: it must not change before that ends */
	uint64_t no_ints, no_nulls; /* wants (bits, by number modulo 64) that are no INT, no NULL */
	uint64_t *fields;	    /* one per want */
};

struct layout_keys {
	size_t words; /* of a key; 0 when the wants reach too far for this */
	uint64_t last_mask;
};

struct layouts {
	struct layout slots[LAYOUT_SLOTS];
	uint64_t *done; /* fields of a row that was decoded otherwise */
	uint32_t batch; /* counts up, from 1 */
	struct layout_keys keys;
	uint64_t *fields;
};

void layouts_start(struct layouts *l, const struct plan *plan);
void layouts_free(struct layouts *l);

/* Makes a slot for this record's header; NULL when it is not of the common kind. */
struct layout *layout_make(struct layouts *l, const struct plan *plan, const uint8_t *record);

/* 8 bytes of a header; the last of a key's are masked. */
static inline uint64_t layout_word(const uint8_t *record, size_t i)
{
	uint64_t word;

	memcpy(&word, record + 8 * i, sizeof(word));
	return word;
}

/* The slot of a header, which may hold another. `k` is l->keys, and has words. */
static inline struct layout *layout_slot(struct layouts *l, struct layout_keys k,
					 const uint8_t *record)
{
	uint64_t hash = 0;

	for (size_t i = 0; i + 1 < k.words; i++)
		hash = (hash ^ layout_word(record, i)) * 0x9e3779b97f4a7c15u;
	hash ^= layout_word(record, k.words - 1) & k.last_mask;
	return &l->slots[hash * 0x9e3779b97f4a7c15u >> 56];
}

/* Whether the record has the slot's header. LAYOUT_WORDS * 8 bytes from there must be readable. */
static inline bool layout_fits(const struct layout *slot, struct layout_keys k,
			       const uint8_t *record)
{
	uint64_t differs =
		slot->key[k.words - 1] ^ (layout_word(record, k.words - 1) & k.last_mask);

	for (size_t i = 0; i + 1 < k.words; i++)
		differs |= slot->key[i] ^ layout_word(record, i);
	return differs == 0;
}

/* How many bytes a text or blob has whose type takes two; none fits if it takes more. */
static inline uint32_t long_bytes(const uint8_t *type)
{
	return type[1] < 0x80 ? ((type[0] & 0x7fu) << 7 | type[1]) / 2 - 6 : UINT16_MAX;
}

/* Up to where the wanted values of a record reach, which has the slot's header. */
static inline uint32_t layout_end(const struct layout *slot, const uint8_t *record)
{
	return slot->long_at ? slot->end + long_bytes(record + slot->long_at) : slot->end;
}

struct leaf_row {
	const uint8_t *record;
	const uint64_t *fields; /* how it lies */
};

struct leaf_reader {
	struct plan *plan;
	size_t rows;	  /* room for */
	struct out *outs; /* one per want */
	int64_t *rowids;  /* where the plan wants them */
	struct leaf_row *found;
	uint64_t no_ints, no_nulls; /* of the rows at hand: see struct layout */
	struct layouts layouts;
};

/* `rows`: the most that one leaf_read() will ask for. */
void leaf_reader_start(struct leaf_reader *r, struct plan *plan, size_t rows);
/* A zeroed one is fine. */
void leaf_reader_free(struct leaf_reader *r);

/*
 * Finds cells [begin, begin + rows) of a leaf page, and their rowids; the page has at least that
 * many. Then their values are decoded into outs, from index 0: of one want, or of all.
 */
int leaf_find(struct leaf_reader *r, uint32_t page, uint32_t begin, uint32_t rows, struct err *e);
void leaf_read_want(struct leaf_reader *r, size_t want, uint32_t rows);
void leaf_read(struct leaf_reader *r, uint32_t rows);

#endif
