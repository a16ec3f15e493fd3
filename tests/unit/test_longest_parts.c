/* The longest of many parts: those that sorting finds, in whichever order they come. */
#include "analysis/numbers/longest_parts.h"
#include "base/mem.h"
#include "groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PARTS = 1000, APART_NS = 100 };

/* The i-th of parts that do not touch; many are as long as others. */
static struct span made(size_t i)
{
	const int64_t start_ns = (int64_t)i * APART_NS;

	return (struct span){start_ns, start_ns + 1 + (int64_t)(i * 7919 % 40)};
}

/* How many are longer, or as long and earlier. */
static size_t count_longer(size_t i)
{
	size_t longer = 0;

	for (size_t k = 0; k < PARTS; k++)
		longer += span_ns(made(k)) > span_ns(made(i)) ||
			  (span_ns(made(k)) == span_ns(made(i)) && k < i);
	return longer;
}

static void check_list(const struct part_list *l)
{
	assert_int_equal(l->count, PARTS_LISTED);
	assert_int_equal(l->total, PARTS);
	for (size_t i = 0; i < l->count; i++) {
		assert_true(count_longer((size_t)(l->all[i].start_ns / APART_NS)) < PARTS_LISTED);
		assert_true(!i || l->all[i].start_ns > l->all[i - 1].end_ns);
	}
	assert_int_equal(count_longer((size_t)(l->longest.time.start_ns / APART_NS)), 0);
}

static void finds_the_longest_in_any_order(void **state)
{
	static const size_t steps[] = {1, 3, 7, 333, 999}; /* no divisor of PARTS */

	(void)state;
	for (size_t o = 0; o < ARRAY_LEN(steps); o++) {
		struct longest_parts some[3] = {0}, all = {0};
		struct part_list list;

		for (size_t i = 0; i < PARTS; i++)
			longest_parts_add(&some[i % 3], time_part_all(made(i * steps[o] % PARTS)));
		for (size_t i = 0; i < ARRAY_LEN(some); i++) {
			longest_parts_add_all(&all, &some[i]);
			longest_parts_free(&some[i]);
		}
		list = longest_parts_list(&all);
		check_list(&list);
		longest_parts_free(&all);
	}
}

/* A gap that two ranges share is one place of both; what overlaps is one, and longest is one op. */
static void joins_what_touches(void **state)
{
	const struct span gap = {10, 40};
	struct longest_parts all = {0};
	struct part_list l;

	(void)state;
	longest_parts_add(&all, (struct time_part){{25, 40}, gap});
	longest_parts_add(&all, (struct time_part){{10, 25}, gap});
	longest_parts_add(&all, time_part_all((struct span){100, 120}));
	longest_parts_add(&all, time_part_all((struct span){110, 135}));
	longest_parts_add(&all, time_part_all((struct span){200, 200}));
	l = longest_parts_list(&all);
	assert_int_equal(l.count, 2);
	assert_int_equal(l.total, 2);
	assert_int_equal(l.all[0].start_ns, 10);
	assert_int_equal(l.all[0].end_ns, 40);
	assert_int_equal(l.all[1].start_ns, 100);
	assert_int_equal(l.all[1].end_ns, 135);
	assert_int_equal(l.longest.time.start_ns, 10);
	assert_int_equal(l.longest.time.end_ns, 40);
	longest_parts_free(&all);
}

int longest_parts_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_longest_in_any_order),
		cmocka_unit_test(joins_what_touches),
	};

	return cmocka_run_group_tests_name("longest_parts", tests, NULL, NULL);
}
