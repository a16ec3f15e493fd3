/* Numbers as digits, straight to where they go: a timeline is millions of them. */
#ifndef EXPORT_DIGITS_H
#define EXPORT_DIGITS_H

#include <stdint.h>
#include <string.h>

/* No number takes more, with its sign and three decimals. */
enum { DIGITS_MOST = 24 };

static inline char *digits_put(char *at, uint64_t n)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char text[20];
	size_t i = sizeof(text);

	while (n >= 100) {
		i -= 2;
		memcpy(text + i, pairs + 2 * (n % 100), 2);
		n /= 100;
	}
	if (n >= 10) {
		i -= 2;
		memcpy(text + i, pairs + 2 * n, 2);
	} else {
		text[--i] = (char)('0' + n);
	}
	memcpy(at, text + i, sizeof(text) - i);
	return at + sizeof(text) - i;
}

static inline char *digits_put_signed(char *at, int64_t n)
{
	if (n >= 0)
		return digits_put(at, (uint64_t)n);
	*at++ = '-';
	return digits_put(at, -(uint64_t)n);
}

/* Nanoseconds as microseconds, exactly: 1234567 is 1234.567. */
static inline char *digits_put_us(char *at, uint64_t ns)
{
	uint32_t rest = (uint32_t)(ns % 1000);

	at = digits_put(at, ns / 1000);
	at[0] = '.';
	at[1] = (char)('0' + rest / 100);
	at[2] = (char)('0' + rest / 10 % 10);
	at[3] = (char)('0' + rest % 10);
	return at + 4;
}

#endif
