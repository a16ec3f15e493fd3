/* How is an integer written quickly? */
#include "text/decimal.h"

enum { UINT64_DIGITS = 20 };

/* Fills the digits of n backwards from `end`, two at a time; returns the first one. */
static char *put_digits(char *end, uint64_t n)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

	while (n >= 100) {
		end -= 2;
		memcpy(end, pairs + n % 100 * 2, 2);
		n /= 100;
	}
	if (n >= 10) {
		end -= 2;
		memcpy(end, pairs + n * 2, 2);
	} else {
		*--end = (char)('0' + n);
	}
	return end;
}

void decimal_add_uint(struct buf *b, uint64_t n)
{
	char digits[UINT64_DIGITS];
	char *end = digits + sizeof(digits);
	char *first = put_digits(end, n);

	buf_add(b, first, (size_t)(end - first));
}

void decimal_add_int(struct buf *b, int64_t n)
{
	char digits[UINT64_DIGITS + 1];
	char *end = digits + sizeof(digits);
	char *first = put_digits(end, n < 0 ? -(uint64_t)n : (uint64_t)n);

	if (n < 0)
		*--first = '-';
	buf_add(b, first, (size_t)(end - first));
}

void decimal_add_padded(struct buf *b, uint64_t n, int digits)
{
	char text[UINT64_DIGITS];
	char *end = text + sizeof(text);
	char *first = put_digits(end, n);
	int have = (int)(end - first);

	if (have < digits)
		buf_addn(b, '0', (size_t)(digits - have));
	buf_add(b, first, (size_t)have);
}

bool decimal_is_plain(const char *text)
{
	static const char digits[] = "0123456789";
	size_t whole, part = 0;

	text += *text == '-';
	whole = strspn(text, digits);
	text += whole;
	if (*text == '.') {
		part = strspn(text + 1, digits);
		text += 1 + part;
	}
	return whole + part > 0 && !*text;
}
