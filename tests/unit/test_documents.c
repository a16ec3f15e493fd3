/* What users write: patterns and small JSON documents. */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "groups.h"
#include "text/json_read.h"
#include "text/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static int matches(const char *text, unsigned flags, struct str subject)
{
	struct pattern *p;
	struct err e;
	int found;

	assert_int_equal(pattern_compile(&p, str_of(text), flags, &e), 0);
	found = pattern_match(p, subject, &e);
	pattern_free(p);
	return found;
}

static void test_patterns_match(void **state)
{
	(void)state;
	assert_int_equal(matches("^dec.*ode$", 0, STR_LIT("decompose and encode")), 1);
	assert_int_equal(matches("^dec", 0, STR_LIT("LLM@decode")), 0);
	assert_int_equal(matches("DECODE", 0, STR_LIT("decode")), 0);
	assert_int_equal(matches("DECODE", PATTERN_ANY_CASE, STR_LIT("llm decode 3")), 1);
	assert_int_equal(matches("\xc3\x89", PATTERN_ANY_CASE, STR_LIT("caf\xc3\xa9")), 1);
	assert_int_equal(matches("", 0, (struct str){NULL, 0}), 1);
}

static void test_plain_text_has_no_special_characters(void **state)
{
	(void)state;
	assert_int_equal(matches("a.c(", PATTERN_LITERAL, STR_LIT("xa.c(y")), 1);
	assert_int_equal(matches("a.c(", PATTERN_LITERAL, STR_LIT("abc(")), 0);
	assert_int_equal(matches("A.C", PATTERN_LITERAL | PATTERN_ANY_CASE, STR_LIT("a.c")), 1);
}

static void test_any_bytes_can_be_searched(void **state)
{
	(void)state;
	assert_int_equal(matches("opt", 0, STR_LIT("\xff\xfe opt \x80")), 1);
	assert_int_equal(matches("a.b", 0,
				 STR_LIT("a\xff"
					 "b")),
			 0);
	assert_int_equal(matches("b$", 0, STR_LIT("a\0b")), 1);
}

static void test_bad_patterns_are_pointed_at(void **state)
{
	struct pattern *p;
	struct err e;

	(void)state;
	assert_int_equal(pattern_compile(&p, STR_LIT("fwd(|bwd"), 0, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_null(p);
	assert_string_equal(e.message, "'fwd(|bwd' is not a regular expression: missing closing "
				       "parenthesis, at byte 9");
	assert_int_equal(pattern_compile(&p, STR_LIT("\u00e9\u00e9\u00e9("), 0, &e), -1);
	assert_non_null(strstr(e.message, "at byte 8"));
	assert_int_equal(pattern_compile(&p, STR_LIT("a**+*"), 0, &e), -1);
	assert_int_equal(pattern_compile(&p, STR_LIT("\xff"), 0, &e), -1);
}

/* More than the compiled pattern's stack holds, yet quickly done. */
static void test_long_names_are_matched(void **state)
{
	struct buf b = {0};

	(void)state;
	for (int i = 0; i < 1500; i++)
		buf_adds(&b, "ab");
	buf_adds(&b, "gemm");
	assert_int_equal(matches("(a|b)+gemm", 0, buf_str(&b)), 1);
	buf_free(&b);
}

static void test_long_patterns_are_refused(void **state)
{
	struct pattern *p;
	struct buf b = {0};
	struct err e;

	(void)state;
	buf_addn(&b, 'a', 20000);
	assert_int_equal(pattern_compile(&p, buf_str(&b), 0, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	buf_free(&b);
}

static void test_matching_gives_up(void **state)
{
	struct pattern *p;
	struct buf b = {0};
	struct err e;

	(void)state;
	buf_addn(&b, 'a', 2000);
	assert_int_equal(pattern_compile(&p, STR_LIT("(a+|b)+(a|aa)*$^"), 0, &e), 0);
	assert_int_equal(pattern_match(p, buf_str(&b), &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_true(e.hint[0] != '\0');
	pattern_free(p);
	buf_free(&b);
}

static struct json *parse(const char *text)
{
	struct json *v;
	struct err e;

	assert_int_equal(json_read_text(&v, str_of(text), "test", &e), 0);
	return v;
}

static void test_documents_keep_their_order(void **state)
{
	static const char *const keys[] = {"z", "a", "m"};
	struct json *v = parse("{\"z\": [\"x\", 1.5, null], \"a\": \"text\", \"m\": {}}");
	struct json_member m = {0};
	size_t i = 0;

	(void)state;
	while (i < ARRAY_LEN(keys) && json_read_next(v, &m)) {
		assert_true(str_eq(m.key, str_of(keys[i])));
		if (i == 0) {
			assert_int_equal(json_read_length(m.value), 3);
			assert_string_equal(json_read_kind_name(json_read_element(m.value, 1)),
					    "a number");
			assert_int_equal(json_read_kind(json_read_element(m.value, 2)),
					 JSON_KIND_NULL);
			assert_null(json_read_element(m.value, 3));
		} else if (i == 1) {
			assert_true(str_eq(json_read_string(m.value), STR_LIT("text")));
			assert_int_equal(json_read_length(m.value), 0);
		}
		i++;
	}
	assert_int_equal(i, ARRAY_LEN(keys));
	assert_false(json_read_next(v, &m));
	json_read_free(v);
}

static void test_other_roots_are_documents(void **state)
{
	struct json *v = parse("true");
	struct json_member m = {0};

	(void)state;
	assert_int_equal(json_read_kind(v), JSON_KIND_BOOL);
	assert_false(json_read_next(v, &m));
	assert_true(str_eq(json_read_string(v), STR_LIT("")));
	json_read_free(v);
	json_read_free(NULL);
}

static void assert_refused(const char *text, int line, int column)
{
	char place[64];
	struct json *v;
	struct err e;

	snprintf(place, sizeof(place), "'map.json' is not JSON: line %d, column %d:", line, column);
	assert_int_equal(json_read_text(&v, str_of(text), "map.json", &e), -1);
	assert_null(v);
	assert_int_equal(e.code, ERR_INPUT);
	assert_memory_equal(e.message, place, strlen(place));
}

static void test_errors_name_line_and_column(void **state)
{
	struct json *v;
	struct err e;

	(void)state;
	assert_refused("{\"a\": [1,\n  \"b\" 2]}", 2, 7);
	assert_refused("", 1, 0);
	assert_refused("{} trailing", 1, 11);
	assert_int_equal(json_read_text(&v, STR_LIT("{\"a\": 1, \"a\": 2}"), "map.json", &e), -1);
	assert_non_null(strstr(e.message, "'map.json' has a duplicate key: line 1, column 12:"));
	assert_refused("\"\xff\"", 1, 1);
}

static void test_files(void **state)
{
	char path[] = "/tmp/gpuwhy-test-XXXXXX";
	int fd = mkstemp(path);
	struct buf b = {0};
	struct json *v;
	struct err e;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "[1]", 3), 3);
	assert_int_equal(json_read_file(&v, path, &e), 0);
	assert_int_equal(json_read_length(v), 1);
	json_read_free(v);
	buf_addn(&b, ' ', JSON_LARGEST_BYTES);
	assert_int_equal(write(fd, b.s, b.len), JSON_LARGEST_BYTES);
	assert_int_equal(json_read_file(&v, path, &e), -1);
	assert_int_equal(e.code, ERR_INPUT);
	assert_non_null(strstr(e.message, "larger than"));
	close(fd);
	unlink(path);
	assert_int_equal(json_read_file(&v, path, &e), -1);
	assert_non_null(strstr(e.message, "No such file"));
	assert_int_equal(json_read_file(&v, "/tmp", &e), -1);
	assert_int_equal(e.code, ERR_INPUT);
	buf_free(&b);
}

static void test_written_files(void **state)
{
	char path[] = "/tmp/gpuwhy-test-XXXXXX";
	struct buf b = {0};
	struct err e;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(file_write(path, STR_LIT("what is longer"), &e), 0);
	assert_int_equal(file_write(path, STR_LIT("a\0b"), &e), 0);
	assert_int_equal(file_read(&b, path, 100, &e), 0);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.s, "a\0b", 3);
	assert_int_equal(file_write(path, (struct str){NULL, 0}, &e), 0);
	assert_int_equal(file_write("/dev/full", STR_LIT("a"), &e), -1);
	assert_int_equal(e.code, ERR_SYSTEM);
	assert_non_null(strstr(e.message, "cannot write '/dev/full': No space left"));
	assert_int_equal(file_write("/tmp", STR_LIT("a"), &e), -1);
	unlink(path);
	buf_free(&b);
}

static void expect_end(const char *path, uint64_t from, size_t most, const char *wanted)
{
	struct buf b = {0};
	struct err e;

	assert_int_equal(file_read_end(&b, path, from, most, &e), 0);
	assert_string_equal(b.s, wanted);
	buf_free(&b);
}

static void test_ends_of_files(void **state)
{
	char path[] = "/tmp/gpuwhy-test-XXXXXX";
	int fd = mkstemp(path);
	struct buf b = {0};
	struct err e;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "first\nlast", 10), 10);
	close(fd);
	expect_end(path, 0, 100, "first\nlast");
	expect_end(path, 0, 10, "first\nlast");
	expect_end(path, 0, 4, "last");
	expect_end(path, 6, 100, "last");
	expect_end(path, 6, 2, "st");
	expect_end(path, 10, 100, "");
	expect_end(path, 99, 100, "");
	unlink(path);
	assert_int_equal(file_read_end(&b, path, 0, 1, &e), -1);
	assert_int_equal(file_read_end(&b, "/tmp", 0, 1, &e), -1);
	buf_free(&b);
}

int documents_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns_match),
		cmocka_unit_test(test_long_names_are_matched),
		cmocka_unit_test(test_plain_text_has_no_special_characters),
		cmocka_unit_test(test_any_bytes_can_be_searched),
		cmocka_unit_test(test_bad_patterns_are_pointed_at),
		cmocka_unit_test(test_long_patterns_are_refused),
		cmocka_unit_test(test_matching_gives_up),
		cmocka_unit_test(test_documents_keep_their_order),
		cmocka_unit_test(test_other_roots_are_documents),
		cmocka_unit_test(test_errors_name_line_and_column),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_written_files),
		cmocka_unit_test(test_ends_of_files),
	};

	return cmocka_run_group_tests_name("documents", tests, NULL, NULL);
}
