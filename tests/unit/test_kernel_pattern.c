/* Unit tests: what finds a kernel in another tool's spelling of its name. */
#include "analysis/counters/kernel_pattern.h"
#include "base/mem.h"
#include "groups.h"
#include "text/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

static struct str expression(const char *name, const char *const *others, struct buf *b)
{
	struct kernel_pattern p;
	struct str all[8];
	size_t n = 0;

	for (; others && others[n]; n++)
		all[n] = str_of(others[n]);
	buf_clear(b);
	p = kernel_pattern_of(str_of(name), all, n);
	kernel_pattern_add(b, &p);
	return buf_str(b);
}

static void assert_base(const char *name, const char *expected)
{
	struct str base = kernel_pattern_base(str_of(name));

	if (!str_eq(base, str_of(expected)))
		fail_msg("'%s' has the base '%.*s', not '%s'", name, STR_FMT(base), expected);
}

static void test_base_names(void **state)
{
	(void)state;
	assert_base("nvjet_hsh_64x64_64x16_4x1_v_bz_TNT", "nvjet_hsh_64x64_64x16_4x1_v_bz_TNT");
	assert_base("void at::native::vectorized_elementwise_kernel<(int)4, at::native::X<float>>"
		    "(int, T2)",
		    "vectorized_elementwise_kernel");
	assert_base("void at::native::(anonymous namespace)::indexSelect<c10::BFloat16, long>(T1)",
		    "indexSelect");
	assert_base("void at::<unnamed>::indexSelect<c10::BFloat16>(T1)", "indexSelect");
	assert_base("n::{anonymous}::f(int)", "f");
	assert_base("void cutlass::Kernel2<cutlass_80_wmma<16>>(T1::Params)", "Kernel2");
	assert_base("void Outer<int>::inner<float>(T1)", "inner");
	assert_base("a(b)", "a");
	assert_base("", "");
	assert_base("(", "(");
	assert_base("void x<", "x");
}

static bool matches(struct str expression, const char *name)
{
	struct pattern *p;
	struct err e = {0};
	int found;

	assert_int_equal(pattern_compile(&p, expression, 0, &e), 0);
	found = pattern_match(p, str_of(name), &e);
	pattern_free(p);
	assert_true(found >= 0);
	return found;
}

/* As the two tools print one kernel of one program. */
static void test_other_spelling(void **state)
{
	static const char *const names[] = {
		"void at::native::vectorized_elementwise_kernel<(int)4, "
		"at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char *, (unsigned long)3>>"
		"(int, T2, T3)",
		"void at::native::vectorized_elementwise_kernel<(int)4, "
		"at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
		"at::native::binary_internal::MulFunctor<float>>, "
		"std::array<char *, (unsigned long)3>>(int, T2, T3)",
		"void at::native::(anonymous namespace)::indexSelectSmallIndex<c10::BFloat16, "
		"long, unsigned int, (int)2, (int)2, (int)-2>(cuda::TensorInfo<T1, T3>)",
		NULL,
	};
	static const char *const others[] = {
		"void at::vectorized_elementwise_kernel<4, at::CUDAFunctor_add<c10::BFloat16>, "
		"std::array<char *, 3>>(int, T2, T3)",
		"void at::vectorized_elementwise_kernel<4, at::BinaryFunctor<c10::BFloat16, "
		"c10::BFloat16, c10::BFloat16, at::binary_internal::MulFunctor<float>>, "
		"std::array<char *, 3>>(int, T2, T3)",
		"void at::<unnamed>::indexSelectSmallIndex<c10::BFloat16, long, unsigned int, 2, "
		"2, -2>(cuda::TensorInfo<T1, T3>)",
	};
	struct buf b = {0};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct str x = expression(names[i], names, &b);

		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(matches(x, others[k]), i == k);
			assert_int_equal(matches(x, names[k]), i == k);
		}
	}
	buf_free(&b);
}

/* Each tool has its own word for a namespace without a name: it is none that tells kernels apart.
 */
static void test_unnamed_is_no_word(void **state)
{
	static const char *const names[] = {"void f<n::(anonymous namespace)::Plus>(int)",
					    "void f<n::Times>(int)", NULL};
	struct buf b = {0};

	(void)state;
	assert_true(matches(expression(names[0], names, &b), "void f<<unnamed>::Plus>(int)"));
	assert_false(matches(buf_str(&b), names[1]));
	buf_free(&b);
}

static void test_no_more_than_needed(void **state)
{
	static const char *const names[] = {"void f<alpha, beta>(int)", "void g<alpha>(int)", NULL};
	struct buf b = {0};

	(void)state;
	assert_true(str_eq(expression(names[0], names, &b), STR_LIT("\\bf\\b")));
	assert_true(str_eq(expression("a$b", NULL, &b), STR_LIT("\\ba\\$b\\b")));
	buf_free(&b);
}

/* What counts launches for ncu must find what its expression finds. */
static void test_finds_what_the_expression_does(void **state)
{
	static const char *const names[] = {"void f<alpha, beta, gamma>(int)",
					    "void f<alpha, gamma>(int)",
					    "void f<beta, gamma, beta>(int)",
					    "void n::f<gamma, beta>(f)",
					    "void ff<alpha, beta>(f)",
					    "f_<beta> f<x, beta>",
					    "n::$f(beta)",
					    NULL};
	struct str all[8];
	struct buf b = {0};
	size_t n = 0;

	(void)state;
	for (; names[n]; n++)
		all[n] = str_of(names[n]);
	for (size_t i = 0; i < n; i++) {
		const struct kernel_pattern p = kernel_pattern_of(all[i], all, n);

		assert_true(kernel_pattern_finds(&p, all[i]));
		for (size_t k = 0; k < n; k++)
			assert_int_equal(kernel_pattern_finds(&p, all[k]),
					 matches(expression(names[i], names, &b), names[k]));
	}
	buf_free(&b);
}

int kernel_pattern_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_names),
		cmocka_unit_test(test_other_spelling),
		cmocka_unit_test(test_unnamed_is_no_word),
		cmocka_unit_test(test_no_more_than_needed),
		cmocka_unit_test(test_finds_what_the_expression_does),
	};

	return cmocka_run_group_tests_name("kernel_pattern", tests, NULL, NULL);
}
