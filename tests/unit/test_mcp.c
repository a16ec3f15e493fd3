/* What comes over the wire to agents: lines, JSON on one of them, messages, pages. */
#include "base/mem.h"
#include "groups.h"
#include "mcp/call.h"
#include "mcp/json_line.h"
#include "mcp/message.h"
#include "mcp/page.h"
#include "mcp/transport/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void add_line(void *ctx, struct str line)
{
	struct buf *b = ctx;

	buf_addf(b, "<%.*s>", STR_FMT(line));
}

/* However the bytes are cut, the lines are the same. */
static void test_lines_come_in_pieces(void **state)
{
	static const char text[] = "one\r\n\n  \ntwo\xc3\xa4\n0123456789ab\nlast";

	(void)state;
	for (size_t piece = 1; piece < sizeof(text); piece++) {
		struct lines l = {.most = 10};
		struct buf b = {0};

		for (size_t at = 0; at < strlen(text); at += piece)
			lines_feed(&l, text + at,
				   strlen(text) - at < piece ? strlen(text) - at : piece, add_line,
				   &b);
		lines_end(&l, add_line, &b);
		/* One byte more than a line may have shows that it is too long. */
		assert_string_equal(b.s, "<one><two\xc3\xa4><0123456789a><last>");
		buf_free(&b);
	}
}

static void assert_answer(const char *json, size_t most, const char *expected)
{
	struct buf b = {0};

	json_line_add_answer(&b, str_of(json), most);
	assert_string_equal(buf_str(&b).s, expected);
	buf_free(&b);
}

static void test_answers_lose_no_digits(void **state)
{
	(void)state;
	assert_answer("{ \"a\": 9007199254740992,\n \"b\": -9007199254740992 }", 100,
		      "{\"a\":9007199254740992,\"b\":-9007199254740992}");
	assert_answer("[9007199254740993, -9007199254740993, 90071992547409930]", 100,
		      "[\"9007199254740993\",\"-9007199254740993\",\"90071992547409930\"]");
	assert_answer("[1e300, 9007199254740993.5, null, true]", 100,
		      "[1e300,9007199254740993.5,null,true]");
	assert_answer("[\"9007199254740993 \\\" 9007199254740993\"]", 100,
		      "[\"9007199254740993 \\\" 9007199254740993\"]");
}

static void test_answers_hide_nothing(void **state)
{
	(void)state;
	assert_answer("\"a\\u001bb\\nc\\\\u001b\"", 100, "\"a\\\\u001bb\\nc\\\\u001b\"");
	assert_answer("\"x\u202ey\u200bz\x7f\"", 100, "\"x\\\\u202ey\\\\u200bz\\\\u007f\"");
	assert_answer("\"漢字 é\"", 100, "\"漢字 é\"");
}

/* Not within a character, and not within an escape. */
static void test_long_texts_are_cut(void **state)
{
	(void)state;
	assert_answer("[\"abcdefgh\", \"b\"]", 5, "[\"abcd…\",\"b\"]");
	assert_answer("\"ééé\"", 4, "\"é…\"");
	assert_answer("\"ab\\u00e9cd\"", 5, "\"ab…\"");
}

static void assert_refused(const char *line, enum rpc_code code)
{
	struct rpc_error e = {0};
	struct message m;

	assert_int_equal(message_read(&m, str_of(line), &e), -1);
	assert_int_equal(e.code, code);
	assert_true(e.message[0]);
	message_free(&m);
}

static void test_messages_are_read(void **state)
{
	struct rpc_error e = {0};
	struct message m;

	(void)state;
	assert_int_equal(message_read(&m,
				      str_of("{\"jsonrpc\":\"2.0\",\"id\":\"\\u00e9\","
					     "\"method\":\"a\",\"params\":{\"_meta\":"
					     "{\"progressToken\":7},\"name\":\"n\"}}"),
				      &e),
			 0);
	assert_string_equal(m.id.s, "\"é\"");
	assert_string_equal(m.progress.s, "7");
	assert_true(str_eq(message_text(&m, "name"), str_of("n")));
	assert_int_equal(message_text(&m, "nothing").len, 0);
	message_free(&m);
	assert_refused("", RPC_PARSE);
	assert_refused("[]", RPC_INVALID);
	assert_refused("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"a\"}", RPC_INVALID);
	assert_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":1}", RPC_PARAMS);
}

static const struct column columns[] = {{"n", "N", UNIT_COUNT, 0, NULL, SHOW},
					{"text", "Text", UNIT_NAME, 0, NULL, SHOW}};

enum { LONG_ROWS = 3000, SHORT_ROWS = 2 };

static void fill(struct report *r)
{
	struct rows *few = REPORT_ROWS(r, "few", NULL, columns), *many;

	for (int i = 0; i < SHORT_ROWS; i++)
		ROWS_ADD(few, cell_int(i), cell_text("a"));
	many = REPORT_ROWS(r, "many", NULL, columns);
	for (int i = 0; i < LONG_ROWS; i++)
		ROWS_ADD(many, cell_int(i), cell_text("a text of some length"));
	report_note(r, "said once");
}

/* Of a table of an answer: its first number, and how many rows it has. */
static size_t count_rows(const struct json *tables, const char *name, int64_t *ret_first)
{
	for (size_t i = 0; i < json_read_length(tables); i++) {
		const struct json *t = json_read_element(tables, i);
		const struct json *rows = json_read_member(t, "rows");

		if (!str_eq(json_read_string(json_read_member(t, "name")), str_of(name)))
			continue;
		if (json_read_length(rows))
			json_read_whole(json_read_member(json_read_element(rows, 0), "n"),
					ret_first);
		return json_read_length(rows);
	}
	return 0;
}

/* Every row is on one page, in order; what is said in words on the first alone. */
static void test_pages_have_every_row_once(void **state)
{
	struct report r = {.command = "test"};
	struct page_place from = {0};
	size_t seen = 0, pages = 0, few = 0;
	struct report_page p;
	struct err e = {0};

	(void)state;
	fill(&r);
	do {
		struct json *read;
		int64_t first = -1;
		size_t rows;

		p = (struct report_page){0};
		assert_int_equal(report_page_make(&p, &r, &from, 77, false, 500, &e), 0);
		assert_true(p.json.len <= PAGE_BYTES);
		assert_int_equal(json_read_text(&read, buf_str(&p.json), "page", &e), 0);
		few += count_rows(json_read_member(read, "tables"), "few", &first);
		rows = count_rows(json_read_member(read, "tables"), "many", &first);
		assert_int_equal(first, seen);
		assert_true(rows);
		seen += rows;
		assert_int_equal(json_read_length(json_read_member(read, "notes")), !pages);
		json_read_free(read);
		page_place_free(&from);
		if (p.cursor.len)
			assert_int_equal(page_place_read(&from, p.cursor.s, 77, &e), 0);
		report_page_free(&p);
		pages++;
	} while (from.count);
	assert_int_equal(seen, LONG_ROWS);
	assert_int_equal(few, SHORT_ROWS);
	assert_true(pages > 3);
	report_free(&r);
}

static void test_cursors_belong_to_calls(void **state)
{
	static const char *const wrong[] = {"",
					    "x",
					    "000000000000004e.1",
					    "000000000000004d.x",
					    "000000000000004d.1.",
					    "000000000000004d.99999999999999999999"};
	struct page_place from = {0};
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		assert_int_equal(page_place_read(&from, wrong[i], 77, &e), -1);
		page_place_free(&from);
	}
	assert_int_equal(page_place_read(&from, "000000000000004d.3.0.50", 77, &e), 0);
	assert_int_equal(from.count, 3);
	assert_int_equal(page_place_most(&from), 50);
	page_place_free(&from);
}

/* One row that is larger than a page is cut until it fits. */
static void test_a_large_row_fits(void **state)
{
	struct report r = {.command = "test"};
	struct page_place from = {0};
	struct report_page p = {0};
	struct err e = {0};
	struct column wide[30];
	struct rows *rows;
	char *text = mem_zalloc(10001, 1);

	(void)state;
	memset(text, 'x', 10000);
	for (size_t i = 0; i < ARRAY_LEN(wide); i++)
		wide[i] = (struct column){
			arena_printf(&r.arena, "c%zu", i), "C", UNIT_NAME, 0, NULL, SHOW};
	rows = report_new_rows(&r, "wide", NULL, wide, ARRAY_LEN(wide));
	for (size_t i = 0; i < ARRAY_LEN(wide); i++)
		rows_add(rows, cell_text(text));
	assert_int_equal(report_page_make(&p, &r, &from, 1, false, 500, &e), 0);
	assert_true(p.json.len <= PAGE_BYTES);
	assert_int_equal(p.cursor.len, 0);
	report_page_free(&p);
	report_free(&r);
	free(text);
}

/* The folder of a trace is the root of who asks again, also where that is the root of all. */
static void test_calls_are_reproduced(void **state)
{
	static const char *const roots[][2] = {
		{"{\"trace\": \"/no such folder/a.sqlite\"}", " --root '/no such folder'"},
		{"{\"trace\": \"/no such trace.sqlite\"}", " --root /"},
	};
	const struct mcp_tool tool = {.name = "timeline"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		struct mcp mcp = {0};
		struct call c = {.mcp = &mcp, .tool = &tool};
		struct json *arguments;
		struct err e = {0};

		assert_int_equal(json_read_text(&arguments, str_of(roots[i][0]), "made", &e), 0);
		c.arguments = arguments;
		call_reproduce_call(&c);
		assert_true(str_ends(buf_str(&c.reproduce), roots[i][1]));
		json_read_free(arguments);
		buf_free(&c.reproduce);
		arena_free(&c.arena);
	}
}

int mcp_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_come_in_pieces),
		cmocka_unit_test(test_answers_lose_no_digits),
		cmocka_unit_test(test_answers_hide_nothing),
		cmocka_unit_test(test_long_texts_are_cut),
		cmocka_unit_test(test_messages_are_read),
		cmocka_unit_test(test_pages_have_every_row_once),
		cmocka_unit_test(test_cursors_belong_to_calls),
		cmocka_unit_test(test_a_large_row_fits),
		cmocka_unit_test(test_calls_are_reproduced),
	};

	return cmocka_run_group_tests_name("mcp", tests, NULL, NULL);
}
