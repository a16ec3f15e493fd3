/* Are loops within loops whole, with workers that stay within their number? */
#include "base/parallel.h"
#include "groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Rare orders of events need many rounds; under ThreadSanitizer and AddressSanitizer fewer do. */
enum { ROUNDS = 1000, LOOPS = 3 };

struct counts {
	atomic_size_t expected, inner, out_of_range;
	unsigned seed;
};

static void dawdle(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}

static int inner(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct counts *c = ctx;

	(void)e;
	atomic_fetch_add(&c->inner, end - begin);
	if (worker >= parallel_workers())
		atomic_fetch_add(&c->out_of_range, 1);
	dawdle((c->seed + (unsigned)begin * 7919) % 3000);
	return 0;
}

/* Guests come and go while helpers are hired: lengths differ so that all orders happen. */
static int outer(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct counts *c = ctx;
	unsigned seed = c->seed + (unsigned)begin * 7919;

	(void)end;
	if (worker >= parallel_workers())
		atomic_fetch_add(&c->out_of_range, 1);
	for (unsigned i = 0; i < LOOPS; i++) {
		size_t runs = 2 + (unsigned)rand_r(&seed) % 6;

		atomic_fetch_add(&c->expected, runs);
		if (parallel_for(runs, 1, inner, c, e) < 0)
			return -1;
		dawdle((unsigned)rand_r(&seed) % 2000);
	}
	return 0;
}

static void test_loops_within_loops(void **state)
{
	struct counts c = {0};
	struct err e;

	(void)state;
	parallel_set_workers(3);
	for (unsigned i = 0; i < repeats(ROUNDS); i++) {
		c.seed = i * 2654435761u;
		assert_int_equal(parallel_for(2 + i % 4, 1, outer, &c, &e), 0);
	}
	assert_int_equal(c.inner, c.expected);
	assert_int_equal(c.out_of_range, 0);
}

static int fail_late(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	(void)ctx;
	(void)end;
	(void)worker;
	return begin < 3 ? 0 : err_set(e, ERR_INPUT, "run %zu", begin);
}

static void test_the_earliest_failure_is_told(void **state)
{
	struct err e;

	(void)state;
	parallel_set_workers(4);
	for (int i = 0; i < 200; i++) {
		e = (struct err){0};
		assert_int_equal(parallel_for(50, 1, fail_late, NULL, &e), -1);
		assert_string_equal(e.message, "run 3");
	}
}

int parallel_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops_within_loops),
		cmocka_unit_test(test_the_earliest_failure_is_told),
	};

	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
