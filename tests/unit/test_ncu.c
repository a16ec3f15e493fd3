/* CSVs of Nsight Compute: fields, numbers, units, launches, bounds. */
#include "base/mem.h"
#include "groups.h"
#include "ncu/csv.h"
#include "ncu/ncu.h"
#include "ncu/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Quotes inside a field are text; those at its beginning hold the newlines behind them. */
static void test_quotes_inside_a_field_are_text(void **state)
{
	struct csv c = {.text = STR_LIT("a\"\"b,\"first\n and a second line that is longer\"\nc"),
			.delimiter = ','};

	(void)state;
	assert_true(csv_next(&c));
	assert_int_equal(c.count, 2);
	assert_true(str_eq(c.fields[0], STR_LIT("a\"\"b")));
	assert_true(str_eq(c.fields[1], STR_LIT("first\n and a second line that is longer")));
	assert_true(csv_next(&c));
	assert_false(csv_next(&c));
	csv_free(&c);
}

static void test_fields_may_hold_anything(void **state)
{
	struct csv c = {
		.text = STR_LIT("a,\"b \"\"q\"\", x\",\"two\nlines\"\r\n==PROF== said\n\n,last"),
		.delimiter = ','};

	(void)state;
	assert_true(csv_next(&c));
	assert_int_equal(c.count, 3);
	assert_true(str_eq(c.fields[1], STR_LIT("b \"q\", x")));
	assert_true(str_eq(c.fields[2], STR_LIT("two\nlines")));
	assert_false(c.cut);
	assert_true(csv_next(&c));
	assert_int_equal(c.line, 5);
	assert_int_equal(c.count, 2);
	assert_true(str_eq(c.fields[1], STR_LIT("last")));
	assert_true(c.cut);
	assert_false(csv_next(&c));
	csv_free(&c);
}

static void test_delimiters_in_quotes_do_not_count(void **state)
{
	(void)state;
	assert_int_equal(csv_delimiter(STR_LIT("ID,Name")), ',');
	assert_int_equal(csv_delimiter(STR_LIT("\"a,b,c\";\"d\"")), ';');
	assert_int_equal(csv_delimiter(STR_LIT("a\tb")), '\t');
}

static void check_number(const char *text, char mark, double expected)
{
	double n;

	assert_true(number_read(str_of(text), mark, &n));
	assert_true(n == expected);
}

static void test_numbers_of_both_kinds(void **state)
{
	double n;

	(void)state;
	check_number("1,234,567.25", '.', 1234567.25);
	check_number("1.234.567,25", ',', 1234567.25);
	check_number("1 234,5", ',', 1234.5);
	check_number("1\xc2\xa0"
		     "234",
		     '.', 1234);
	check_number("1'234.5", '.', 1234.5);
	check_number("1.234", '.', 1.234);
	check_number("1.234", ',', 1234);
	check_number("-0.5e-3", '.', -0.5e-3);
	check_number("1064325856209150.25", '.', 1064325856209150.25);
	assert_false(number_read(STR_LIT("n/a"), '.', &n));
	assert_false(number_read(STR_LIT(""), '.', &n));
	assert_false(number_read(STR_LIT("."), '.', &n));
	assert_false(number_read(STR_LIT("1,5"), '.', &n));
	assert_false(number_read(STR_LIT("nan"), '.', &n));
	assert_false(number_read(STR_LIT("1e999"), '.', &n));
	assert_false(number_read(STR_LIT("0x10"), '.', &n));
}

/* '.', ',' or 0: what a number tells of the file it is in. */
static char told_by(const char *text)
{
	struct number_evidence seen = {0};
	struct arena a = {0};
	char mark;

	number_look(&seen, str_of(text), &a);
	mark = seen.point.s ? '.' : seen.comma.s ? ',' : 0;
	arena_free(&a);
	return mark;
}

static void test_only_some_numbers_tell_the_mark(void **state)
{
	(void)state;
	assert_int_equal(told_by("3.19"), '.');
	assert_int_equal(told_by("3,19"), ',');
	assert_int_equal(told_by("1,234"), 0);
	assert_int_equal(told_by("1.234"), 0);
	assert_int_equal(told_by("0.125"), '.');
	assert_int_equal(told_by("-0,125"), ',');
	assert_int_equal(told_by("1234.567"), '.');
	assert_int_equal(told_by("1,234,567"), '.');
	assert_int_equal(told_by("1.234.567"), ',');
	assert_int_equal(told_by("1.234,567"), ',');
	assert_int_equal(told_by("1.2.3"), 0);
	assert_int_equal(told_by("12345"), 0);
	assert_int_equal(told_by("(128, 1, 1)"), 0);
}

static void check_unit(const char *text, enum dimension dimension, double factor)
{
	struct unit_scale u = unit_read(str_of(text));

	assert_int_equal(u.dimension, dimension);
	assert_true(fabs(u.factor - factor) <= 1e-12 * factor);
}

static void test_units_and_their_prefixes(void **state)
{
	(void)state;
	check_unit("Kbyte", DIM_BYTES, 1e3);
	check_unit("Tbyte/s", DIM_BYTES, 1e12);
	check_unit("Gbyte/second", DIM_BYTES, 1e9);
	check_unit("byte/ns", DIM_BYTES, 1e9);
	check_unit("Kbyte/cycle", DIM_BYTES, 1e3);
	check_unit("KiB", DIM_BYTES, 1024);
	check_unit("nsecond", DIM_TIME, 1);
	check_unit("us", DIM_TIME, 1e3);
	check_unit("msecond", DIM_TIME, 1e6);
	check_unit("s", DIM_TIME, 1e9);
	check_unit("Mhz", DIM_HZ, 1e6);
	check_unit("Ghz", DIM_HZ, 1e9);
	check_unit("%", DIM_PERCENT, 1);
	check_unit("inst/cycle", DIM_PLAIN, 1);
	check_unit("register/thread", DIM_PLAIN, 1);
	check_unit("SM", DIM_PLAIN, 1);
	check_unit("", DIM_ANY, 1);
}

static const struct ncu_kernel *read_one(struct ncu_report *r, const char *text)
{
	struct err e = {0};

	*r = (struct ncu_report){0};
	assert_int_equal(ncu_read_text(r, str_of(text), "x.csv", &e), 0);
	assert_int_equal(r->count, 1);
	return &r->kernels[0];
}

/* What is not in the file is unknown, and so is what would need it. */
static void test_nothing_is_made_up(void **state)
{
	struct ncu_report r;
	const struct ncu_kernel *k = read_one(&r, "Kernel Name,gpu__time_duration.sum\nk,1500\n");

	(void)state;
	assert_true(k->duration_ns == 1500);
	assert_true(isnan(k->flops) && isnan(k->dram_bytes) && isnan(k->occupancy_pct));
	assert_int_equal(k->bound, NCU_BOUND_UNKNOWN);
	assert_true(isnan(k->margin));
	assert_null(ncu_limiter_name(k->limiter));
	ncu_free(&r);
}

#define OP "smsp__sass_thread_inst_executed_op_"

static void test_multiply_adds_are_two(void **state)
{
	struct ncu_report r;
	const struct ncu_kernel *k = read_one(
		&r, "Kernel Name,CC," OP "fadd_pred_on.sum," OP "fmul_pred_on.sum," OP
		    "ffma_pred_on.sum,sm__inst_executed_pipe_tensor.sum,dram__bytes_read.sum "
		    "[Kbyte],dram__bytes_write.sum [byte]\nk,8.0,1,10,100,0,2,500\n");

	(void)state;
	assert_true(k->ops[NCU_FP32] == 211);
	assert_true(k->flops == 211);
	assert_true(k->dram_bytes == 2500);
	assert_true(ncu_intensity(k->flops, k->dram_bytes) == 211 / 2500.0);
	ncu_free(&r);
}

/* Instructions of later tensor cores have many sizes. */
static void test_tensor_instructions_count_where_their_size_is_known(void **state)
{
	const char *volta = "Kernel Name,CC,sm__inst_executed_pipe_tensor.sum\nk,7.0,10\n";
	const char *ampere = "Kernel Name,CC,sm__inst_executed_pipe_tensor.sum\nk,8.0,10\n";
	struct ncu_report r;

	(void)state;
	assert_true(read_one(&r, volta)->flops == 5120);
	ncu_free(&r);
	assert_true(isnan(read_one(&r, ampere)->flops));
	ncu_free(&r);
}

static void test_half_counts_by_lanes(void **state)
{
	struct ncu_report r;
	const struct ncu_kernel *k =
		read_one(&r, "Kernel Name," OP "hadd_pred_on.sum," OP "hmul_pred_on.sum," OP
			     "hfma_pred_on.sum\nk,1,10,100\n");

	(void)state;
	assert_true(k->ops[NCU_FP16] == 2 + 20 + 400);
	ncu_free(&r);
}

static void check_lacking(const char *text, const char *lacking)
{
	struct ncu_report r;
	struct buf b = {0};
	const struct ncu_kernel *k = read_one(&r, text);

	ncu_lacking_add(&b, k->lacking);
	assert_string_equal(b.s ? b.s : "", lacking);
	assert_true(isnan(k->flops) == (*lacking != 0));
	buf_free(&b);
	ncu_free(&r);
}

/* A path of which a counter is missing, or has no number, may have done anything. */
static void test_a_path_that_is_half_known_is_unknown(void **state)
{
	(void)state;
	check_lacking("Kernel Name,sm__ops_path_tensor_src_bf16_dst_fp32.sum," OP
		      "ffma_pred_on.sum," OP "fadd_pred_on.sum\nk,1000,5000000,300\n",
		      OP "fmul_pred_on");
	check_lacking("Kernel Name,sm__ops_path_tensor_src_bf16_dst_fp32.sum," OP
		      "ffma_pred_on.sum," OP "fadd_pred_on.sum," OP
		      "fmul_pred_on.sum\nk,1000,5000000,300,n/a\n",
		      OP "fmul_pred_on");
	check_lacking("Kernel Name,CC,sm__inst_executed_pipe_tensor.sum," OP
		      "ffma_pred_on.sum\nk,7.0,7,5000\n",
		      OP "fadd_pred_on, " OP "fmul_pred_on");
	check_lacking("Kernel Name,sm__ops_path_tensor_src_bf16_dst_fp32.sum,"
		      "sm__ops_path_tensor_src_fp16_dst_fp32.sum\nk,1000,n/a\n",
		      "sm__ops_path_tensor of fp16 tensor");
	check_lacking("Kernel Name,sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32.sum,"
		      "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum\nk,n/a,1000\n",
		      "sm__ops_path_tensor of bf16 tensor");
	/* What sums it up is there. */
	check_lacking("Kernel Name,sm__ops_path_tensor_src_bf16.sum,"
		      "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum\nk,1000,n/a\n",
		      "");
	/* Of other paths nothing is said at all. */
	check_lacking("Kernel Name,sm__ops_path_tensor_src_bf16.sum\nk,1000\n", "");
}

/* The sum of a type says all; its parts only count where it is not there, and each once. */
static void test_tensor_metrics_do_not_add_up_twice(void **state)
{
	struct ncu_report r;
	const struct ncu_kernel *k = read_one(
		&r,
		"Kernel Name,sm__ops_path_tensor_src_bf16_dst_fp32.sum,"
		"sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_off.sum,"
		"sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.sum,"
		"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32_sparsity_on.sum,"
		"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32_sparsity_on.sum\nk,64,64,3,4,4\n");

	(void)state;
	assert_true(k->ops[NCU_TENSOR_BF16] == 64);
	assert_true(k->ops[NCU_TENSOR_FP16] == 7);
	ncu_free(&r);
}

static enum ncu_bound bound_of(double sm, double memory, double dram, double l2, double l1,
			       double *margin)
{
	const struct ncu_shares s = {sm, memory, dram, l2, l1};

	return ncu_bound_of(&s, margin);
}

static void test_bounds_have_margins(void **state)
{
	double margin;

	(void)state;
	assert_int_equal(bound_of(86, 68, 18, 46, 72, &margin), NCU_BOUND_COMPUTE);
	assert_true(margin == 18);
	assert_int_equal(bound_of(10, 70, 70, 75, 20, &margin), NCU_BOUND_DRAM);
	assert_true(margin == 60);
	assert_int_equal(bound_of(10, 70, 30, 70, 20, &margin), NCU_BOUND_L2);
	assert_int_equal(bound_of(10, 70, 30, 40, 70, &margin), NCU_BOUND_L1);
	assert_int_equal(bound_of(10, 70, NAN, NAN, NAN, &margin), NCU_BOUND_MEMORY);
	assert_int_equal(bound_of(10, 20, 5, 20, 8, &margin), NCU_BOUND_LATENCY);
	assert_true(margin == 40);
	assert_int_equal(bound_of(NAN, 70, 70, 70, 70, &margin), NCU_BOUND_UNKNOWN);
	assert_int_equal(bound_of(10, NAN, NAN, NAN, NAN, &margin), NCU_BOUND_UNKNOWN);
}

static void expect_refusal(const char *text, const char *message, const char *hint)
{
	struct ncu_report r = {0};
	struct err e = {0};

	assert_int_equal(ncu_read_text(&r, str_of(text), "x.csv", &e), -1);
	assert_int_equal(e.code, ERR_INPUT);
	if (!strstr(e.message, message) || !strstr(e.hint, hint))
		fail_msg("'%s' (%s)", e.message, e.hint);
	ncu_free(&r);
}

static void test_refusals_say_what_to_do(void **state)
{
	(void)state;
	expect_refusal("", "is empty", "");
	expect_refusal("a,b\n1,2\n", "not an Nsight Compute CSV", "--page raw --csv");
	expect_refusal("==WARNING== No kernels were profiled.\n", "profiled no kernel",
		       "--target-processes all");
	expect_refusal("==ERROR== ERR_NVGPUCTRPERM\n", "no permission to read the GPU's", "root");
	expect_refusal("==ERROR== Profiling failed because a driver resource was unavailable.\n",
		       "another profiler", "dcgmi profile --pause");
	expect_refusal("ID,Kernel Name,x\n", "profiled no kernel", "--kernel-name");
	expect_refusal("ID,Kernel Name,x\n0,\"k<in", "line 2: it was cut short", "--page raw");
	expect_refusal("ID,Kernel Name,x\n0,k", "line 2: it was cut short", "--page raw");
	expect_refusal("ID,Kernel Name,x,y\n0,k,1.5,\"1,5\"\n",
		       "two number formats: '1.5' and '1,5'", "locale");
}

int ncu_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_may_hold_anything),
		cmocka_unit_test(test_quotes_inside_a_field_are_text),
		cmocka_unit_test(test_delimiters_in_quotes_do_not_count),
		cmocka_unit_test(test_numbers_of_both_kinds),
		cmocka_unit_test(test_only_some_numbers_tell_the_mark),
		cmocka_unit_test(test_units_and_their_prefixes),
		cmocka_unit_test(test_nothing_is_made_up),
		cmocka_unit_test(test_multiply_adds_are_two),
		cmocka_unit_test(test_tensor_instructions_count_where_their_size_is_known),
		cmocka_unit_test(test_half_counts_by_lanes),
		cmocka_unit_test(test_a_path_that_is_half_known_is_unknown),
		cmocka_unit_test(test_tensor_metrics_do_not_add_up_twice),
		cmocka_unit_test(test_bounds_have_margins),
		cmocka_unit_test(test_refusals_say_what_to_do),
	};

	return cmocka_run_group_tests_name("ncu", tests, NULL, NULL);
}
