/* What does a question say, and what does it mean? */
#include "ask/respell.h"
#include "ask/said_name.h"
#include "ask/words/spelling.h"
#include "groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void is_stemmed(const char *said, const char *stem)
{
	struct words w;

	words_read(&w, str_of(said));
	assert_int_equal(w.count, 1);
	assert_string_equal(w.all[0].stem, stem);
	words_free(&w);
}

static void words_lose_their_endings(void **state)
{
	(void)state;
	is_stemmed("launches", "launch");
	is_stemmed("Launched", "launch");
	is_stemmed("copies", "copy");
	is_stemmed("gaps", "gap");
	is_stemmed("running", "run");
	is_stemmed("bus", "bus");
	is_stemmed("loss", "loss");
	is_stemmed("Grösse", "siz"); /* the dictionary's "size" */
}

static void the_dictionary_stands_for_phrases(void **state)
{
	struct words w;

	(void)state;
	words_read(&w, STR_LIT("host to device memcpys"));
	assert_int_equal(w.count, 3);
	assert_string_equal(w.all[0].text, "h2d");
	assert_true(str_eq(w.all[0].said, STR_LIT("host to device")));
	assert_string_equal(w.all[2].text, "copy");
	words_free(&w);
	words_read(&w, STR_LIT("为什么GPU空闲"));
	assert_int_equal(w.count, 3);
	assert_string_equal(w.all[0].text, "why");
	assert_string_equal(w.all[2].text, "idle");
	words_free(&w);
}

static void quotes_hold_names(void **state)
{
	struct question q;

	(void)state;
	question_read(&q, STR_LIT("how long is `a b c` in it's \"d\" and foo_bar, generate()"));
	assert_int_equal(q.names.count, 4);
	assert_true(str_eq(q.names.all[0], STR_LIT("a b c")));
	assert_true(str_eq(q.names.all[1], STR_LIT("d")));
	assert_true(str_eq(q.names.all[2], STR_LIT("foo_bar")));
	assert_true(str_eq(q.names.all[3], STR_LIT("generate")));
	question_free(&q);
}

static void places_are_found(void **state)
{
	struct question q;

	(void)state;
	question_read(&q, STR_LIT("on GPU 3 and rank2, stream 7 of steps 4 and 5, pid 99"));
	assert_int_equal(q.devices.all[0], 3);
	assert_int_equal(q.ranks.all[0], 2);
	assert_int_equal(q.streams.all[0], 7);
	assert_int_equal(q.steps.count, 2);
	assert_int_equal(q.steps.all[1], 5);
	assert_int_equal(q.pids.all[0], 99);
	question_free(&q);
	question_read(&q, STR_LIT("ranks 0, 1 and 3 for 20 ms"));
	assert_int_equal(q.ranks.count, 3);
	assert_int_equal(q.ranks.all[2], 3);
	question_free(&q);
}

static void window_is(const char *text, int64_t from_ns, int64_t to_ns)
{
	struct question q;

	question_read(&q, str_of(text));
	assert_true(q.has_window);
	assert_int_equal(q.from_ns, from_ns);
	assert_int_equal(q.to_ns, to_ns);
	question_free(&q);
}

static void windows_are_found(void **state)
{
	struct question q;

	(void)state;
	window_is("between 10 and 20 ms", 10000000, 20000000);
	window_is("10-20ms", 10000000, 20000000);
	window_is("from 1.5s to 1600 ms", 1500000000, 1600000000);
	window_is("zwischen 1 und 2 sekunden", 1000000000, 2000000000);
	window_is("the first 50 µs", 0, 50000);
	window_is("in the first second", 0, 1000000000);
	window_is("at 1.2 s", 1200000000, 1200000001);
	window_is("in [1.5s, 1.6s]", 1500000000, 1600000000);
	window_is("from t=1.5s to t=1.6s", 1500000000, 1600000000);
	window_is("zwischen 19,8 s und 1,000 s", 19800000000, 1000000000000);
	window_is("in the last 50 ms", -50000000, 0);
	question_read(&q, STR_LIT("gpu 0 and 1, 20 to 10 ms, 99999999999999999999 s to 1e300 s"));
	assert_false(q.has_window);
	question_free(&q);
}

static void numbers_are_read_or_not(void **state)
{
	static const struct {
		const char *text;
		bool has_unread;
	} cases[] = {{"how long is step 3 between 1 and 2 s", false},
		     {"p99 of gemm, the 99th percentile", false},
		     {"top 5 kernels over 200 us", false},
		     {"kernels near 17", true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct question q;

		question_read(&q, str_of(cases[i].text));
		assert_int_equal(question_has_unread_number(&q), cases[i].has_unread);
		question_free(&q);
	}
}

/* "single launches over 200 us: how many" has no people in it: what stands first counts. */
static void a_head_may_come_first(void **state)
{
	struct question q;

	(void)state;
	question_read(&q, STR_LIT("kernel launches over 200 us: how many"));
	assert_string_equal(q.head, "kernel");
	question_free(&q);
	question_read(&q, STR_LIT("gaps on the GPU, how many are there"));
	assert_string_equal(q.head, "gap");
	question_free(&q);
}

static void ordinals_are_found(void **state)
{
	static const struct {
		const char *text;
		uint64_t nth;
	} cases[] = {{"the second longest gap", 2},
		     {"3rd slowest kernel", 3},
		     {"which kernel is third in total time", 3},
		     {"which kernel comes second", 2},
		     {"kernels per second in step 3", 0},
		     {"the second step", 0},
		     {"longest second", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct question q;

		question_read(&q, str_of(cases[i].text));
		assert_int_equal(q.nth, cases[i].nth);
		question_free(&q);
	}
}

static void rows_are_counted(void **state)
{
	static const struct {
		const char *text;
		uint64_t top;
	} cases[] = {{"top 5 kernels", 5},	 {"top10", 10},
		     {"the three slowest", 3},	 {"longest gaps", 0},
		     {"5 kernels with most", 5}, {"two are enough", 2},
		     {"前五 kernels", 5}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct question q;

		question_read(&q, str_of(cases[i].text));
		assert_int_equal(q.top, cases[i].top);
		question_free(&q);
	}
}

static void thresholds_have_units(void **state)
{
	struct question q;

	(void)state;
	question_read(&q, STR_LIT("copies smaller than 4 KB"));
	assert_true(q.threshold.is_given && q.threshold.is_below && q.threshold.is_bytes);
	assert_true(q.threshold.value == 4000);
	question_free(&q);
	question_read(&q, STR_LIT("gaps longer than 1.5 ms"));
	assert_true(q.threshold.is_given && !q.threshold.is_below && !q.threshold.is_bytes);
	assert_true(q.threshold.value == 1.5e6);
	question_free(&q);
}

static struct question read_question(const char *text)
{
	struct question q;

	question_read(&q, str_of(text));
	return q;
}

static void work_is(const char *text, unsigned kinds, const char *direction, enum of_each each)
{
	struct question q = read_question(text);

	assert_int_equal(q.work.kinds, kinds);
	assert_int_equal(q.work.each, each);
	assert_int_equal(!q.work.direction, !direction);
	if (direction)
		assert_string_equal(q.work.direction, direction);
	question_free(&q);
}

static void work_is_found(void **state)
{
	(void)state;
	work_is("how many bytes host to device", WORK_COPY, "Host-to-Device", EACH_NONE);
	work_is("device->host traffic", WORK_COPY, "Device-to-Host", EACH_NONE);
	work_is("h2d vs d2h bytes", WORK_COPY, "Host-to-Device", EACH_NONE);
	work_is("how many memsets", WORK_MEMSET, NULL, EACH_NONE);
	work_is("kernels longer than one millisecond", WORK_KERNEL, NULL, EACH_BEYOND);
	work_is("copies larger than 4 KB", WORK_COPY, NULL, EACH_BEYOND);
	work_is("gaps longer than 1 ms between kernels", WORK_KERNEL, NULL, EACH_NONE);
	work_is("cudaMalloc calls longer than 1 ms", 0, NULL, EACH_CALL);
	work_is("which kernel ran last", WORK_KERNEL, NULL, EACH_ROW);
	work_is("calls between the first and the last kernel", WORK_KERNEL, NULL, EACH_NONE);
	work_is("median kernel duration", WORK_KERNEL, NULL, EACH_SPREAD);
	work_is("median duration of my_kernel", 0, NULL, EACH_NONE);
	work_is("median of kernels longer than 5 us", WORK_KERNEL, NULL, EACH_SPREAD);
	work_is("copy time on stream 7", WORK_COPY, NULL, EACH_SPREAD);
	work_is("longest kernel on stream 7", WORK_KERNEL, NULL, EACH_SPREAD);
	work_is("kernel time on stream 7", WORK_KERNEL, NULL, EACH_NONE);
	work_is("average copy size on stream 7", WORK_COPY, NULL, EACH_NONE);
	work_is("how many CUDA API calls longer than 1 us", 0, NULL, EACH_CALL);
	work_is("threads per block of my_kernel", 0, NULL, EACH_SHAPE);
	work_is("which thread launches the kernels", WORK_KERNEL, NULL, EACH_NONE);
	work_is("how long is the main thread blocked", 0, NULL, EACH_NONE);
}

static void ends_of_time_are_found(void **state)
{
	struct question q = read_question("the very first kernel");

	(void)state;
	assert_true(q.is_earliest && !q.is_latest);
	question_free(&q);
	q = read_question("which kernel came last");
	assert_true(q.is_latest && !q.is_earliest);
	question_free(&q);
}

static void steps_may_be_left_out(void **state)
{
	struct question q = read_question("average step time leaving out step 0");

	(void)state;
	assert_int_equal(q.not_steps.count, 1);
	assert_int_equal(q.steps.count, 0);
	question_free(&q);
	q = read_question("the slowest step after step 3");
	assert_true(q.step_span.is_given && q.step_span.first == 4 && !q.steps.count);
	question_free(&q);
	q = read_question("idle time after 2 s in step 4");
	assert_true(!q.step_span.is_given && q.steps.count == 1 && q.has_window);
	question_free(&q);
}

static void only_steps_named_last_are_left_out(void **state)
{
	struct question q = read_question("how long do steps 2, 3 and 4 take without step 3?");

	(void)state;
	assert_int_equal(q.steps.count, 2);
	assert_int_equal(q.steps.all[1], 4);
	assert_int_equal(q.not_steps.count, 1);
	question_free(&q);
	q = read_question("idle time excluding steps 0 to 2");
	assert_int_equal(q.not_steps.count, 3);
	assert_true(!q.step_span.is_given && !q.steps.count);
	question_free(&q);
	/* More than there is room for: "excluding" stays a word that nothing has heeded. */
	q = read_question("idle time excluding steps 0 to 4000000000");
	assert_int_equal(q.not_steps.count, 0);
	assert_false(q.is_used[2]);
	question_free(&q);
}

static void steps_from_one_to_another_are_a_span(void **state)
{
	static const char *const spans[] = {"mean step time from step 2 to step 90",
					    "mean step time of steps 2 to 90"};
	struct question q;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(spans); i++) {
		q = read_question(spans[i]);
		assert_true(q.step_span.is_given && !q.steps.count);
		assert_true(question_means_step(&q, 2) && question_means_step(&q, 90));
		assert_false(question_means_step(&q, 1) || question_means_step(&q, 91));
		question_free(&q);
	}
	q = read_question("compare step 2 to step 4");
	assert_true(!q.step_span.is_given && q.steps.count == 2);
	question_free(&q);
}

static void edge_is(const char *text, bool is_last, uint32_t count)
{
	struct question q;

	question_read(&q, str_of(text));
	assert_true(q.step_edge.is_given);
	assert_int_equal(q.step_edge.is_last, is_last);
	assert_int_equal(q.step_edge.count, count);
	assert_int_equal(q.top, 0);
	question_free(&q);
}

static void first_and_last_steps_are_places(void **state)
{
	static const char *const others[] = {"is the first step slower than the others",
					     "why is the first step slow",
					     "time from the start to the first step",
					     "when does the first kernel start",
					     "kernels in the last 3 ms",
					     "why is a step 200 ms long"};
	struct question q;

	(void)state;
	edge_is("total kernel time in the last 3 steps", true, 3);
	edge_is("how many copies in the first two iterations", false, 2);
	edge_is("kernel time of the last step", true, 1);
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		question_read(&q, str_of(others[i]));
		assert_false(question_names_steps(&q));
		question_free(&q);
	}
}

static void edges_are_placed_in_the_steps_there_are(void **state)
{
	struct question q;

	(void)state;
	question_read(&q, STR_LIT("kernel time in the last 3 steps"));
	question_place_edge(&q, 0, 19);
	assert_true(q.step_span.is_given && q.step_span.first == 17 && q.step_span.last == 19);
	question_free(&q);
	question_read(&q, STR_LIT("kernel time in the last 30 steps"));
	question_place_edge(&q, 2, 5);
	assert_true(q.step_span.is_given && q.step_span.first == 2 && q.step_span.last == 5);
	question_free(&q);
	question_read(&q, STR_LIT("kernel time of the first step"));
	question_place_edge(&q, 1, 5);
	assert_true(q.steps.count == 1 && q.steps.all[0] == 1);
	question_free(&q);
	question_read(&q, STR_LIT("mean step time without the first 2 steps"));
	question_place_edge(&q, 0, 5);
	assert_true(q.step_span.is_given && q.step_span.first == 2 && !question_means_step(&q, 1));
	question_free(&q);
	question_read(&q, STR_LIT("mean step time excluding the last step"));
	question_place_edge(&q, 0, 5);
	assert_true(question_means_step(&q, 4) && !question_means_step(&q, 5));
	question_free(&q);
	question_read(&q, STR_LIT("kernels after the first 2 steps"));
	question_place_edge(&q, 0, 5);
	assert_true(!question_means_step(&q, 1) && question_means_step(&q, 2));
	question_free(&q);
	question_read(&q, STR_LIT("kernel time in step 3 or the first step"));
	assert_true(question_place_edge(&q, 0, 5));
	assert_true(q.steps.count == 2 && q.steps.all[0] == 3 && q.steps.all[1] == 0);
	question_free(&q);
}

static void edges_that_leave_nothing_are_not_heeded(void **state)
{
	static const char *const of_six[] = {
		"kernel time in step 3 and the last 2 steps",
		"mean step time without the first 6 steps",
		"mean step time without the last 10 steps",
		"kernels after the last step",
	};
	struct question q;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(of_six); i++) {
		question_read(&q, str_of(of_six[i]));
		assert_false(question_place_edge(&q, 0, 5));
		assert_false(q.step_span.is_given);
		question_free(&q);
	}
}

static void windows_may_go_to_the_end(void **state)
{
	struct question q = read_question("kernels after 2 s"),
			next = read_question("and idle time?");

	(void)state;
	assert_true(q.has_window && q.to_end && q.to_ns == INT64_MAX);
	question_add_slots(&next, &q);
	assert_true(next.to_end);
	question_free(&next);
	question_free(&q);
	q = read_question("kernels between 1 s and 2 s");
	assert_true(q.has_window && !q.to_end);
	question_free(&q);
}

static void a_place_is_no_subject(void **state)
{
	struct question q = read_question("how many kernels longer than 100 us in step 3?");

	(void)state;
	assert_int_equal(q.work.each, EACH_BEYOND);
	question_free(&q);
	q = read_question("steps longer than 100 us with kernels");
	assert_int_equal(q.work.each, EACH_NONE);
	question_free(&q);
}

static void places_are_dropped(void **state)
{
	struct question q = read_question("kernels on GPU 7 between 1 and 2 s");

	(void)state;
	question_drop_places(&q);
	assert_true(!q.devices.count && !q.has_window);
	question_free(&q);
}

static void slips_are_counted(void **state)
{
	(void)state;
	assert_int_equal(spelling_distance("kernel", "kernel", 2), 0);
	assert_int_equal(spelling_distance("krenel", "kernel", 2), 1);
	assert_int_equal(spelling_distance("kernl", "kernel", 2), 1);
	assert_int_equal(spelling_distance("kernels", "kernel", 2), 1);
	assert_int_equal(spelling_distance("abc", "xyz", 2), 3);
	assert_int_equal(spelling_distance("", "ab", 2), 2);
	assert_int_equal(spelling_distance("", "abc", 2), 3);
}

static void slips_are_mended(void **state)
{
	struct corpus c;
	SCOPED_BUF meant = {0};

	(void)state;
	corpus_make(&c, NULL);
	respell(&meant, STR_LIT("wich kernl betwen 1 adn 2 `kernl` x_kernl"), &c, NULL, NULL);
	assert_string_equal(meant.s, "which kernel between 1 adn 2 `kernl` x_kernl");
	meant.len = 0;
	respell(&meant, STR_LIT("real home words, progress started printing; slowst"), &c, NULL,
		NULL);
	assert_string_equal(meant.s, "real home words, progress started printing; slowest");
	corpus_free(&c);
}

static void names_fit_by_part(void **state)
{
	static const char kernel[] = "void at::native::vectorized_elementwise_kernel<4, F>(int)";

	(void)state;
	assert_int_equal(name_fit(STR_LIT("forward"), STR_LIT("Forward")), FIT_WHOLE);
	assert_int_equal(name_fit(STR_LIT("ncclDevKernel_AllReduce_Sum"), STR_LIT("allreduce")),
			 FIT_WORD);
	assert_int_equal(name_fit(STR_LIT("ampere_sgemm_128x64"), STR_LIT("gemm")), FIT_PART);
	assert_int_equal(name_fit(STR_LIT("ncclDevKernel_AllReduce_Sum"), STR_LIT("Sum")),
			 FIT_WORD);
	assert_int_equal(name_fit(str_of(kernel), STR_LIT("elementwise")), FIT_WORD);
	assert_int_equal(name_fit(STR_LIT("[CUDA memcpy Host-to-Device]"), STR_LIT("h2d")),
			 FIT_WORD);
	assert_int_equal(name_fit(STR_LIT("optimizer"), STR_LIT("optimiser")), FIT_NEAR);
	assert_int_equal(name_fit(STR_LIT("forward"), STR_LIT("backward")), FIT_NONE);
	assert_int_equal(name_fit(STR_LIT("attn"), STR_LIT("attention")), FIT_WORD);
	assert_int_equal(name_fit(STR_LIT(""), STR_LIT("x")), FIT_NONE);
}

/* Every question that a topic names as its own leads to its analysis. */
static void examples_lead_home(void **state)
{
	struct corpus c;
	size_t astray = 0;

	(void)state;
	corpus_make(&c, NULL);
	for (size_t i = 0; i < c.example_count; i++) {
		struct question q;
		struct route r;

		question_read(&q, c.examples[i].text);
		route_make(&r, &c, &q, NULL, NULL);
		if (r.is_foreign ||
		    r.all[0].document->analysis != c.documents[c.examples[i].document].analysis) {
			astray++;
			print_message("%.*s: %s%s\n", STR_FMT(c.examples[i].text),
				      r.is_foreign ? "foreign, " : "",
				      r.all[0].document->analysis->name);
		}
		question_free(&q);
	}
	/* Two topics may have one question in other words. */
	assert_true(astray * 50 < c.example_count);
	corpus_free(&c);
}

int ask_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_lose_their_endings),
		cmocka_unit_test(the_dictionary_stands_for_phrases),
		cmocka_unit_test(quotes_hold_names),
		cmocka_unit_test(places_are_found),
		cmocka_unit_test(windows_are_found),
		cmocka_unit_test(numbers_are_read_or_not),
		cmocka_unit_test(a_head_may_come_first),
		cmocka_unit_test(ordinals_are_found),
		cmocka_unit_test(rows_are_counted),
		cmocka_unit_test(thresholds_have_units),
		cmocka_unit_test(work_is_found),
		cmocka_unit_test(ends_of_time_are_found),
		cmocka_unit_test(steps_may_be_left_out),
		cmocka_unit_test(only_steps_named_last_are_left_out),
		cmocka_unit_test(steps_from_one_to_another_are_a_span),
		cmocka_unit_test(first_and_last_steps_are_places),
		cmocka_unit_test(edges_are_placed_in_the_steps_there_are),
		cmocka_unit_test(edges_that_leave_nothing_are_not_heeded),
		cmocka_unit_test(windows_may_go_to_the_end),
		cmocka_unit_test(a_place_is_no_subject),
		cmocka_unit_test(places_are_dropped),
		cmocka_unit_test(slips_are_counted),
		cmocka_unit_test(slips_are_mended),
		cmocka_unit_test(names_fit_by_part),
		cmocka_unit_test(examples_lead_home),
	};

	return cmocka_run_group_tests_name("ask", tests, NULL, NULL);
}
