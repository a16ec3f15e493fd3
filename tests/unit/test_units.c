/* Do numbers read as they should, to people and to machines? */
#include "base/mem.h"
#include "groups.h"
#include "text/decimal.h"
#include "text/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ASSERT_ADDS(expected, call)                 \
	do {                                        \
		struct buf b = {0};                 \
		call;                               \
		assert_string_equal(b.s, expected); \
		buf_free(&b);                       \
	} while (0)

static void test_ns(void **state)
{
	(void)state;
	ASSERT_ADDS("0 ns", units_add_ns(&b, 0));
	ASSERT_ADDS("850 ns", units_add_ns(&b, 850));
	ASSERT_ADDS("12.3 ns", units_add_ns(&b, 12.34));
	ASSERT_ADDS("1.23 µs", units_add_ns(&b, 1234));
	ASSERT_ADDS("45.5 ms", units_add_ns(&b, 45.5e6));
	ASSERT_ADDS("12.3 s", units_add_ns(&b, 12.3e9));
	ASSERT_ADDS("86,400 s", units_add_ns(&b, 86400e9));
	ASSERT_ADDS("-1.50 ms", units_add_ns(&b, -1.5e6));
	ASSERT_ADDS("-", units_add_ns(&b, NAN));
}

/* Rounding must carry into the next unit, never print 1000 of a smaller one. */
static void test_rounding_carries(void **state)
{
	(void)state;
	ASSERT_ADDS("999 ns", units_add_ns(&b, 999));
	ASSERT_ADDS("1.00 µs", units_add_ns(&b, 999.7));
	ASSERT_ADDS("999 µs", units_add_ns(&b, 999499));
	ASSERT_ADDS("1.00 ms", units_add_ns(&b, 999500));
	ASSERT_ADDS("10.0 µs", units_add_ns(&b, 9996));
	ASSERT_ADDS("100 µs", units_add_ns(&b, 99960));
	ASSERT_ADDS("1.00 GB", units_add_bytes(&b, 999.9e6));
}

static void test_bytes(void **state)
{
	(void)state;
	ASSERT_ADDS("512 B", units_add_bytes(&b, 512));
	ASSERT_ADDS("4.10 kB", units_add_bytes(&b, 4096));
	ASSERT_ADDS("262 MB", units_add_bytes(&b, 262144000));
	ASSERT_ADDS("3.75 GB", units_add_bytes(&b, 3.75e9));
	ASSERT_ADDS("1.20 TB/s", units_add_rate(&b, 1.2e12));
}

static void test_time(void **state)
{
	(void)state;
	ASSERT_ADDS("14.217932 s", units_add_time(&b, 14217932123));
	ASSERT_ADDS("0.000001 s", units_add_time(&b, 500));
	ASSERT_ADDS("-0.500000 s", units_add_time(&b, -500000000));
	ASSERT_ADDS("0.000000 s", units_add_time(&b, -1));
	ASSERT_ADDS("-9223372036.854776 s", units_add_time(&b, INT64_MIN));
}

static void test_count(void **state)
{
	(void)state;
	ASSERT_ADDS("0", units_add_count(&b, 0));
	ASSERT_ADDS("999", units_add_count(&b, 999));
	ASSERT_ADDS("1,000", units_add_count(&b, 1000));
	ASSERT_ADDS("1,234,567", units_add_count(&b, 1234567));
	ASSERT_ADDS("-1,000,001", units_add_count(&b, -1000001));
	ASSERT_ADDS("-9,223,372,036,854,775,808", units_add_count(&b, INT64_MIN));
}

static void test_decimal(void **state)
{
	(void)state;
	ASSERT_ADDS("0", decimal_add_int(&b, 0));
	ASSERT_ADDS("-7", decimal_add_int(&b, -7));
	ASSERT_ADDS("100", decimal_add_int(&b, 100));
	ASSERT_ADDS("-9223372036854775808", decimal_add_int(&b, INT64_MIN));
	ASSERT_ADDS("18446744073709551615", decimal_add_uint(&b, UINT64_MAX));
	ASSERT_ADDS("007", decimal_add_padded(&b, 7, 3));
}

/* Averages that NVIDIA's reports printed: total, count, text. */
static void test_fixed_is_nvidias(void **state)
{
	static const struct {
		double total, count;
		const char *text;
	} rows[] = {
		{12863229, 4, "3215807.3"}, /* a tie in binary too: away from zero, not to even */
		{6792665, 4, "1698166.3"},  {872021, 4, "218005.3"},
		{3420456, 160, "21377.8"}, /* .85 in decimal, just below it in binary */
		{13882457, 20, "694122.8"}, {92799, 20, "4639.9"},
		{777061, 20, "38853.1"},    {8535963, 60, "142266.0"},
		{8465343, 60, "141089.0"},  {54319671, 366, "148414.4"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ASSERT_ADDS(rows[i].text, units_add_fixed(&b, rows[i].total / rows[i].count, 1));
}

static void test_fixed_edges(void **state)
{
	(void)state;
	ASSERT_ADDS("0.0", units_add_fixed(&b, 0, 1));
	ASSERT_ADDS("0.0", units_add_fixed(&b, -0.01, 1));
	ASSERT_ADDS("-0.3", units_add_fixed(&b, -0.25, 1));
	ASSERT_ADDS("1234567.5", units_add_fixed(&b, 1234567.5, 1));
	ASSERT_ADDS("1,234,567.5", units_add_grouped(&b, 1234567.5, 1));
	ASSERT_ADDS("-1,000.0", units_add_grouped(&b, -999.96, 1));
	ASSERT_ADDS("999.9", units_add_grouped(&b, 999.9, 1));
	ASSERT_ADDS("3", units_add_fixed(&b, 2.5, 0));
	ASSERT_ADDS("0 %", units_add_share(&b, 0, 0));
	ASSERT_ADDS("under 1 %", units_add_share(&b, 0.49, 0));
	ASSERT_ADDS("1 %", units_add_share(&b, 0.5, 0));
	ASSERT_ADDS("under 0.1 %", units_add_share(&b, 0.0004, 1));
	ASSERT_ADDS("12.3 %", units_add_share(&b, 12.34, 1));
	ASSERT_ADDS("100.0", units_add_fixed(&b, 99.95000000000001, 1));
	ASSERT_ADDS("0.000", units_add_fixed(&b, 5e-324, 3));
	ASSERT_ADDS("0.000", units_add_fixed(&b, 0x1p-70, 3));
	ASSERT_ADDS("262.144", units_add_fixed(&b, 262.144, 3));
	ASSERT_ADDS("2251799813685248.5", units_add_fixed(&b, 2251799813685248.5, 1));
	ASSERT_ADDS("9007199254740992.0", units_add_fixed(&b, 0x1p53, 1));
	ASSERT_ADDS("1000000000000000000000.00", units_add_fixed(&b, 1e21, 2));
	ASSERT_ADDS("0.500000000000000000", units_add_fixed(&b, 0.5, 40));
	ASSERT_ADDS("nan", units_add_fixed(&b, NAN, 1));
	ASSERT_ADDS("-inf", units_add_fixed(&b, -INFINITY, 1));
}

static void test_real_is_shortest(void **state)
{
	(void)state;
	ASSERT_ADDS("5", units_add_real(&b, 5));
	ASSERT_ADDS("-0.1", units_add_real(&b, -0.1));
	ASSERT_ADDS("850.4", units_add_real(&b, 850.4));
	ASSERT_ADDS("0.30000000000000004", units_add_real(&b, 0.1 + 0.2));
	ASSERT_ADDS("1e+300", units_add_real(&b, 1e300));
	ASSERT_ADDS("5e-324", units_add_real(&b, 5e-324));
	ASSERT_ADDS("1.5e-20", units_add_real(&b, 1.5e-20));
}

/* Any double, however odd, must come back unchanged. */
static void test_real_reads_back(void **state)
{
	uint64_t bits = 1;
	struct buf b = {0};

	(void)state;
	for (size_t i = 0; i < repeats(200000); i++) {
		double x;

		bits = bits * 6364136223846793005u + 1442695040888963407u;
		if (i % 2)
			x = (double)(bits >> 40) / (double)(1 + (bits & 0xfff));
		else
			memcpy(&x, &bits, sizeof(x));
		if (!isfinite(x))
			continue;
		buf_clear(&b);
		units_add_real(&b, x);
		assert_true(strtod(b.s, NULL) == x);
	}
	buf_free(&b);
}

int units_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ns),
		cmocka_unit_test(test_rounding_carries),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_decimal),
		cmocka_unit_test(test_fixed_is_nvidias),
		cmocka_unit_test(test_fixed_edges),
		cmocka_unit_test(test_real_is_shortest),
		cmocka_unit_test(test_real_reads_back),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
