/* Values at places of the order: what is found without sorting is what sorting finds. */
#include "analysis/numbers/nth_values.h"
#include "groups.h"

#include "base/mem.h"
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t seed = 1;

static uint64_t draw(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 11;
}

/* Few values, many times each; values all alike; a long tail; two heaps far apart; anything. */
static uint64_t draw_short(void)
{
	return 3000 + draw() % 40 * 32;
}

static uint64_t draw_same(void)
{
	return 77;
}

static uint64_t draw_tail(void)
{
	return 1500 + (draw() % 8192 >> draw() % 8) + (draw() % 97 ? 0 : draw() % 2000000);
}

static uint64_t draw_heaps(void)
{
	return draw() % 2 ? draw() % 100 : UINT32_MAX - draw() % 100000;
}

static uint64_t draw_any(void)
{
	return draw() & UINT32_MAX;
}

static uint64_t (*const draws[])(void) = {draw_short, draw_same, draw_tail, draw_heaps, draw_any};

/* Ascending: percentiles as summaries want them, pairs of neighbours; or places all over. */
static void choose_places(size_t n, bool pairs, size_t place[NTH_MAX])
{
	static const size_t percent[] = {50, 90, 99};

	for (size_t k = 0; k < NTH_MAX; k++)
		place[k] = pairs ? percent[k / 2] * (n - 1) / 100 + k % 2
				 : k * (n - 1) / (NTH_MAX - 1);
}

static void check_places(const struct offsets *values, const int64_t *sorted, size_t n)
{
	for (int pairs = 0; pairs < 2; pairs++) {
		size_t place[NTH_MAX];
		uint64_t found[NTH_MAX];

		choose_places(n, pairs, place);
		nth_values_find(values, n, (uint64_t)sorted[0], (uint64_t)sorted[n - 1], place,
				NTH_MAX, found);
		for (size_t k = 0; k < NTH_MAX; k++)
			assert_int_equal(found[k], sorted[place[k]]);
		nth_values_find(values, n, 0, values->wide ? UINT64_MAX : UINT32_MAX, place + 2, 2,
				found);
		assert_int_equal(found[0], sorted[place[2]]);
		assert_int_equal(found[1], sorted[place[3]]);
	}
}

/* Wide ones are the same values far apart. */
static void check_values(uint64_t (*next)(void), size_t n, bool wide)
{
	int64_t *sorted = mem_alloc(n, sizeof(*sorted)), *scratch = mem_alloc(n, sizeof(*scratch));
	struct offsets values = {mem_alloc(n, sizeof(uint64_t)), wide};

	for (size_t i = 0; i < n; i++) {
		uint64_t x = next();

		sorted[i] = (int64_t)(wide ? x << 30 | x : x);
		if (wide)
			((uint64_t *)values.at)[i] = (uint64_t)sorted[i];
		else
			((uint32_t *)values.at)[i] = (uint32_t)x;
	}
	sort_i64(sorted, scratch, n);
	check_places(&values, sorted, n);
	free(values.at);
	free(sorted);
	free(scratch);
}

static void test_places_are_those_of_sorting(void **state)
{
	const size_t sizes[] = {200, 1000, repeats(70001), repeats((1 << 18) + 5), repeats(600000)};

	(void)state;
	for (size_t d = 0; d < ARRAY_LEN(draws); d++) {
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			check_values(draws[d], sizes[i], false);
			check_values(draws[d], sizes[i], true);
		}
	}
}

int nth_values_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_are_those_of_sorting),
	};

	return cmocka_run_group_tests_name("nth_values", tests, NULL, NULL);
}
