/* Jobs of made-up arrivals: what is planted is found again. */
#include "fleet/clock.h"
#include "groups.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t seed = 1;

static double draw(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 0x1p53;
}

/* Two ranks in collectives of 150 µs to 5 ms, each late in half of them. */
static void make_bounds(struct clock_bound *b, size_t count, double offset_ns, double drift)
{
	for (size_t i = 0; i < count; i++) {
		const double at = 37e6 * (double)i, length = 150e3 + 5e6 * draw() * draw();
		const double late[2] = {draw() * 1e6, draw() * 1e6};
		const double last = at + fmax(late[0], late[1]);
		double start[2], end[2];

		for (int k = 0; k < 2; k++) {
			start[k] = at + late[k];
			end[k] = last + length + draw() * 0.1 * length;
		}
		/* The reference is true time; the other clock shows (true − offset) / (1 + drift).
		 */
		start[1] = (start[1] - offset_ns) / (1 + drift);
		end[1] = (end[1] - offset_ns) / (1 + drift);
		b[i] = (struct clock_bound){.at_ns = (start[1] + end[1]) / 2,
					    .least_ns = start[0] - end[1],
					    .most_ns = end[0] - start[1],
					    .even_ns = end[0] - end[1]};
	}
}

/* Whatever the clocks are, what was planted is no farther away than the fit says. */
static void check_fit(size_t count, double offset_ns, double drift, double expected_ns,
		      double most_uncertain_ns)
{
	struct clock_bound *b = mem_alloc(count, sizeof(*b));
	struct clock_fit f;

	make_bounds(b, count, offset_ns, drift);
	clock_fit(b, count, expected_ns, &f);
	assert_true(f.known);
	assert_int_equal(f.used, count);
	assert_true(f.uncertainty_ns >= 0 && f.uncertainty_ns <= most_uncertain_ns);
	for (size_t i = 0; i < count; i++) {
		const double planted = offset_ns + drift * b[i].at_ns;

		assert_true(fabs(clock_offset_ns(&f, b[i].at_ns) - planted) <=
			    f.uncertainty_ns + 1);
	}
	free(b);
}

static void test_clocks_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < repeats(100); i++) {
		const double offset_ns = (draw() - 0.5) * 20e6, drift = (draw() - 0.5) * 100e-6;

		check_fit(75, offset_ns, 0, NAN, 1.5e6);
		check_fit(75, offset_ns, drift, NAN, 1.5e6);
		check_fit(75, offset_ns, drift, 3e6, 1.5e6);
		check_fit(2000, offset_ns, drift, NAN, 400e3);
		check_fit(1, offset_ns, 0, NAN, 7e6);
	}
}

/* A clock that is right stays as it is, and gets no drift that nobody needs. */
static void test_expected_offset_is_kept(void **state)
{
	struct clock_bound b[800];
	struct clock_fit f;

	(void)state;
	make_bounds(b, 200, 0, 0);
	clock_fit(b, 200, 0, &f);
	assert_true(f.known && f.as_expected && f.at_zero_ns == 0 && f.drift == 0);
	make_bounds(b, 200, 12e6, 0);
	clock_fit(b, 200, 0, &f);
	assert_true(f.known && !f.as_expected && f.drift == 0);
	/* Over 30 s 50 ppm are 1.5 ms: no line without drift agrees. */
	make_bounds(b, 800, 12e6, 50e-6);
	clock_fit(b, 800, 0, &f);
	assert_true(f.known && fabs(f.drift - 50e-6) < 30e-6);
}

/* One odd bound among two hundred does not matter; a tenth of them does. */
static void test_contradictions(void **state)
{
	struct clock_bound b[200];
	struct clock_fit f;

	(void)state;
	make_bounds(b, 200, 5e6, 20e-6);
	b[77].least_ns += 1e9;
	b[77].most_ns += 1e9;
	clock_fit(b, 200, NAN, &f);
	assert_true(f.known && f.left_out == 1 && f.used == 199);
	assert_true(fabs(f.at_zero_ns - 5e6) <= f.uncertainty_ns);
	make_bounds(b, 200, 5e6, 0);
	for (size_t i = 0; i < 200; i += 10) {
		b[i].least_ns += 1e9;
		b[i].most_ns += 1e9;
	}
	clock_fit(b, 200, NAN, &f);
	assert_false(f.known);
	clock_fit(b, 0, NAN, &f);
	assert_false(f.known);
}

int fleet_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks_are_found),
		cmocka_unit_test(test_expected_offset_is_kept),
		cmocka_unit_test(test_contradictions),
	};

	return cmocka_run_group_tests_name("fleet", tests, NULL, NULL);
}
