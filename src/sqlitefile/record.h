/* Cells of a table leaf page, and the records inside them. */
#ifndef SQLITEFILE_RECORD_H
#define SQLITEFILE_RECORD_H

#include "sqlitefile/internal.h"

#include <stdatomic.h>

/* One wanted column that records hold. */
struct want {
	uint32_t column;
	bool is_real;
	bool has_default;
};

/* Where its values go. */
struct out {
	uint8_t *type;
	int64_t *num;
	const char **s; /* all NULL unless has_bytes */
	bool has_bytes;
	uint8_t all; /* the type that all rows have, and the arrays hold; or SQLITE_IS_ANY */
};

/* What to take out of every record of a table. */
struct plan {
	struct sqlitefile *f;
	struct table *t;
	struct want *wants; /* ascending by column, each once */
	size_t want_count;
	uint32_t columns; /* how far into a record the wants reach */
	bool wants_rowid;
	atomic_bool lacks_default;     /* a record was too short for a column with a DEFAULT */
	atomic_llong overflow_allowed; /* pages: in a sound file no two rows share one */
};

/* A cell in its page. What is not in the page itself follows from page `overflow`. */
struct cell {
	const uint8_t *payload;
	uint64_t size;
	uint32_t local;
	uint32_t overflow;
	uint32_t page;
	int64_t rowid;
};

/* Bytes of a value by serial type, for the types that are one byte long themselves. */
extern const uint8_t serial_sizes[128];

/* Stores a value; 8 bytes from p are readable even where the value is shorter. */
void value_put(struct out *out, size_t row, bool is_real, uint64_t serial, uint64_t size,
	       const uint8_t *p);

/* record.c: decodes one record of any shape into index `row`. */
int record_decode_any(struct plan *plan, const struct cell *cell, struct out *outs, size_t row,
		      struct err *e);

/* 1 to 9 bytes, of which up to 9 must be readable. Returns the byte after. */
const uint8_t *varint_long(const uint8_t *p, uint64_t *ret);

static inline const uint8_t *varint(const uint8_t *p, uint64_t *ret)
{
	if (p[0] < 0x80) {
		*ret = p[0];
		return p + 1;
	}
	if (p[1] < 0x80) {
		*ret = (uint64_t)(p[0] & 0x7f) << 7 | p[1];
		return p + 2;
	}
	return varint_long(p, ret);
}

#endif
