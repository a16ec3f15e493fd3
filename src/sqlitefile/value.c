/* What is a value of this serial type? */
#include "sqlitefile/record.h"

/* Serial types 12 + 2n and 13 + 2n hold n bytes. */
#define BYTES_1(n) (n), (n)
#define BYTES_4(n) BYTES_1(n), BYTES_1((n) + 1), BYTES_1((n) + 2), BYTES_1((n) + 3)

const uint8_t serial_sizes[128] = {
	0,	     1,		  2,	       3,	    4,		 6,	      8,
	8,	     0,		  0,	       0,	    0,		 BYTES_4(0),  BYTES_4(4),
	BYTES_4(8),  BYTES_4(12), BYTES_4(16), BYTES_4(20), BYTES_4(24), BYTES_4(28), BYTES_4(32),
	BYTES_4(36), BYTES_4(40), BYTES_4(44), BYTES_4(48), BYTES_4(52), BYTES_1(56), BYTES_1(57),
};

static void put(struct out *out, size_t row, enum sqlite_type type, int64_t num)
{
	out->type[row] = (uint8_t)type;
	out->num[row] = num;
}

static void put_real(struct out *out, size_t row, double d)
{
	int64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	/* SQL has no NaN: SQLite reads one as NULL. */
	if (d != d)
		put(out, row, SQLITE_IS_NULL, 0);
	else
		put(out, row, SQLITE_IS_REAL, bits);
}

static int64_t integer(uint64_t serial, const uint8_t *p)
{
	if (serial >= 8)
		return serial == 9;
	return (int64_t)be64(p) >> (64 - 8 * serial_sizes[serial]);
}

void value_put(struct out *out, size_t row, bool is_real, uint64_t serial, uint64_t size,
	       const uint8_t *p)
{
	if (serial >= 12) {
		put(out, row, serial & 1 ? SQLITE_IS_TEXT : SQLITE_IS_BLOB, (int64_t)size);
		out->s[row] = (const char *)p;
		out->has_bytes = true;
	} else if (serial == 7) {
		put_real(out, row, sqlite_real((int64_t)be64(p)));
	} else if (serial == 0 || serial >= 10) {
		put(out, row, SQLITE_IS_NULL, 0);
	} else if (is_real) {
		put_real(out, row, (double)integer(serial, p));
	} else {
		put(out, row, SQLITE_IS_INT, integer(serial, p));
	}
}
