/* A row of a strip is as busy as its events, and a page draws it whatever it holds. */
#include "base/mem.h"
#include "groups.h"
#include "report/finding.h"
#include "report/html/html_strip.h"
#include "report/present.h"
#include "timeline/strips/strip_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = 1700, SPANS = 40 };

static uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % limit;
}

static struct str name_of(const void *ctx, uint32_t of)
{
	(void)of;
	return str_of(ctx);
}

/* Instant by instant. */
static int64_t count_busy(const bool *busy, size_t from, size_t to)
{
	int64_t ns = 0;

	for (size_t i = from; i < to; i++)
		ns += busy[i];
	return ns;
}

static void check_row(const struct strip_row *row, const bool *busy)
{
	assert_int_equal(row->busy_ns, count_busy(busy, 0, LENGTH));
	for (size_t i = 0; i < STRIP_CELLS; i++) {
		const size_t from = LENGTH * i / STRIP_CELLS, to = LENGTH * (i + 1) / STRIP_CELLS;
		const int64_t ns = count_busy(busy, from, to);
		const int64_t nearest = (ns * 16 / (int64_t)(to - from) + 1) / 2;

		assert_int_equal(row->cells[i].eighths, ns && !nearest ? 1 : nearest);
	}
}

/* Events that overlap, and lie around the window's ends. */
static void test_row_is_the_union(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (size_t round = 0; round < repeats(200); round++) {
		const struct span window = {1000, 1000 + LENGTH};
		bool busy[LENGTH] = {false};
		struct strip_row row = {0};
		struct strip_line line;
		int64_t at = 900;

		strip_line_begin(&line, window);
		for (size_t i = 0; i < SPANS; i++) {
			const int64_t end = at + (int64_t)random_below(&random, 120);

			strip_line_add(&line, (struct span){at, end}, STRIP_COPY, 0);
			for (int64_t ns = at; ns < end; ns++) {
				if (ns >= window.start_ns && ns < window.end_ns)
					busy[ns - window.start_ns] = true;
			}
			at += (int64_t)random_below(&random, 90);
		}
		strip_line_end(&line, &row, NULL, NULL);
		check_row(&row, busy);
	}
}

static void test_extreme_times(void **state)
{
	const struct span all = {INT64_MIN, INT64_MAX};
	struct strip_row row = {0};
	struct strip_line line;

	(void)state;
	strip_line_begin(&line, all);
	strip_line_add(&line, (struct span){INT64_MIN, -5}, STRIP_COMPUTE, 1);
	strip_line_add(&line, (struct span){7, 3}, STRIP_COMPUTE, 2);
	strip_line_add(&line, (struct span){0, INT64_MAX}, STRIP_COMM, 3);
	strip_line_end(&line, &row, name_of, "long");
	assert_int_equal(row.cells[10].class, STRIP_COMPUTE);
	assert_int_equal(row.cells[STRIP_CELLS - 10].class, STRIP_COMM);
	assert_int_equal(row.event_count, 2);
	assert_true(row.busy_ns > 0);
}

static void test_nothing_is_a_row(void **state)
{
	struct strip_row row = {0};
	struct strip_line line;

	(void)state;
	strip_line_begin(&line, (struct span){5, 6});
	strip_line_end(&line, &row, name_of, "");
	assert_int_equal(row.busy_ns, 0);
	for (size_t i = 0; i < STRIP_CELLS; i++)
		assert_int_equal(row.cells[i].eighths, 0);
}

static int to_buf(void *ctx, const char *bytes, size_t len)
{
	buf_add(ctx, bytes, len);
	return 0;
}

static struct buf page_of(const struct strip *s)
{
	struct finding f = {.id = "host_stall", .title = "stall"};
	struct report r = {.has_trace = true, .trace = {.path = "dir/it's.sqlite"}};
	struct style style = {0};
	struct buf text = {0};
	struct sink sink = {to_buf, &text};
	struct err e = {0};

	report_finding(&r, &f);
	r.blocks[0].strip = s;
	assert_int_equal(present_report(presenter_find("html"), &r, &style, &sink, &e), 0);
	report_free(&r);
	return text;
}

static void fill(struct strip *s)
{
	static const char name[] = "</text><script>alert('\x1b')</script>";

	s->thread = "<b>thread";
	s->row_count = STRIP_ROWS;
	for (size_t i = 0; i < STRIP_ROWS; i++) {
		struct strip_row *row = &s->rows[i];

		row->kind = i < 5 ? (enum strip_kind)i : STRIP_STREAM;
		row->label = "<i>label";
		for (size_t c = 0; c < STRIP_CELLS; c++)
			row->cells[c] = (struct strip_cell){(c + i) % STRIP_CLASSES,
							    (unsigned char)(c % 9)};
		row->events[0] = (struct strip_event){s->place, STR_LIT(name)};
		row->event_count = 1;
	}
}

/* Whatever the names and the times: no markup of theirs, no number that is none. */
static void test_hostile_strip(void **state)
{
	static const struct span windows[] = {{0, 1}, {INT64_MIN, INT64_MAX}, {-9, 1000000000}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(windows); i++) {
		struct strip s = {.window = windows[i], .place = {windows[i].start_ns, INT64_MAX}};
		struct buf text;

		fill(&s);
		text = page_of(&s);
		assert_non_null(strstr(text.s, "&lt;/text&gt;&lt;script&gt;"));
		assert_null(strstr(text.s, "<script>alert"));
		assert_null(strstr(text.s, "<i>label"));
		assert_null(strstr(text.s, "<b>thread"));
		assert_null(strstr(text.s, "nan"));
		assert_null(strstr(text.s, "\x1b"));
		assert_non_null(strstr(text.s, "gpuwhy web &#39;it"));
		buf_free(&text);
	}
}

int strips_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_is_the_union),
		cmocka_unit_test(test_extreme_times),
		cmocka_unit_test(test_nothing_is_a_row),
		cmocka_unit_test(test_hostile_strip),
	};

	return cmocka_run_group_tests_name("strips", tests, NULL, NULL);
}
