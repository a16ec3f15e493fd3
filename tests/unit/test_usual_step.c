/* Which step of a run is the usual one, and which of its ops are kept? */
#include "base/mem.h"
#include "diff/usual_step.h"
#include "groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void is_the_median_of_the_most_frequent_kind(void **state)
{
	static struct account_step steps[] = {{.ns = 90, .kind = 1},
					      {.ns = 30, .kind = 0},
					      {.ns = 10, .kind = 0},
					      {.ns = 20, .kind = 0},
					      {.ns = 15, .kind = 1}};
	const struct account a = {.steps = steps, .step_count = ARRAY_LEN(steps)};

	(void)state;
	assert_int_equal(usual_step_choose(&a, 0), 3);
}

/* Streams become lanes by how busy they are, whatever their numbers; ops are in order of time. */
static void lanes_are_streams_by_work(void **state)
{
	struct arena arena = {0};
	struct step_ops ops = {0};
	const struct usual_step *u;

	(void)state;
	step_ops_add(&ops, 5, 99, 40, 3);
	step_ops_add(&ops, 6, 7, 10, 2);
	step_ops_add(&ops, 7, 99, 20, 4);
	u = usual_step_make(&ops, 2, &arena);
	assert_int_equal(u->step, 2);
	assert_int_equal(u->op_count, 3);
	assert_int_equal(u->all_ops, 3);
	assert_int_equal(u->lanes, 2);
	assert_int_equal(u->ops[0].leaf, 6);
	assert_int_equal(u->ops[0].lane, 1);
	assert_int_equal(u->ops[1].leaf, 7);
	assert_int_equal(u->ops[1].lane, 0);
	assert_int_equal(u->ops[2].start_ns, 40);
	step_ops_free(&ops);
	arena_free(&arena);
}

static void keeps_the_longest(void **state)
{
	enum { MANY = USUAL_OPS + 500, STREAMS = USUAL_LANES + 5 };
	struct arena arena = {0};
	struct step_ops ops = {0};
	const struct usual_step *u;

	(void)state;
	for (uint32_t i = 0; i < MANY; i++)
		step_ops_add(&ops, i, i % STREAMS, (int64_t)i * 10, (i * 7919) % MANY);
	u = usual_step_make(&ops, 0, &arena);
	assert_int_equal(u->op_count, USUAL_OPS);
	assert_int_equal(u->all_ops, MANY);
	assert_int_equal(u->lanes, USUAL_LANES);
	for (size_t i = 0; i < u->op_count; i++) {
		assert_true(u->ops[i].ns >= MANY - USUAL_OPS);
		assert_true(u->ops[i].lane < USUAL_LANES);
		assert_true(!i || u->ops[i].start_ns > u->ops[i - 1].start_ns);
	}
	step_ops_free(&ops);
	arena_free(&arena);
}

int usual_step_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_median_of_the_most_frequent_kind),
		cmocka_unit_test(lanes_are_streams_by_work),
		cmocka_unit_test(keeps_the_longest),
	};

	return cmocka_run_group_tests_name("usual_step", tests, NULL, NULL);
}
