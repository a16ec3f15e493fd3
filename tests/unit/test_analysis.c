/* The arithmetic of analyses: exact aggregates, windows, shapes. */
#include "analysis/gpu/depth_walk.h"
#include "analysis/nsys/nsys_report.h"
#include "analysis/numbers/chance.h"
#include "analysis/numbers/rhythm.h"
#include "analysis/numbers/summary.h"
#include "analysis/steps/kernel_period.h"
#include "analysis/window.h"
#include "groups.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-9 * (1 + fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void test_chance_of_coins_and_dice(void **state)
{
	(void)state;
	assert_near(chance_at_least(8, 8, 0.5), 1 / 256.0);
	assert_near(chance_at_least(8, 6, 0.5), 37 / 256.0);
	assert_near(chance_at_least(3, 1, 0.25), 1 - 27 / 64.0);
	assert_near(chance_at_least(10, 2, 0.5), 1 - 11 / 1024.0);
	assert_near(chance_at_least(5, 0, 0.5), 1);
	assert_near(chance_at_least(5, 6, 0.5), 0);
	assert_near(chance_at_least(0, 0, 0.5), 1);
	assert_true(chance_at_least(1000000, 500000, 0.5) > 0.5);
	assert_true(chance_at_least(1000000, 510000, 0.5) < 1e-80);
	assert_near(chance_at_least_drawn(20, 4, 4, 4), 1 / 4845.0);
	assert_near(chance_at_least_drawn(5, 2, 3, 1), 1 - 1 / 10.0);
	assert_near(chance_at_least_drawn(5, 4, 3, 2), 1);
	assert_near(chance_at_least_drawn(5, 6, 3, 1), 0);
}

static void test_rhythm_of_four_in_twenty(void **state)
{
	bool fifth[20] = {0}, any[20] = {0}, gap[20] = {0};

	(void)state;
	for (size_t i = 4; i < 20; i += 5)
		fifth[i] = true;
	any[4] = any[6] = any[14] = any[15] = true;
	gap[2] = gap[5] = gap[8] = gap[14] = true;
	/* Four at distances of 2 to 6 can begin at 14, 11, 8, 5, 2 places. */
	assert_near(rhythm_chance(fifth, 20), 40 / 4845.0);
	/* Three or more at distances of 2 to 9 can begin at 2, 3, 4, 5, 6, 6, 4, 2 places. */
	assert_near(rhythm_chance(gap, 20), 32 * 15 / 4845.0);
	assert_true(rhythm_chance(any, 20) > 0.5);
	assert_near(rhythm_chance(any, 8), 1);
}

static void test_quantile_interpolates_at_q_times_n_minus_1(void **state)
{
	const int64_t v[] = {10, 20, 30, 40};

	(void)state;
	assert_near(quantile(v, 4, 0.5), 25);
	assert_near(quantile(v, 4, 0.9), 37);
	assert_near(quantile(v, 4, 0), 10);
	assert_near(quantile(v, 4, 1), 40);
	assert_near(quantile(v, 1, 0.99), 10);
}

static void test_summary_of_groups(void **state)
{
	const int64_t values[] = {7, 1, 5, 100, 3, 9};
	const uint32_t group[] = {0, 0, 0, GROUP_NONE, 2, 2};
	struct summary s[3];

	(void)state;
	summarize(values, group, 6, 3, s);
	assert_int_equal(s[0].count, 3);
	assert_int_equal(s[0].total, 13);
	assert_int_equal(s[0].min, 1);
	assert_int_equal(s[0].max, 7);
	assert_near(s[0].mean, 13.0 / 3);
	assert_near(s[0].p50, 5);
	assert_near(s[0].stddev, sqrt(28.0 / 3));
	assert_int_equal(s[1].count, 0);
	assert_int_equal(s[2].count, 2);
	assert_near(s[2].p50, 6);
	assert_near(s[2].stddev, sqrt(18));
}

static void test_deviation_of_large_close_values_is_exact(void **state)
{
	/* Squares of these lose all their digits in a double; deviations do not. */
	const int64_t values[] = {1000000000000000001, 1000000000000000002, 1000000000000000003};
	const uint32_t group[] = {0, 0, 0};
	struct summary s;

	(void)state;
	summarize(values, group, 3, 1, &s);
	assert_near(s.stddev, 1);
	assert_int_equal(s.total, 3000000000000000006);
}

static void test_extreme_values_saturate(void **state)
{
	const int64_t values[] = {INT64_MAX, INT64_MAX, INT64_MIN};
	const uint32_t group[] = {0, 0, 1};
	struct summary s[2];

	(void)state;
	summarize(values, group, 3, 2, s);
	assert_int_equal(s[0].total, INT64_MAX);
	assert_int_equal(s[1].total, INT64_MIN);
	assert_near(s[0].stddev, 0);
}

static void test_single_value_has_no_deviation(void **state)
{
	const int64_t value = 42;
	const uint32_t group = 0;
	struct summary s;

	(void)state;
	summarize(&value, &group, 1, 1, &s);
	assert_near(s.stddev, 0);
	assert_near(s.p99, 42);
}

static void test_many_values_against_sorting(void **state)
{
	enum { N = 10000, GROUPS = 7 };
	int64_t *values = mem_alloc(N, sizeof(*values));
	uint32_t *group = mem_alloc(N, sizeof(*group));
	struct summary s[GROUPS];
	int64_t total = 0;
	uint64_t count = 0, x = 1;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		values[i] = (int64_t)(x >> 40);
		group[i] = (uint32_t)(x >> 33) % GROUPS;
		total += values[i];
	}
	summarize(values, group, N, GROUPS, s);
	for (size_t g = 0; g < GROUPS; g++) {
		total -= s[g].total;
		count += s[g].count;
		assert_true(s[g].min <= s[g].p50 && s[g].p50 <= s[g].p90);
		assert_true(s[g].p90 <= s[g].p99 && s[g].p99 <= s[g].max);
	}
	assert_int_equal(total, 0);
	assert_int_equal(count, N);
	free(values);
	free(group);
}

static uint64_t next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return *x >> 11 ^ *x << 53;
}

/* Values as traces have them, and as they never should. */
static int64_t odd_value(int shape, uint64_t x)
{
	switch (shape) {
	case 0:
		return 1500;
	case 1: /* a kernel's times, with a tail */
		return 50000 + (int64_t)(x % 300) + (x >> 40 & 255 ? 0 : (int64_t)(x >> 36));
	case 2:
		return (int64_t)(x % 3) - 1;
	case 3: /* just too wide for 32 bits */
		return -(INT64_C(1) << 31) + (int64_t)(x % ((UINT64_C(1) << 32) + 2));
	case 4: /* a nanosecond less than counts as years apart, far from zero */
		return (INT64_C(1) << 61) + (int64_t)(x >> 17);
	case 5:
		return -(INT64_C(1) << 61) - (int64_t)(x >> 16);
	case 6:
		return (int64_t)x;
	default:
		return x & 1 ? INT64_MAX : INT64_MIN;
	}
}

static int compare_values(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The definitions, taken literally. */
static struct summary sort_and_sum(int64_t *v, size_t n)
{
	struct summary s = {.count = n};
	__int128 total = 0, squares = 0, whole_mean;
	double inexact = 0, offset;

	if (!n)
		return s;
	qsort(v, n, sizeof(*v), compare_values);
	for (size_t i = 0; i < n; i++)
		total += v[i];
	whole_mean = total / (__int128)n;
	s.total = total > INT64_MAX ? INT64_MAX : total < INT64_MIN ? INT64_MIN : (int64_t)total;
	s.min = v[0];
	s.max = v[n - 1];
	s.mean = (double)total / (double)n;
	s.p50 = quantile(v, n, 0.5);
	s.p90 = quantile(v, n, 0.9);
	s.p99 = quantile(v, n, 0.99);
	offset = (double)(total - (__int128)n * whole_mean);
	if ((__int128)v[n - 1] - v[0] >= (__int128)1 << 47) {
		for (size_t i = 0; i < n; i++)
			inexact += ((double)v[i] - s.mean) * ((double)v[i] - s.mean);
		s.stddev = n < 2 ? 0 : sqrt(inexact / (double)(n - 1));
		return s;
	}
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - whole_mean) * (v[i] - whole_mean);
	if (n > 1)
		s.stddev = sqrt(((double)squares - offset * offset / (double)n) / (double)(n - 1));
	return s;
}

static void assert_same_summary(const struct summary *a, const struct summary *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_true(a->mean == b->mean);
	assert_true(a->p50 == b->p50);
	assert_true(a->p90 == b->p90);
	assert_true(a->p99 == b->p99);
	assert_true(a->stddev == b->stddev);
}

/* Group g holds `sizes[g]` values, in no order; some rows have no group. */
static void check_summaries(const size_t *sizes, size_t groups, int shape, unsigned workers)
{
	size_t n = 0, kept = 0;
	struct summary *s = mem_alloc(groups, sizeof(*s));
	uint64_t x = 1 + (uint64_t)shape;
	uint32_t *group, *pick;
	int64_t *values, *sorted;

	for (size_t g = 0; g < groups; g++)
		n += sizes[g] + 1;
	group = mem_alloc(n, sizeof(*group));
	pick = mem_alloc(n, sizeof(*pick));
	values = mem_alloc(n, sizeof(*values));
	sorted = mem_alloc(n, sizeof(*sorted));
	n = 0;
	for (size_t g = 0; g < groups; g++) {
		for (size_t i = 0; i <= sizes[g]; i++) {
			size_t to = (size_t)(next_random(&x) % (n + 1));

			group[n] = group[to];
			group[to] = i < sizes[g] ? (uint32_t)g : GROUP_NONE;
			pick[n] = (uint32_t)n;
			values[n++] = odd_value(shape, next_random(&x));
		}
	}
	parallel_set_workers(workers);
	for (int picked = 0; picked < 2; picked++) {
		summarize_picked(values, picked ? pick : NULL, group, n, groups, s);
		for (size_t g = 0; g < groups; g++) {
			struct summary naive;

			kept = 0;
			for (size_t i = 0; i < n; i++) {
				if (group[i] == g)
					sorted[kept++] = values[i];
			}
			naive = sort_and_sum(sorted, kept);
			assert_same_summary(&s[g], &naive);
		}
	}
	free(s);
	free(group);
	free(pick);
	free(values);
	free(sorted);
}

static void test_summaries_equal_naive_ones(void **state)
{
	static const size_t few[] = {1, 2, 3, 0, 4, 11, 100, 101, 511, 512, 513, 514, 2000, 7001};
	const size_t many[] = {5, repeats(300001), 0, repeats(70000)};

	(void)state;
	for (int shape = 0; shape < 8; shape++) {
		for (unsigned workers = 1; workers <= 3; workers += 2) {
			check_summaries(few, ARRAY_LEN(few), shape, workers);
			check_summaries(many, ARRAY_LEN(many), shape, workers);
			check_summaries(few, 1, shape, workers);
		}
	}
}

enum { WAITS = 400 };

struct waits_at_random {
	int64_t from_ns[WAITS], to_ns[WAITS];
	struct steps steps;
};

/* Waits of a short time, so that edges of steps and waits fall together often. */
static void make_waits(struct waits_at_random *x, uint64_t *random, int64_t span_ns, bool in_order)
{
	x->steps = (struct steps){INT64_MAX, INT64_MIN, 1 + (size_t)(next_random(random) % 50)};
	for (size_t i = 0; i < WAITS; i++) {
		int64_t at = in_order ? (int64_t)i * span_ns / WAITS
				      : (int64_t)(next_random(random) % (uint64_t)span_ns);
		int64_t from_ns = -20 + at;
		int64_t to_ns = from_ns + 1 + (int64_t)(next_random(random) % 30);

		x->from_ns[i] = from_ns;
		x->to_ns[i] = to_ns;
		x->steps.from_ns = from_ns < x->steps.from_ns ? from_ns : x->steps.from_ns;
		x->steps.to_ns = to_ns > x->steps.to_ns ? to_ns : x->steps.to_ns;
	}
}

/* Nanosecond by nanosecond. */
static struct depth_step count_waits(const struct waits_at_random *x, int64_t begin_ns,
				     int64_t end_ns)
{
	struct depth_step s = {0};

	for (int64_t ns = begin_ns; ns < end_ns || ns == begin_ns; ns++) {
		size_t open = 0;

		for (size_t i = 0; i < WAITS; i++)
			open += x->from_ns[i] <= ns && x->to_ns[i] > ns;
		s.waited_ns += ns < end_ns ? open : 0;
		s.most = open > s.most ? open : s.most;
	}
	return s;
}

static void test_depth_is_what_counting_says(void **state)
{
	static const int64_t spans_ns[] = {1, 3, 40, 300, 2000};
	uint64_t random = 7;

	(void)state;
	for (size_t round = 0; round < 4 * ARRAY_LEN(spans_ns); round++) {
		struct waits_at_random x;
		struct depth_walk w;

		make_waits(&x, &random, spans_ns[round / 4], round % 2);
		depth_walk_begin(&w, &x.steps);
		for (size_t i = 0; i < WAITS; i++) {
			int64_t before_ns = INT64_MAX;

			depth_walk_add(&w, x.from_ns[i], x.to_ns[i]);
			for (size_t k = i + 1; k < WAITS; k++)
				before_ns = x.from_ns[k] < before_ns ? x.from_ns[k] : before_ns;
			if (i % 10 == 0)
				depth_walk_pass(&w, before_ns);
		}
		depth_walk_end(&w);
		for (size_t i = 0; i < x.steps.count; i++) {
			struct depth_step naive = count_waits(&x, steps_edge(&x.steps, i),
							      steps_edge(&x.steps, i + 1));

			assert_true(w.met[i].waited_ns == naive.waited_ns);
			assert_int_equal(w.met[i].most, naive.most);
		}
		depth_walk_free(&w);
	}
}

static void test_no_rows_are_empty_groups(void **state)
{
	struct summary s[2] = {{.count = 1}, {.count = 1}};

	(void)state;
	summarize(NULL, NULL, 0, 2, s);
	assert_int_equal(s[0].count, 0);
	assert_int_equal(s[1].count, 0);
	summarize(NULL, NULL, 0, 0, NULL);
}

static void test_windows_clip(void **state)
{
	const struct scope p = {.has_trim = true, .from_ns = 100, .to_ns = 200}, all = {0};
	int64_t inside;

	(void)state;
	assert_true(window_clip(&p, 120, 30, &inside));
	assert_int_equal(inside, 30);
	assert_true(window_clip(&p, 50, 100, &inside));
	assert_int_equal(inside, 50);
	assert_true(window_clip(&p, 150, 500, &inside));
	assert_int_equal(inside, 50);
	assert_true(window_clip(&p, 0, 1000, &inside));
	assert_int_equal(inside, 100);
	assert_false(window_clip(&p, 0, 100, &inside));
	assert_false(window_clip(&p, 200, 10, &inside));
	assert_true(window_clip(&p, 100, 0, &inside));
	assert_false(window_clip(&p, 200, 0, &inside));
	assert_false(window_clip(&p, 99, 0, &inside));
	assert_true(window_clip(&all, -5, 7, &inside));
	assert_int_equal(inside, 7);
	assert_true(window_clip(&p, 150, INT64_MAX, &inside));
	assert_int_equal(inside, 50);
}

static void test_shapes_are_padded_like_nvidias(void **state)
{
	uint32_t x[] = {264}, y[] = {2}, z[] = {4294967294};
	uint32_t *const dimensions[3] = {x, y, z};
	char out[SHAPE_BYTES];

	(void)state;
	assert_string_equal(shape_text(dimensions, 0, out).s, " 264    2 4294967294");
}

static void test_parts_of_a_window(void **state)
{
	const struct scope p = {.has_trim = true, .from_ns = 10, .to_ns = 20};
	struct span s = {0};

	(void)state;
	assert_true(window_part(&p, 5, 10, &s));
	assert_int_equal(s.start_ns, 10);
	assert_int_equal(s.end_ns, 15);
	assert_true(window_part(&p, 12, 100, &s));
	assert_int_equal(s.start_ns, 12);
	assert_int_equal(s.end_ns, 20);
	assert_true(window_part(&p, 12, -5, &s));
	assert_int_equal(s.end_ns, 12);
	assert_false(window_part(&p, 20, 5, &s));
	assert_false(window_part(&p, 0, 10, &s));
}

enum { LAYERS = 12, OF_LAYER = 10, OF_STEP = LAYERS * OF_LAYER + 5 };

/* A step: two kernels of its own, layers, three of its own; every tenth logs something. */
static size_t add_kernels(uint32_t *names, size_t n, uint32_t step)
{
	names[n++] = 100;
	names[n++] = 101;
	for (uint32_t i = 0; i < LAYERS * OF_LAYER; i++)
		names[n++] = i % OF_LAYER;
	for (uint32_t i = 0; i < 3; i++)
		names[n++] = 102 + i;
	if (step % 10 == 9)
		names[n++] = 110;
	return n;
}

static void test_steps_are_found_not_layers_nor_logs(void **state)
{
	uint32_t names[40 * (OF_STEP + 1) + 7];
	struct kernel_period p;
	size_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 7; i++)
		names[n++] = 200 + i;
	for (uint32_t step = 0; step < 40; step++)
		n = add_kernels(names, n, step);
	assert_true(kernel_period_find(names, n, &p));
	assert_int_equal(p.count, 40);
	assert_int_equal(p.length, OF_STEP);
	assert_int_equal(p.steps[0].begin, 7);
	assert_int_equal(p.steps[1].begin, 7 + OF_STEP);
	assert_true(p.confidence > 0.99);
	free(p.steps);
}

/* Of so many kernels only some places are looked at. */
static void test_steps_are_found_among_very_many(void **state)
{
	const uint32_t steps = (1u << 19) / OF_STEP;
	uint32_t *names = malloc(((size_t)steps + 1) * (OF_STEP + 1) * sizeof(*names));
	struct kernel_period p;
	size_t n = 0;

	(void)state;
	for (uint32_t step = 0; step < steps; step++)
		n = add_kernels(names, n, step);
	assert_true(kernel_period_find(names, n, &p));
	assert_int_equal(p.count, steps);
	assert_int_equal(p.length, OF_STEP);
	assert_int_equal(p.steps[0].begin, 0);
	free(p.steps);
	for (n = 0; n < 1u << 19; n++)
		names[n] = n % 2;
	assert_true(kernel_period_find(names, n, &p));
	assert_int_equal(p.length, 2);
	free(p.steps);
	free(names);
}

static void test_two_steps_are_no_period_and_their_layers_none_either(void **state)
{
	uint32_t names[2 * (OF_STEP + 1)];
	struct kernel_period p;
	size_t n = add_kernels(names, 0, 0);

	(void)state;
	n = add_kernels(names, n, 1);
	assert_false(kernel_period_find(names, n, &p));
	free(p.steps);
}

static void test_noise_has_no_period(void **state)
{
	uint32_t names[4000];
	uint64_t seed = 1;

	(void)state;
	for (uint32_t kinds = 1; kinds <= 64; kinds *= 2) {
		struct kernel_period p;

		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			names[i] = (uint32_t)(seed >> 33) % kinds;
		}
		for (size_t n = 0; n <= ARRAY_LEN(names); n = 3 * n / 2 + 1) {
			assert_false(kernel_period_find(names, n, &p));
			free(p.steps);
		}
	}
}

int analysis_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chance_of_coins_and_dice),
		cmocka_unit_test(test_rhythm_of_four_in_twenty),
		cmocka_unit_test(test_quantile_interpolates_at_q_times_n_minus_1),
		cmocka_unit_test(test_summary_of_groups),
		cmocka_unit_test(test_deviation_of_large_close_values_is_exact),
		cmocka_unit_test(test_extreme_values_saturate),
		cmocka_unit_test(test_single_value_has_no_deviation),
		cmocka_unit_test(test_many_values_against_sorting),
		cmocka_unit_test(test_summaries_equal_naive_ones),
		cmocka_unit_test(test_depth_is_what_counting_says),
		cmocka_unit_test(test_no_rows_are_empty_groups),
		cmocka_unit_test(test_windows_clip),
		cmocka_unit_test(test_shapes_are_padded_like_nvidias),
		cmocka_unit_test(test_parts_of_a_window),
		cmocka_unit_test(test_steps_are_found_not_layers_nor_logs),
		cmocka_unit_test(test_steps_are_found_among_very_many),
		cmocka_unit_test(test_two_steps_are_no_period_and_their_layers_none_either),
		cmocka_unit_test(test_noise_has_no_period),
	};

	return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
