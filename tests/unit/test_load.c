/* Are columns that are read together what they are when read one by one? */
#include "base/mem.h"
#include "base/parallel.h"
#include "groups.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

/* More than a page of rows, so that several workers meet the same texts. */
#define ROWS "5000"

static const char statements[] =
	"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
	"INSERT INTO StringIds VALUES (1, 'registered'), (2, 'range 3');"
	"CREATE TABLE NVTX_EVENTS(start, end, eventType, text, textId, jsonText, jsonTextId);"
	"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " ROWS ") "
	"INSERT INTO NVTX_EVENTS SELECT i, i + 1, 59, "
	"CASE WHEN i % 5 THEN 'range ' || (i % 7) END, CASE WHEN i % 5 = 0 THEN 1 END, "
	"CASE WHEN i % 3 THEN '{\"bytes\": ' || (i % 11) || '}' END, "
	"CASE WHEN i % 3 = 0 AND i % 2 THEN 2 END FROM n";

static char path[] = "/tmp/load.XXXXXX";

static struct trace *open_trace(void)
{
	struct sqlitefile *file;
	struct trace *t;
	struct err e = {0};

	assert_int_equal(sqlitefile_open(&file, path, &e), 0);
	assert_int_equal(trace_open(&t, path, file, &e), 0);
	return t;
}

static void load(struct trace *t, uint32_t columns)
{
	struct err e = {0};

	assert_int_equal(trace_load(t, TRACE_NVTX, columns, &e), 0);
}

static bool same_name(const struct trace *a, uint32_t x, const struct trace *b, uint32_t y)
{
	return (x == NAME_NONE) == (y == NAME_NONE) && str_eq(trace_name(a, x), trace_name(b, y));
}

static void test_names_and_payloads(void **state)
{
	struct trace *together = open_trace(), *alone = open_trace();
	const struct events *a = &together->events[TRACE_NVTX], *b = &alone->events[TRACE_NVTX];
	size_t payloads = 0;

	(void)state;
	load(together, COL_BIT(COL_NAME) | COL_BIT(COL_PAYLOAD));
	load(alone, COL_BIT(COL_NAME));
	load(alone, COL_BIT(COL_PAYLOAD));
	assert_int_equal(a->count, strtoul(ROWS, NULL, 10) + 1);
	assert_int_equal(b->count, a->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_true(same_name(together, a->name[i], alone, b->name[i]));
		assert_true(same_name(together, a->payload[i], alone, b->payload[i]));
		payloads += a->payload[i] != NAME_NONE;
	}
	assert_true(payloads > a->count / 2 && payloads < a->count);
	assert_true(str_eq(trace_name(together, a->name[1]), STR_LIT("range 1")));
	assert_true(str_eq(trace_name(together, a->name[5]), STR_LIT("registered")));
	assert_true(str_eq(trace_name(together, a->payload[1]), STR_LIT("{\"bytes\": 1}")));
	assert_true(str_eq(trace_name(together, a->payload[3]), STR_LIT("range 3")));
	trace_close(together);
	trace_close(alone);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);
	sqlite3 *db = NULL;

	(void)state;
	if (fd < 0 || close(fd) < 0 || sqlite3_open(path, &db) != SQLITE_OK)
		return -1;
	parallel_set_workers(4);
	return sqlite3_exec(db, statements, NULL, NULL, NULL) == SQLITE_OK ? sqlite3_close(db) : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int load_tests(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_and_payloads)};

	return cmocka_run_group_tests_name("load", tests, make_file, remove_file);
}
