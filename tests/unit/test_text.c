/* Is text from a trace harmless, measured rightly, and are kernels called what people call them? */
#include "base/mem.h"
#include "groups.h"
#include "report/kernel_name.h"
#include "report/tell_apart.h"
#include "text/brief.h"
#include "text/nearest.h"
#include "text/text.h"
#include "text/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_safe(struct str raw, const char *expected)
{
	struct buf b = {0};

	text_add_safe(&b, raw);
	assert_string_equal(buf_str(&b).s, expected);
	buf_free(&b);
}

static void test_safe_leaves_text_alone(void **state)
{
	(void)state;
	assert_safe(STR_LIT(""), "");
	assert_safe(STR_LIT("void f<(int)4>(T1 *)"), "void f<(int)4>(T1 *)");
	assert_safe(STR_LIT("naïve 漢字 😀 \\n"), "naïve 漢字 😀 \\n");
}

static void test_safe_escapes_control(void **state)
{
	(void)state;
	assert_safe(STR_LIT("\033[31mred\a"), "\\x1b[31mred\\x07");
	assert_safe(STR_LIT("a\nb\tc\rd\0e\177"), "a\\nb\\tc\\rd\\x00e\\x7f");
	assert_safe(STR_LIT("0123456789abcdef\x1b"), "0123456789abcdef\\x1b");
	assert_safe(STR_LIT("0123456789abcde\x1bz"), "0123456789abcde\\x1bz");
	assert_safe(STR_LIT("csi \xc2\x9b"
			    "1m"),
		    "csi \\x9b1m");
	assert_safe(STR_LIT("\xe2\x80\xaetxet"), "\\u202etxet");
	assert_safe(STR_LIT("a\xe2\x80\xa8z"), "a\\u2028z");
	/* What nobody sees, too: two names that look alike would be two rows that look alike. */
	assert_safe(STR_LIT("a\xef\xbb\xbfz\xe2\x80\x8b\xc2\xad"), "a\\ufeffz\\u200b\\xad");
}

static void test_safe_escapes_broken_utf8(void **state)
{
	(void)state;
	assert_safe(STR_LIT("\xff\xfe"), "\\xff\\xfe");
	assert_safe(STR_LIT("cut \xe6\xbc"), "cut \\xe6\\xbc");
	assert_safe(STR_LIT("long \xc0\xaf"), "long \\xc0\\xaf");
	assert_safe(STR_LIT("half \xed\xa0\x80"), "half \\xed\\xa0\\x80");
	assert_safe(STR_LIT("big \xf4\x90\x80\x80"), "big \\xf4\\x90\\x80\\x80");
	assert_safe(STR_LIT("\x80x"), "\\x80x");
}

static void assert_json(struct str raw, const char *expected)
{
	struct buf b = {0};

	text_add_json(&b, raw);
	assert_string_equal(b.s, expected);
	buf_free(&b);
}

static void test_json(void **state)
{
	(void)state;
	assert_json(STR_LIT(""), "\"\"");
	assert_json(STR_LIT("a\"b\\c"), "\"a\\\"b\\\\c\"");
	assert_json(STR_LIT("\n\t\r\0\033\177"), "\"\\n\\t\\r\\u0000\\u001b\\u007f\"");
	assert_json(STR_LIT("\xff ok \xe6\xbc\xa2"), "\"\xef\xbf\xbd ok \xe6\xbc\xa2\"");
	assert_json(STR_LIT("\xe2\x80\xae"), "\"\\u202e\"");
	assert_json(STR_LIT("\xef\xbb\xbf\xf3\xa0\x81\x81"), "\"\\ufeff\\udb40\\udc41\"");
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(text_width(STR_LIT("")), 0);
	assert_int_equal(text_width(STR_LIT("kernel")), 6);
	assert_int_equal(text_width(STR_LIT("µs …")), 4);
	assert_int_equal(text_width(STR_LIT("漢字")), 4);
	assert_int_equal(text_width(STR_LIT("ｆｕｌｌ")), 8);
	assert_int_equal(text_width(STR_LIT("😀")), 2);
	assert_int_equal(text_width(STR_LIT("e\xcc\x81")), 1);
	assert_int_equal(utf8_columns(0x1100), 2);
	assert_int_equal(utf8_columns(0x200b), 0);
	assert_int_equal(utf8_columns(0x3fffd), 2);
	assert_int_equal(utf8_columns(0x10ffff), 1);
}

static void test_fit(void **state)
{
	(void)state;
	assert_int_equal(text_fit(STR_LIT("kernel"), 3).len, 3);
	assert_int_equal(text_fit(STR_LIT("kernel"), 9).len, 6);
	/* A wide character does not fit into the one column that is left. */
	assert_int_equal(text_fit(STR_LIT("漢字"), 3).len, 3);
	/* A mark stays with its letter. */
	assert_int_equal(text_fit(STR_LIT("e\xcc\x81x"), 1).len, 3);
}

static void assert_elided(struct str s, size_t width, const char *expected)
{
	struct buf b = {0};

	text_add_elided(&b, s, width);
	assert_string_equal(buf_str(&b).s, expected);
	assert_true(text_width(buf_str(&b)) <= width);
	buf_free(&b);
}

static void assert_brief(const char *s, size_t width, const char *expected)
{
	struct buf b = {0};

	text_add_brief(&b, str_of(s), width);
	assert_string_equal(b.len ? b.s : "", expected);
	assert_true(text_width(buf_str(&b)) <= width);
	buf_free(&b);
}

/* Details go first, then clauses, then words; how it begins and the place stay. */
static void test_brief(void **state)
{
	(void)state;
	assert_brief("it waits for code in `data`.", 28, "it waits for code in `data`.");
	assert_brief("it waits for code in `data`.", 27, "it waits … in `data`.");
	assert_brief("it waits for code in `data`.", 19, "it waits for code…");
	assert_brief("it waits for code in `data`.", 15, "it waits…");
	assert_brief("it is in `data`, and waits for code", 25, "it is in `data`\u00a0…");
	assert_brief("one by one they all wait in `data`, for code", 37,
		     "one by one they all wait in `data`\u00a0…");
	assert_brief("one by one they all wait in `data`, for code", 32,
		     "one by one they all … in `data`");
	assert_brief("one by one they all wait for code", 20, "one by one they all…");
	assert_brief("`data` waits for code", 12, "`data`…");
	assert_brief("`", 0, "");
	assert_brief("` `", 2, "`…");
	assert_brief("inseparable", 7, "insepa…");
	assert_brief("   ", 2, " …");
	assert_brief("漢字 漢字 漢字 漢字 `漢`", 21, "漢字 漢字 … 漢字 `漢`");
}

/* Whatever a name looks like, at any width. */
static void test_brief_fits(void **state)
{
	static const char *const odd[] = {
		"New, 1 ms: `a, b` (c, `d) e`: f; g (h i) in `j`, k",
		"((( a, ) b: `c (d e) f, and g` in `h",
		"` : , ; ( ) 1 2 3 ms in `` ` x",
		"漢字, 漢字: 漢字 (漢字 漢字) `漢字 漢字`; 漢字",
		": : : , , , ; ; ; 1, 2, 3, in `x`",
		";  of`x of of word",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		for (size_t width = 0; width < 60; width++) {
			struct buf b = {0};

			text_add_brief(&b, str_of(odd[i]), width);
			assert_true(text_width(buf_str(&b)) <= width);
			buf_free(&b);
		}
	}
}

static void test_brief_findings(void **state)
{
	const char *allocates = "New, 47.2 ms: GPU idle while memory is allocated and freed "
				"(`cudaFree` 279 ms, …) in `bwd`.";
	const char *launches = "More, 1.81 ms: Launch-bound: the CPU cannot keep up, mostly in "
			       "`forward`.";
	const char *kind = "New kind: 15 of 59, 22.6 ms instead of 17.7 ms: +3.42 ms idle: host "
			   "code outside CUDA calls, in `data`.";

	(void)state;
	assert_brief(allocates, 75,
		     "New, 47.2 ms: GPU idle while memory is allocated and freed"
		     "\u00a0… in `bwd`.");
	assert_brief(allocates, 65, "New, 47.2 ms: GPU idle while memory is allocated … in `bwd`.");
	assert_brief(launches, 68,
		     "More, 1.81 ms: Launch-bound: the CPU cannot keep up … in "
		     "`forward`.");
	assert_brief(launches, 60, "More, 1.81 ms: Launch-bound … mostly in `forward`.");
	assert_brief(launches, 43, "More, 1.81 ms: Launch-bound … in `forward`.");
	assert_brief(kind, 80,
		     "New kind: 15 of 59, 22.6 ms instead of 17.7 ms: +3.42 ms idle … in "
		     "`data`.");
	assert_brief(kind, 64, "New kind: 15 of 59, 22.6 ms instead of 17.7 ms … in `data`.");
	assert_brief("New, 144 µs: The GPU waits for code in `aten::native_layer_norm`.", 59,
		     "New, 144 µs: The GPU waits for code in `aten::na…yer_norm`.");
}

/* A number goes with what it counts, half of a detail with the other half. */
static void test_brief_numbers(void **state)
{
	(void)state;
	assert_brief("New, 12 ms: `test` runs 2 blocks of 64 threads on 10 SMs", 42,
		     "New, 12 ms: `test` runs 2 blocks…");
	assert_brief("New, 20 ms: products are in FP32, not on tensor cores.", 40,
		     "New, 20 ms: products are in FP32\u00a0…");
	assert_brief(
		"no change by 5 % (4 % if three runs tell it); 9 % would be found by most of them",
		50, "no change by 5 % (4 % if three runs tell it);\u00a0…");
	assert_brief("no change by 5 % (4 % if three runs tell it); 9 % are found", 40,
		     "no change by 5 %\u00a0…; 9 % are found");
	assert_brief("the kernel `f (int, int)` is longer, and that is all", 40,
		     "the kernel `f (int, int)` is longer\u00a0…");
}

static void assert_wrapped(const char *s, size_t width, const char *expected)
{
	struct buf b = {0};

	text_add_wrapped(&b, str_of(s), width, 0);
	assert_string_equal(b.s, expected);
	buf_free(&b);
}

/* A number is no number without its unit. */
static void test_units_stay(void **state)
{
	(void)state;
	assert_wrapped("capture of 5.85 s", 15, "capture of\n5.85 s");
	assert_wrapped("for 40.6 ms, 12 % of it", 8, "for\n40.6 ms,\n12 % of\nit");
	assert_wrapped("at 24 GB/s or 3 more", 9, "at\n24 GB/s\nor 3 more");
	assert_wrapped("all 12 steps", 6, "all 12\nsteps");
}

static void test_elided(void **state)
{
	(void)state;
	assert_elided(STR_LIT("0123456789"), 10, "0123456789");
	assert_elided(STR_LIT("0123456789"), 9, "0123…6789");
	assert_elided(STR_LIT("0123456789"), 6, "01…789");
	assert_elided(STR_LIT("0123456789"), 1, "…");
	assert_elided(STR_LIT("0123456789"), 0, "");
	assert_elided(STR_LIT("漢字漢字漢字"), 7, "漢…字");
	assert_elided(STR_LIT("漢字漢字漢字"), 2, "…");
}

static const char *nearest_name(const char *word, size_t letters)
{
	static const char *const names[] = {"name",	   "start_ns", "end_ns", "duration_us",
					    "duration_ns", "kernels",  "Device"};
	struct nearest n = {word, NULL, NEAREST_BEGINS + letters};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		nearest_try_name(&n, names[i]);
	return n.found;
}

static void nearest_is_what_was_meant(void **state)
{
	struct nearest n = {"lst", NULL, 3};

	(void)state;
	nearest_try(&n, "list");
	nearest_try(&n, "last"); /* not nearer */
	nearest_try(&n, "info");
	assert_string_equal(n.found, "list");
	assert_string_equal(nearest_name("start", 1), "start_ns");
	assert_string_equal(nearest_name("DURATION", 1), "duration_ns");
	assert_string_equal(nearest_name("kernel", 1), "kernels");
	assert_string_equal(nearest_name("devise", 2), "Device");
	assert_string_equal(nearest_name("nme", 2), "name");
	assert_null(nearest_name("nme", 1)); /* one letter is wrong, and fewer may be */
	assert_null(nearest_name("n", 1));   /* one letter begins too much */
	assert_null(nearest_name("", 3));
}

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(text_distance("", ""), 0);
	assert_int_equal(text_distance("kernels", "kernels"), 0);
	assert_int_equal(text_distance("kernel", "kernels"), 1);
	assert_int_equal(text_distance("", "abc"), 3);
	assert_int_equal(text_distance("kitten", "sitting"), 3);
}

static void assert_short(const char *name, const char *expected)
{
	struct buf b = {0};

	kernel_name_add_short(&b, str_of(name));
	assert_string_equal(buf_str(&b).s, expected);
	buf_free(&b);
}

/* Up to four names that are shown alike, and what tells them apart. */
static void assert_apart(size_t count, const char *const *names, const char *const *expected)
{
	struct str all[4] = {0};
	const char *found[4];
	struct arena a = {0};

	for (size_t i = 0; i < count; i++)
		all[i] = str_of(names[i]);
	tell_apart(all, count, &a, found);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(found[i], expected[i]);
	arena_free(&a);
}

static void test_names_are_told_apart(void **state)
{
	(void)state;
	/* Types before numbers, names before namespaces. */
	assert_apart(2,
		     (const char *[]){"k<(int)8, at::Fill<c10::BFloat16>>(T)",
				      "k<(int)4, at::Fill<float>>(T)"},
		     (const char *[]){"BFloat16", "float"});
	assert_apart(2, (const char *[]){"k<(int)128>", "k<(int)512>"},
		     (const char *[]){"128", "512"});
	/* As many words as it takes. */
	assert_apart(3, (const char *[]){"k<a, c>", "k<b, d>", "k<b, c>"},
		     (const char *[]){"a, c", "b, d", "b, c"});
	/* One of them has none of its own. */
	assert_apart(2, (const char *[]){"k<f>", "k<f, g>"}, (const char *[]){"", "g"});
	/* What no word tells is counted. */
	assert_apart(3, (const char *[]){"k<a *>", "k<a &>", "k<b>"},
		     (const char *[]){"a", "a #2", "b"});
	assert_apart(2, (const char *[]){"\xff", "\xfe"}, (const char *[]){"", "#2"});
	assert_apart(2,
		     (const char *[]){"k<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1>",
				      "k<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2>"},
		     (const char *[]){"aaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaa #2"});
}

static void test_plain_names_stay(void **state)
{
	(void)state;
	assert_short("", "");
	assert_short("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT",
		     "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT");
	assert_short("triton_poi_fused__unsafe_view_mul_silu_2",
		     "triton_poi_fused__unsafe_view_mul_silu_2");
	assert_short("_ZN2at6native4funcEv", "_ZN2at6native4funcEv");
}

static void test_functions_lose_parameters(void **state)
{
	(void)state;
	assert_short("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)",
		     "ncclDevKernel_SendRecv");
	assert_short("void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, "
		     "cutlass::bfloat16_t>, (bool)0>(flash::Flash_fwd_params)",
		     "flash_fwd_kernel");
	assert_short("void (anonymous namespace)::softmax_warp_forward<float, float, (int)6>(T2 *)",
		     "softmax_warp_forward");
	assert_short("std::enable_if<(bool)1, void>::type my::kernel_a<(int)4>(int)", "kernel_a");
	assert_short("void internal::gemvx::kernel<int, int, __nv_bfloat16>(T13)", "gemvx::kernel");
}

static void test_functors_are_kept(void **state)
{
	(void)state;
	assert_short(
		"void at::native::vectorized_elementwise_kernel<(int)4, "
		"at::native::CUDAFunctor_add<float>, std::array<char *, (unsigned long)3>>(int, "
		"T2, T3)",
		"vectorized_elementwise_kernel<CUDAFunctor_add>");
	assert_short(
		"void at::native::elementwise_kernel<(int)128, (int)2, void "
		"at::native::gpu_kernel_impl_nocast<at::native::BUnaryFunctor<float, float, "
		"float, at::native::binary_internal::MulFunctor<float>>>(at::TensorIteratorBase "
		"&, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
		"elementwise_kernel<BUnaryFunctor<MulFunctor>>");
	assert_short("void at::native::vectorized_elementwise_kernel<(int)8, "
		     "at::native::<unnamed>::silu_kernel(at::TensorIteratorBase &)::[lambda() "
		     "(instance 1)]::operator ()() const::[lambda() (instance 6)]::operator ()() "
		     "const::[lambda(c10::BFloat16) (instance 1)], std::array<char *, (unsigned "
		     "long)2>>(int, T2, T3)",
		     "vectorized_elementwise_kernel<silu_kernel>");
	assert_short("void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, "
		     "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, "
		     "float>::operator ()(at::TensorIterator &)::[lambda(float, float) (instance "
		     "1)]>, unsigned int, float, (int)4>>(T3)",
		     "reduce_kernel<sum_functor>");
	assert_short("void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::"
		     "TensorListMetadata<(int)2>, at::native::<unnamed>::UnaryOpFunctor<float, "
		     "(int)2, (int)1, (int)1>, at::native::Sqrt<float>>(T1, T2, T3...)",
		     "multi_tensor_apply_kernel<UnaryOpFunctor, Sqrt>");
	assert_short("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>(T1::"
		     "Params)",
		     "cutlass_80_simt_sgemm_128x128_8x4_nn_align1");
}

static void test_lambdas_of_one_function_differ(void **state)
{
	(void)state;
	assert_short("void par_kernel<halo(int, const std::array<int, (unsigned long)4> "
		     "&)::[lambda(int) (instance 1)]>(Range, T1)",
		     "par_kernel<halo>");
	assert_short("void par_kernel<halo(int, const std::array<int, (unsigned long)4> "
		     "&)::[lambda(int) (instance 10)]>(Range, T1)",
		     "par_kernel<halo#10>");
}

static void test_broken_names_do_no_harm(void **state)
{
	static const char *const names[] = {
		"<",	 ">",		"(",	     ")",	   "f<",    "f<a", "f<a>>",
		"::",	 "f<(",		"f<[lambda", "f<[lambda(", "f(((",  "->",  "f->",
		"void ", "<unnamed>::", "f<a,,,>",   "[]",	   "f<[]>", "{}<", "f<a->b>"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct buf b = {0};

		kernel_name_add_short(&b, str_of(names[i]));
		assert_true(b.len > 0);
		buf_free(&b);
	}
}

/* Two megabytes of brackets: linear, or this test does not end. */
static void test_long_names_take_linear_time(void **state)
{
	static const char *const units[] = {
		"<", "(", "a<", "a::", "[lambda", "<unnamed>::", "a,", "f<(a)>"};

	(void)state;
	for (size_t u = 0; u < ARRAY_LEN(units); u++) {
		struct buf name = {0}, b = {0};

		buf_adds(&name, "f<");
		while (name.len < repeats(2000000))
			buf_adds(&name, units[u]);
		kernel_name_add_short(&b, buf_str(&name));
		assert_true(b.len > 0);
		buf_free(&name);
		buf_free(&b);
	}
}

int text_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_safe_leaves_text_alone),
		cmocka_unit_test(test_safe_escapes_control),
		cmocka_unit_test(test_safe_escapes_broken_utf8),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_elided),
		cmocka_unit_test(test_brief),
		cmocka_unit_test(test_brief_fits),
		cmocka_unit_test(test_brief_findings),
		cmocka_unit_test(test_brief_numbers),
		cmocka_unit_test(test_units_stay),
		cmocka_unit_test(test_distance),
		cmocka_unit_test(nearest_is_what_was_meant),
		cmocka_unit_test(test_names_are_told_apart),
		cmocka_unit_test(test_plain_names_stay),
		cmocka_unit_test(test_functions_lose_parameters),
		cmocka_unit_test(test_functors_are_kept),
		cmocka_unit_test(test_lambdas_of_one_function_differ),
		cmocka_unit_test(test_broken_names_do_no_harm),
		cmocka_unit_test(test_long_names_take_linear_time),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
