/* How does a number read: to a person, and to a machine? */
#include "text/units.h"

#include "base/mem.h"
#include "text/decimal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DECIMALS = 18 };

#define POWERS_4(n) n, n##0, n##00, n##000

static const uint64_t powers_of_ten[MAX_DECIMALS + 1] = {
	POWERS_4(1),	   POWERS_4(10000),    POWERS_4(100000000), POWERS_4(1000000000000),
	10000000000000000, 100000000000000000, 1000000000000000000,
};

static void add_not_finite(struct buf *b, double x)
{
	buf_adds(b, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
}

/* x of 2^53 and more has no fraction, and %.0f no decimal point that a locale could change. */
static void add_huge(struct buf *b, double x, int decimals)
{
	buf_addf(b, "%.0f", x);
	if (decimals > 0) {
		buf_addc(b, '.');
		buf_addn(b, '0', (size_t)decimals);
	}
}

/*
 * What `nsys stats` prints is the double itself rounded once, an exact tie away from zero. Of
 * 1,600 CSV files every average whose next digit is a 5 agrees: 3215807.25 (a tie in binary too)
 * gives 3215807.3 where printf's ties-to-even would say .2, and 21377.85 (just below the tie in
 * binary) gives 21377.8 where SQLite's ROUND would say .9. Hence exact integer arithmetic here.
 */
static void add_fixed(struct buf *b, double x, int decimals,
		      void (*add_whole)(struct buf *, int64_t))
{
	unsigned __int128 fraction, half;
	uint64_t mantissa, whole;
	int exponent, shift;

	if (decimals > MAX_DECIMALS)
		decimals = MAX_DECIMALS;
	if (!isfinite(x)) {
		add_not_finite(b, x);
		return;
	}
	if (fabs(x) >= 0x1p53) {
		add_huge(b, x, decimals);
		return;
	}
	mantissa = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
	shift = 53 - exponent; /* |x| = mantissa / 2^shift, shift ≥ 0 */
	whole = shift < 64 ? mantissa >> shift : 0;
	fraction = shift < 64 ? mantissa - (whole << shift) : mantissa;
	fraction *= powers_of_ten[decimals];
	if (shift == 0 || shift > 120) {
		fraction = 0; /* below 2^113 / 2^120: rounds to nothing */
	} else {
		half = (unsigned __int128)1 << (shift - 1);
		fraction = (fraction + half) >> shift;
	}
	if (fraction == powers_of_ten[decimals]) {
		fraction = 0;
		whole++;
	}
	if (x < 0 && (whole || fraction))
		buf_addc(b, '-');
	add_whole(b, (int64_t)whole);
	if (decimals > 0) {
		buf_addc(b, '.');
		decimal_add_padded(b, (uint64_t)fraction, decimals);
	}
}

void units_add_fixed(struct buf *b, double x, int decimals)
{
	add_fixed(b, x, decimals, decimal_add_int);
}

void units_add_share(struct buf *b, double pct, int decimals)
{
	const double least = pow(10, -decimals);

	if (pct > 0 && pct < least / 2) {
		buf_adds(b, "under ");
		pct = least;
	}
	units_add_fixed(b, pct, decimals);
	buf_adds(b, " %");
}

void units_add_grouped(struct buf *b, double x, int decimals)
{
	add_fixed(b, x, decimals, units_add_count);
}

/*
 * printf's shortest form that reads back, with whatever the locale's point is made a '.'. Any 15
 * digits survive in a double, and %g drops zeros, so shorter ones matter to subnormals only.
 */
static void add_shortest_printf(struct buf *b, double x)
{
	char text[64];
	int precision = fabs(x) < DBL_MIN ? 1 : 15;

	do
		snprintf(text, sizeof(text), "%.*g", precision, x);
	while (strtod(text, NULL) != x && ++precision <= 17);
	for (const char *p = text; *p; p++) {
		if (strchr("0123456789+-e", *p))
			buf_addc(b, *p);
		else if (b->s[b->len - 1] != '.')
			buf_addc(b, '.');
	}
}

/*
 * Nearly every number has few decimals: n / 10^d with both exact in a double divides to the
 * double nearest that decimal, so if it gives x, then the decimal reads back as x.
 */
void units_add_real(struct buf *b, double x)
{
	double size = fabs(x);

	if (!isfinite(x)) {
		add_not_finite(b, x);
		return;
	}
	for (int d = 0; d <= 15 && size * (double)powers_of_ten[d] < 0x1p53; d++) {
		double power = (double)powers_of_ten[d];
		uint64_t n = (uint64_t)(size * power + 0.5);

		if ((double)n / power != size || n > (uint64_t)1 << 53)
			continue;
		if (x < 0)
			buf_addc(b, '-');
		decimal_add_uint(b, n / powers_of_ten[d]);
		if (d > 0) {
			buf_addc(b, '.');
			decimal_add_padded(b, n % powers_of_ten[d], d);
		}
		return;
	}
	add_shortest_printf(b, x);
}

void units_add_count(struct buf *b, int64_t n)
{
	uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
	uint64_t group = 1;

	if (n < 0)
		buf_addc(b, '-');
	while (left / group >= 1000)
		group *= 1000;
	decimal_add_uint(b, left / group);
	while (group > 1) {
		left %= group;
		group /= 1000;
		buf_addc(b, ',');
		decimal_add_padded(b, left / group, 3);
	}
}

/* Three significant digits of 0 <= x; whole numbers below 1000 as they are. */
static void add_three_digits(struct buf *b, double x)
{
	if (x >= 999.5)
		units_add_count(b, x < 9e18 ? (int64_t)(x + 0.5) : INT64_MAX);
	else if (x >= 99.95)
		units_add_fixed(b, x, 0);
	else if (x >= 9.995)
		units_add_fixed(b, x, 1);
	else
		units_add_fixed(b, x, 2);
}

/* x in the largest unit that leaves at least 1 of it after rounding. */
static void add_scaled(struct buf *b, double x, const char *const *units, size_t count)
{
	double size = fabs(x);
	size_t i = 0;

	if (!isfinite(x)) {
		buf_addc(b, '-');
		return;
	}
	while (i + 1 < count && size >= 999.5) {
		size /= 1000;
		i++;
	}
	if (x < 0)
		buf_addc(b, '-');
	if (i == 0 && size == floor(size))
		decimal_add_uint(b, (uint64_t)size);
	else
		add_three_digits(b, size);
	buf_addc(b, ' ');
	buf_adds(b, units[i]);
}

void units_add_ns(struct buf *b, double ns)
{
	static const char *const units[] = {"ns", "µs", "ms", "s"};

	add_scaled(b, ns, units, ARRAY_LEN(units));
}

void units_add_bytes(struct buf *b, double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};

	add_scaled(b, bytes, units, ARRAY_LEN(units));
}

void units_add_rate(struct buf *b, double bytes_per_s)
{
	units_add_bytes(b, bytes_per_s);
	if (isfinite(bytes_per_s))
		buf_adds(b, "/s");
}

void units_add_flops(struct buf *b, double flops)
{
	static const char *const units[] = {"FLOP",  "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP",
					    "EFLOP", "ZFLOP", "YFLOP", "RFLOP", "QFLOP"};

	add_scaled(b, flops, units, ARRAY_LEN(units));
}

void units_add_time(struct buf *b, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t us = (size + 500) / 1000;

	if (ns < 0 && us)
		buf_addc(b, '-');
	decimal_add_uint(b, us / 1000000);
	buf_addc(b, '.');
	decimal_add_padded(b, us % 1000000, 6);
	buf_adds(b, " s");
}
