/* Is a model understood in either format, and are its words held against the evidence? */
#include "base/mem.h"
#include "groups.h"
#include "llm/calc.h"
#include "llm/http.h"
#include "llm/outgoing/clean_text.h"
#include "llm/query_literals.h"
#include "llm/sse.h"
#include "llm/told_number.h"
#include "llm/wire.h"
#include "llm/wording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static int note_event(void *ctx, const char *event, struct str data, struct err *e)
{
	(void)e;
	buf_addf(ctx, "[%s|%.*s]", event, STR_FMT(data));
	return 0;
}

/* The events of a stream, whatever pieces it comes in. */
static void assert_events(const char *stream, const char *expected)
{
	const size_t len = strlen(stream);

	for (size_t piece = 1; piece <= len; piece++) {
		struct sse s = {.most = 100};
		SCOPED_BUF seen = {0};
		struct err e = {0};

		for (size_t at = 0; at < len; at += piece)
			assert_int_equal(sse_feed(&s, stream + at,
						  len - at < piece ? len - at : piece, note_event,
						  &seen, &e),
					 0);
		assert_string_equal(buf_str(&seen).s, expected);
		sse_free(&s);
	}
}

static void test_events(void **state)
{
	(void)state;
	assert_events("data: a\n\n", "[|a]");
	assert_events("event: x\r\ndata:a\r\ndata: b\r\n\r\ndata\r\r", "[x|a\nb][|]");
	assert_events(": comment\n\nid: 3\nevent: y\n\ndata:  c\n\n", "[|\x20"
								      "c]");
	assert_events("data: not ended\n", "");
	assert_events("event: 0123456789012345678901234567890123456789012345678901234567890123\n"
		      "data: d\n\n",
		      "[|d]");
}

static void test_events_have_a_limit(void **state)
{
	struct sse s = {.most = 10};
	SCOPED_BUF seen = {0};
	struct err e = {0};

	(void)state;
	assert_int_equal(sse_feed(&s, "data: 12\n", 9, note_event, &seen, &e), 0);
	assert_int_equal(sse_feed(&s, "data: 3456789\n\n", 15, note_event, &seen, &e), -1);
	sse_free(&s);
}

static void take_all(const struct wire *w, struct model_reply *r, const char *const *events)
{
	struct err e = {0};

	for (; *events; events++)
		assert_int_equal(w->take(r, str_of(*events), &e), 0);
}

/* Calls that come in pieces, and whole ones that all have the number 0. */
static void test_openai_calls(void **state)
{
	static const char *const pieces[] = {
		"{\"choices\":[{\"delta\":{\"content\":\"Hm\"}}]}",
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{"
		"\"name\":\"calc\",\"arguments\":\"{\\\"x\"}},{\"index\":1,\"id\":\"b\","
		"\"function\":{\"name\":\"ask\",\"arguments\":\"{}\"}}]}}]}",
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{"
		"\"arguments\":"
		"\"\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}",
		"{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}",
		"[DONE]",
		NULL};
	static const char *const whole[] = {
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{"
		"\"name\":\"calc\",\"arguments\":\"{}\"}}]}}]}",
		"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{"
		"\"name\":\"ask\",\"arguments\":\"{}\"}}]}}]}",
		NULL};
	struct model_reply r = {0};

	(void)state;
	take_all(&wire_openai, &r, pieces);
	assert_true(r.is_complete);
	assert_int_equal(r.call_count, 2);
	assert_string_equal(r.text.s, "Hm");
	assert_string_equal(r.calls[0].arguments.s, "{\"x\":1}");
	assert_string_equal(r.calls[1].name.s, "ask");
	assert_int_equal(r.input_tokens, 7);
	model_reply_free(&r);
	take_all(&wire_openai, &r, whole);
	assert_int_equal(r.call_count, 2);
	assert_false(r.is_complete);
	model_reply_free(&r);
}

static void test_replies_that_are_none(void **state)
{
	static const char *const openai[] = {"", "7", "[]", "{\"error\":{\"message\":\"no\"}}",
					     "{\"choices\":"};
	static const char *const anthropic[] = {
		"{}", "{\"type\":\"error\",\"error\":{}}", "{\"type\":\"content_block_start\"}",
		"{\"type\":\"content_block_delta\",\"delta\":{\"partial_json\":\"{\"}}"};
	struct model_reply r = {0};
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(openai); i++)
		assert_int_equal(wire_openai.take(&r, str_of(openai[i]), &e), -1);
	for (size_t i = 0; i < ARRAY_LEN(anthropic); i++)
		assert_int_equal(wire_anthropic.take(&r, str_of(anthropic[i]), &e), -1);
	model_reply_free(&r);
}

static bool shows(const char *text, double value, enum unit unit)
{
	struct told_number n;

	assert_true(told_number_read(str_of(text), &n));
	return told_number_is(&n, value, true, unit);
}

static void test_numbers(void **state)
{
	(void)state;
	assert_true(shows("1.23 ms", 1234567, UNIT_NS));
	assert_true(shows("1.23ms", 1234567, UNIT_NS));
	assert_true(shows("1,235 µs", 1234567, UNIT_NS));
	assert_true(shows("1234567", 1234567, UNIT_NS));
	assert_true(shows("0.00123 s", 1234567, UNIT_NS));
	assert_false(shows("1.24 ms", 1234567, UNIT_NS));
	assert_false(shows("1 ms", 1234567, UNIT_NS));
	assert_true(shows("1 ms", 1000000, UNIT_NS));
	assert_false(shows("1.23 MB", 1234567, UNIT_NS));
	assert_true(shows("1.23 MB", 1234567, UNIT_BYTES));
	assert_true(shows("1.18 MiB", 1234567, UNIT_BYTES));
	assert_true(shows("57.6 %", 57.56016, UNIT_PERCENT));
	assert_true(shows("58%", 57.56016, UNIT_PERCENT));
	assert_false(shows("6 %", 5.6, UNIT_PERCENT));
	assert_true(shows("33.3 percent", 0.3333, UNIT_RATIO));
	assert_true(shows("2.4×", 2.41, UNIT_RATIO));
	assert_true(shows("12", 12, UNIT_COUNT));
	assert_false(shows("12 ms", 12, UNIT_COUNT));
	assert_true(shows("5.6 million", 5600123, UNIT_COUNT) == false);
	assert_true(shows("5.60 million", 5600123, UNIT_COUNT));
	assert_true(shows("1.5e3 ns", 1500, UNIT_NS));
	assert_true(shows("0x1f4", 500, UNIT_COUNT));
	assert_true(shows("2 小时", 7200e9, UNIT_NS));
	/* Another family than the value's. */
	assert_false(shows("2700 %", 27, UNIT_COUNT));
	assert_false(shows("27 %", 27, UNIT_COUNT));
	assert_false(shows("27 hours", 27, UNIT_COUNT));
	assert_false(shows("27 Stunden", 27, UNIT_COUNT));
	assert_false(shows("123", 123, UNIT_NS));
}

/* Rows of two kernels, a finding, and a sentence of the program's. */
static const char document[] =
	"{\"verdict_text\":\"busy 94 %, launched in `f 77`\",\"tables\":[{\"name\":\"kernels\","
	"\"columns\":[{\"key\":\"kernel\",\"unit\":\"kernel\"},{\"key\":\"total_ns\",\"unit\":"
	"\"ns\"}],\"rows\":[{\"kernel\":\"gemm\",\"total_ns\":2000000},{\"kernel\":\"norm\","
	"\"total_ns\":492000}]},{\"name\":\"parts\",\"columns\":[{\"key\":\"kernel\",\"unit\":"
	"\"kernel\"},{\"key\":\"total_ns\",\"unit\":\"ns\"},{\"key\":\"pid\",\"unit\":\"id\"}],"
	"\"rows\":[{\"kernel\":\"gemm_splitK_NTN\",\"total_ns\":3330000,\"pid\":1591},{\"kernel\":"
	"\"nccl_AllReduce_f32\",\"total_ns\":7770000,\"pid\":1592}]}],\"findings\":[{\"recoverable_"
	"pct\":57.56,\"evidence\":[{\"label\":"
	"\"bytes\",\"value\":1600656640,\"unit\":\"bytes\"}]}],\"big\":\"9007199254740993\"}";

static void make_store(struct evidence_store *s)
{
	struct json *doc = NULL;
	struct err e = {0};

	*s = (struct evidence_store){0};
	assert_int_equal(json_read_text(&doc, str_of(document), "it", &e), 0);
	assert_int_equal(
		evidence_add(s, (struct evidence_item){"skill_run", "gpuwhy kernels", doc, false}),
		1);
}

static bool is_name(void *ctx, struct str text)
{
	(void)ctx;
	return str_eq(text, STR_LIT("f 77"));
}

static void assert_worded(const char *said, const char *expected)
{
	struct evidence_store s;
	struct wording w = {0};

	make_store(&s);
	wording_go_on(&w, &(struct wording_terms){&s, STR_LIT("why step 17?"), is_name, NULL},
		      str_of(said));
	assert_string_equal(buf_str(&w.text).s, expected);
	wording_free(&w);
	evidence_free(&s);
}

static void test_references(void **state)
{
	(void)state;
	assert_worded("It is {{E1.rows[0].total_ns}}.", "It is 2.00 ms [E1].");
	assert_worded("{{ E1.kernels[1].total_ns }} µs", "492 µs [E1]");
	assert_worded("{{E1.tables[0].rows[1].kernel}}", "norm [E1]");
	assert_worded("{{E1.findings[0].recoverable_pct}}%", "57.6% [E1]");
	assert_worded("{{E1.findings[0].evidence[0].value}}", "1.60 GB [E1]");
	assert_worded("{{E1.rows[7].total_ns}}", "~~{{E1.rows[7].total_ns}}~~");
	assert_worded("{{E2.rows[0].total_ns}}", "~~{{E2.rows[0].total_ns}}~~");
	assert_worded("{{E1.rows}} {{E1}} {{}} {{x", "~~{{E1.rows}}~~ ~~{{E1}}~~ ~~{{}}~~ {{x");
}

/* What was found does not lie in the words that referred to it. */
static void test_found_values_last(void **state)
{
	char reference[] = "E1.rows[0].total_ns";
	struct evidence_store s;
	struct referred f;

	(void)state;
	make_store(&s);
	assert_true(evidence_find(&s, str_of(reference), &f));
	memset(reference, 'x', sizeof(reference) - 1);
	assert_string_equal(arena_str(&s.arena, f.column).s, "total_ns");
	assert_string_equal(arena_str(&s.arena, f.table).s, "kernels");
	assert_string_equal(arena_str(&s.arena, f.row->name).s, "gemm");
	evidence_free(&s);
}

static bool makes_values(const char *sql)
{
	SCOPED_BUF why = {0};

	return query_makes_values(str_of(sql), &why);
}

static void test_values_of_queries(void **state)
{
	static const char *const from_trace[] = {
		"SELECT count(*) AS n FROM kernels",
		"SELECT name, sum(duration_ns) AS total_ns FROM kernels WHERE start_ns > 412000000 "
		"GROUP BY 1 ORDER BY 2 DESC LIMIT 7",
		"SELECT range, round(100.0 * sum(duration_ns) / (SELECT sum(duration_ns) FROM "
		"kernels), 2) AS share_pct FROM kernels GROUP BY range",
		"SELECT sum(CASE WHEN name LIKE '%nccl%' THEN 1 ELSE 0 END), \"end\" - start, "
		"CASE WHEN stream = 7 THEN 'copies' ELSE 'other' END FROM k JOIN s ON s.id = k.id "
		"-- 412",
		"WITH t AS (SELECT name, duration_ns / 1e6 AS d FROM kernels) SELECT max(d) FROM t "
		"WHERE name IN ('a 1', 'b')",
		"SELECT * FROM kernels WHERE start_ns BETWEEN 5 AND 412",
		"SELECT percentile(duration_ns, 99) AS p99_ns, k.* FROM kernels k"};
	static const char *const made[] = {
		"SELECT 412000000 AS idle_ns",
		"SELECT 412000000 AS idle_ns FROM kernels",
		"SELECT sum(duration_ns) * 0 + 412 FROM kernels",
		"SELECT max(duration_ns, 412000000) FROM kernels",
		"SELECT duration_ns * 37.25 FROM kernels",
		"SELECT 60 * 60 AS idle_ns FROM kernels",
		"SELECT '412 ms' AS idle FROM kernels",
		"SELECT CAST('412' AS INTEGER) FROM kernels",
		"SELECT length('aaaaaaaa') FROM kernels",
		"SELECT duration_ns + 0x19c FROM kernels",
		"SELECT count(*) AS idle_ns FROM kernels",
		"SELECT count(name) AS idle_pct FROM kernels",
		"SELECT count(*) FROM (SELECT name FROM kernels LIMIT 412)",
		"SELECT value FROM json_each('[412]')",
		"SELECT column1 FROM (VALUES (412))",
		"SELECT name FROM kernels UNION ALL SELECT 412 FROM kernels",
		"SELECT name, 1 + 1 + 1 FROM kernels",
		"SELECT (SELECT 412) FROM kernels",
		"SELECT (12345 << 0) + start * 0 FROM kernels",
		"SELECT (start >> 62) + 12345 FROM kernels",
		"SELECT CASE WHEN 1 THEN 412 END, name FROM kernels",
		""};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(from_trace); i++) {
		if (makes_values(from_trace[i]))
			fail_msg("%s", from_trace[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		if (!makes_values(made[i]))
			fail_msg("%s", made[i]);
	}
}

static void test_bare_numbers(void **state)
{
	(void)state;
	assert_worded("2 ms, 0.492 ms, 12 ms", "2 ms, 0.492 ms, ~~12 ms~~");
	assert_worded("step 17, GPU 3", "step 17, GPU ~~3~~");
	assert_worded("1. first\n2) second\n 3: third", "1. first\n2) second\n 3: third");
	assert_worded("H200 sm_90 float16 E1", "H200 sm_90 float16 E1");
	assert_worded("busy 94 %, not 95 %", "busy 94 %, not ~~95 %~~");
	assert_worded("`f 77` and f 77", "`f 77` and f ~~77~~");
	assert_worded("`x --limit 5` `x 5`", "`x --limit 5` `x ~~5~~`");
	assert_worded("~~2 ms~~ ~12 s ~", "≈2 ms ≈~~12 s~~ ");
	assert_worded("{{~~12~~}}", "~~{{~12~}}~~");
	assert_worded("1.2.3", "~~1.2.3~~");
	assert_worded("about .5 s", "about .~~5 s~~");
	assert_worded("0x1F4 ms, 0x", "~~0x1F4 ms~~, ~~0x~~");
	assert_worded("- 2 ms, -2 ms, (−2 ms)", "- 2 ms, -~~2 ms~~, (−~~2 ms~~)");
	assert_worded("pid 1591 makes 1591 launches", "pid 1591 makes 1591 launches");
	assert_worded("There are 1591 launches", "There are ~~1591~~ launches");
}

/* What is measured is not told in words, of whichever language; what is counted is left. */
static void test_numbers_in_words(void **state)
{
	(void)state;
	assert_worded("four hundred and twelve milliseconds, four reasons",
		      "~~four hundred and twelve milliseconds~~, four reasons");
	assert_worded(
		"fifty percent; zweihundertelf ms; Dreißig Prozent; Hunde und Elfen",
		"~~fifty percent~~; ~~zweihundertelf ms~~; ~~Dreißig Prozent~~; Hunde und Elfen");
	assert_worded("一百二十三毫秒, 一个, 三倍", "~~一百二十三毫秒~~, 一个, ~~三倍~~");
	assert_worded("Ⅻ ms, ½ of it, ④②", "~~Ⅻ ms~~, ~~½~~ of it, ~~④②~~");
}

static void test_numbers_of_other_rows(void **state)
{
	(void)state;
	assert_worded("gemm takes 2.00 ms", "gemm takes 2.00 ms");
	assert_worded("norm takes 2.00 ms", "norm takes ~~2.00 ms~~");
	assert_worded("norm is less. It takes 2.00 ms", "norm is less. It takes 2.00 ms");
	assert_worded("norm takes {{E1.rows[0].total_ns}}", "norm takes ~~2.00 ms~~");
	assert_worded("gemm 2.00 ms, norm 492 µs", "gemm 2.00 ms, norm 492 µs");
	assert_worded("The splitK one takes 3.33 ms", "The splitK one takes 3.33 ms");
	assert_worded("The AllReduce takes 3.33 ms", "The AllReduce takes ~~3.33 ms~~");
	assert_worded("The AllReduce takes 7.77 ms", "The AllReduce takes 7.77 ms");
	assert_worded("splitK takes {{E1.parts[1].total_ns}}", "splitK takes ~~7.77 ms~~");
}

static void assert_calculated(const char *expression, const char *expected)
{
	struct evidence_store s;
	struct calculated c;
	struct err e = {0};

	make_store(&s);
	if (calc(&c, &s, str_of(expression), &e) == 0)
		assert_string_equal(c.result.s, expected);
	else
		assert_null(expected);
	calculated_free(&c);
	evidence_free(&s);
}

static void test_calculator(void **state)
{
	(void)state;
	assert_calculated("E1.rows[0].total_ns / 1000", "2000");
	assert_calculated("100*{{E1.rows[1].total_ns}}/(E1.rows[0].total_ns+E1.rows[1].total_ns)",
			  "19.743178170144462");
	assert_calculated("-E1.rows[0].total_ns - 1", "-2000001");
	assert_calculated("E1.big + 1 + 1", "9007199254740995");
	assert_calculated("100 - E1.findings[0].recoverable_pct", "42.44");
	assert_calculated("E1.big + 3", NULL);
	assert_calculated("E1.big * 0 + 4 * 100 + 12", NULL);
	assert_calculated("E1.big / (100 - 40)", NULL);
	assert_calculated("E1.findings[0].recoverable_pct * 2", "115.12");
	assert_calculated("2000000 / 7", "285714.285714285714285");
	assert_calculated("1 + 1", NULL);
	assert_calculated("E1.rows[0].total_ns * 12345", NULL);
	assert_calculated("E1.rows[0].total_ns / 0", NULL);
	assert_calculated("E1.rows[0].kernel", NULL);
	assert_calculated("(E1.rows[0].total_ns", NULL);
	assert_calculated("E1.rows[0].total_ns x", NULL);
	assert_calculated("E1.big*E1.big*E1.big*E1.big", NULL);
	assert_calculated("77777777777777777777777777777777777777777777777 * E1.big", NULL);
	assert_calculated("E1.big / 1000000", "9007199254.740993");
	assert_calculated("", NULL);
}

static void test_addresses(void **state)
{
	static const char *const good[] = {"https://example.com",      "https://a.b:8443/v1/x-y_z",
					   "http://127.0.0.1:8000/v1", "http://localhost",
					   "http://[::1]:80/v1",       "http://127.9.9.9/"};
	static const char *const bad[] = {"http://example.com",
					  "http://127.0.0.1.evil.com/",
					  "http://localhost.evil.com/",
					  "https://u@h/",
					  "https://h/?k=v",
					  "https://h/#f",
					  "https://",
					  "ftp://127.0.0.1",
					  "http://[::1",
					  "https://h:/",
					  "https://h:1a/",
					  "https://h/ x",
					  "https://h\\@127.0.0.1/",
					  "http://[::2]/",
					  "http://127.1/",
					  ""};
	struct http_address a;
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_int_equal(http_address_read(&a, good[i], &e), 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(http_address_read(&a, bad[i], &e), -1);
}

static void test_clean_text(void **state)
{
	SCOPED_BUF b = {0};

	(void)state;
	clean_text_add(&b,
		       STR_LIT("a\x1b[31m\xe2\x80\xae"
			       "b\\u200bc\\u0041\xff\n\\ue0041z"),
		       100);
	assert_string_equal(b.s, "a[31mbc\\u0041\nz");
	buf_clear(&b);
	clean_text_add(&b, STR_LIT("abcdef"), 3);
	assert_string_equal(b.s, "abc…");
}

int llm_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_events_have_a_limit),
		cmocka_unit_test(test_openai_calls),
		cmocka_unit_test(test_replies_that_are_none),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_bare_numbers),
		cmocka_unit_test(test_numbers_of_other_rows),
		cmocka_unit_test(test_calculator),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_clean_text),
		cmocka_unit_test(test_found_values_last),
		cmocka_unit_test(test_values_of_queries),
		cmocka_unit_test(test_numbers_in_words),
	};

	return cmocka_run_group_tests_name("llm", tests, NULL, NULL);
}
