/* Does our reader see what libsqlite3 sees, and does it say what is wrong with damaged files? */
#include "base/buf.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "groups.h"
#include "sqlitefile/join.h"
#include "sqlitefile/sqlitefile.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/test_sqlitefile.XXXXXX";
static char path[256];

/* Rows that a test wants many of. */
#define SERIES(n) "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<" #n ") "

static void exec(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
}

static sqlite3 *create(const char *name)
{
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	exec(db, "PRAGMA synchronous = OFF");
	return db;
}

static void make(const char *name, const char *sql)
{
	sqlite3 *db = create(name);

	exec(db, sql);
	sqlite3_close(db);
}

/* A table of that many rows: what creates it, and what selects a row i. */
static void make_rows(const char *name, const char *creates, size_t rows, const char *row)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
		 "%s; WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<%zu) "
		 "INSERT INTO t SELECT %s FROM s",
		 creates, rows, row);
	make(name, sql);
}

static uint8_t *slurp(const char *from, size_t *ret_size)
{
	FILE *in = fopen(from, "rb");
	uint8_t *bytes;

	assert_non_null(in);
	fseek(in, 0, SEEK_END);
	*ret_size = (size_t)ftell(in);
	rewind(in);
	bytes = mem_alloc(*ret_size + 1, 1);
	assert_int_equal(fread(bytes, 1, *ret_size, in), *ret_size);
	fclose(in);
	return bytes;
}

static void spit(const char *to, const void *bytes, size_t size)
{
	FILE *out = fopen(to, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	fclose(out);
}

static void copy(const char *from, const char *to)
{
	size_t size;
	uint8_t *bytes = slurp(from, &size);

	spit(to, bytes, size);
	free(bytes);
}

static void poke(size_t at, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, len, (off_t)at), len);
	close(fd);
}

static uint32_t peek(size_t at, size_t len)
{
	uint8_t b[4] = {0};
	uint32_t v = 0;
	int fd = open(path, O_RDONLY);

	assert_int_equal(pread(fd, b, len, (off_t)at), len);
	close(fd);
	for (size_t i = 0; i < len; i++)
		v = v << 8 | b[i];
	return v;
}

/* Everything a file holds as text, so that two readings can be compared. */

/* Long ones by their hash. */
static void dump_bytes(struct buf *b, const char *s, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++) {
		hash = (hash ^ (uint8_t)s[i]) * 0x100000001b3u;
		if (len < 64)
			buf_addf(b, "%02x", (uint8_t)s[i]);
	}
	if (len >= 64)
		buf_addf(b, "%016llx", (unsigned long long)hash);
}

static void dump_value(struct buf *b, const struct sqlite_values *v, size_t row)
{
	int64_t num = v->num[row];

	assert_true(v->all == SQLITE_IS_ANY || v->all == v->type[row]);
	switch (v->type[row]) {
	case SQLITE_IS_NULL:
		buf_adds(b, "NULL");
		break;
	case SQLITE_IS_INT:
		buf_addf(b, "%lld", (long long)num);
		break;
	case SQLITE_IS_REAL:
		buf_addf(b, "r%a", sqlite_real(num));
		break;
	default:
		buf_addf(b, "%c%lld:", v->type[row] == SQLITE_IS_TEXT ? 't' : 'b', (long long)num);
		dump_bytes(b, v->s[row], (size_t)num);
		return;
	}
	assert_null(v->s[row]);
}

struct dump {
	struct buf *b;
	size_t columns;
	uint64_t rows;
};

static int dump_batch(void *ctx, const struct sqlite_batch *batch, unsigned worker, struct err *e)
{
	struct dump *d = ctx;

	(void)worker;
	(void)e;
	assert_int_equal(batch->first_row, d->rows);
	d->rows += batch->rows;
	for (size_t row = 0; row < batch->rows; row++) {
		for (size_t i = 0; i < d->columns; i++) {
			dump_value(d->b, &batch->values[i], row);
			buf_addc(d->b, '|');
		}
		buf_addc(d->b, '\n');
	}
	return 0;
}

static int dump_table(struct buf *b, struct sqlitefile *f, const struct sqlite_table *t,
		      struct err *e)
{
	struct dump d = {b, t->column_count, 0};
	int columns[64], rc;
	struct sqlite_scan *scan;
	uint64_t rows = 0, counted = 0;

	buf_addf(b, "== %s\n", t->name);
	for (size_t i = 0; i < t->column_count; i++) {
		assert_true(i < ARRAY_LEN(columns));
		columns[i] = (int)i;
		buf_addf(b, "%s ", t->columns[i].name);
		/* libsqlite3 tells the standard types in capitals, however declared. */
		for (const char *c = t->columns[i].type; *c; c++)
			buf_addc(b, (char)toupper((unsigned char)*c));
		buf_addc(b, '|');
	}
	buf_addc(b, '\n');
	if (sqlitefile_count_rows(f, t, &counted, e) < 0 ||
	    sqlite_scan_open(&scan, f, t, columns, t->column_count, &rows, e) < 0)
		return -1;
	rc = sqlite_scan_run(scan, dump_batch, &d, e);
	sqlite_scan_close(scan);
	if (rc == 0) {
		assert_int_equal(rows, d.rows);
		assert_int_equal(rows, counted);
	}
	return rc;
}

static int dump_file(struct buf *b, struct sqlitefile *f, struct err *e)
{
	for (size_t i = 0; i < sqlitefile_table_count(f); i++)
		if (dump_table(b, f, sqlitefile_table(f, i), e) < 0)
			return -1;
	return 0;
}

/* Both readers agree on the file at `path`; `declined` is what ours should say of it. */
static void assert_same(const char *declined)
{
	struct buf ours = {0}, theirs = {0};
	struct sqlitefile *f = NULL;
	struct err e = {0};

	if (sqlitefile_open(&f, path, &e) < 0 || dump_file(&ours, f, &e) < 0)
		fail_msg("%s", e.message);
	if (declined)
		assert_string_equal(sqlitefile_declined(f), declined);
	else
		assert_null(sqlitefile_declined(f));
	sqlitefile_close(f);
	if (sqlitefile_open_with_library(&f, path, &e) < 0 || dump_file(&theirs, f, &e) < 0)
		fail_msg("%s", e.message);
	sqlitefile_close(f);
	if (!str_eq(buf_str(&ours), buf_str(&theirs)))
		fail_msg("%s\ndiffers from\n%s", buf_str(&ours).s, buf_str(&theirs).s);
	buf_free(&ours);
	buf_free(&theirs);
}

/* Reading the file at `path` fails, and the message names it and says this. */
static void assert_error(enum err_code code, const char *says)
{
	struct sqlitefile *f = NULL;
	struct buf b = {0};
	struct err e = {0};
	int rc = sqlitefile_open(&f, path, &e);

	if (rc == 0)
		rc = dump_file(&b, f, &e);
	assert_int_equal(rc, -1);
	assert_int_equal(e.code, code);
	if (!strstr(e.message, says) || !strstr(e.message, path))
		fail_msg("'%s' lacks '%s'", e.message, says);
	if (code == ERR_INPUT)
		assert_true(e.hint[0] != '\0');
	buf_free(&b);
	sqlitefile_close(f);
}

/* Sound files */

static void test_page_sizes(void **state)
{
	(void)state;
	for (int size = 512; size <= 65536; size *= getenv("QUICK") ? 256 : 2) {
		sqlite3 *db = create("pages");
		char pragma[64];

		snprintf(pragma, sizeof(pragma), "PRAGMA page_size = %d", size);
		exec(db, pragma);
		exec(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB, e INT)");
		exec(db, SERIES(3000) "INSERT INTO t SELECT i * 7, printf('%.*c', i % 90, 'x'), i, "
				      "zeroblob(i % 40), -i * i * i FROM s");
		exec(db,
		     SERIES(60) "INSERT INTO t SELECT i + 100000, printf('%.*c', i * 397, 'y'), "
				"i / 3.0, randomblob(i * 100), i FROM s");
		sqlite3_close(db);
		assert_same(NULL);
	}
}

static void test_values(void **state)
{
	(void)state;
	make("values",
	     "CREATE TABLE t(a, r REAL, i INTEGER, x TEXT, n NUMERIC, f FLOAT, b BLOB);"
	     "INSERT INTO t VALUES(0, 0, 0, 0, 0, 0, 0), (1, 1, 1, 1, 1, 1, 1);"
	     "INSERT INTO t VALUES(127, -128, 32767, -32768, 8388607, -8388608, 2147483647);"
	     "INSERT INTO t VALUES(-2147483648, 140737488355327, -140737488355328, "
	     "9223372036854775807, -9223372036854775808, 1e300, -1e-300);"
	     "INSERT INTO t VALUES(NULL, NULL, NULL, NULL, NULL, NULL, NULL);"
	     "INSERT INTO t VALUES('', 'text', 'text', 'text', 'text', 'text', 'text');"
	     "INSERT INTO t VALUES(x'', x'00ff', x'00', x'01', x'02', x'03', x'04');"
	     "INSERT INTO t VALUES(9e999, 1.5, 1.5, 1.5, 1.5, -9e999, char(0, 65, 0));"
	     "INSERT INTO t VALUES(1 << 40, 1 << 40, 1 << 53, 3.0, 3.0, 3.0, 3.0)");
	assert_same(NULL);
}

static void test_nan_is_null(void **state)
{
	static const uint8_t nan[] = {0x7f, 0xf8, 0, 0, 0, 0, 0, 1};
	size_t size;
	uint8_t *bytes;

	(void)state;
	make("nan", "CREATE TABLE t(a REAL, b); INSERT INTO t VALUES(1.2345, 2)");
	bytes = slurp(path, &size);
	for (size_t i = 0; i + 8 < size; i++)
		if (bytes[i] == 0x3f && bytes[i + 1] == 0xf3 && bytes[i + 2] == 0xc0)
			poke(i, nan, sizeof(nan));
	free(bytes);
	assert_same(NULL);
}

static void test_rowid_aliases(void **state)
{
	(void)state;
	make("rowids",
	     "CREATE TABLE a(x, id INTEGER PRIMARY KEY);"
	     "CREATE TABLE b(id INTEGER PRIMARY KEY DESC, x);"
	     "CREATE TABLE c(id INTEGER, x, PRIMARY KEY(id DESC));"
	     "CREATE TABLE d(id INT PRIMARY KEY, x);"
	     "CREATE TABLE e(id INTEGER, x, PRIMARY KEY(id, x));"
	     "CREATE TABLE f(id integer primary key autoincrement, x);"
	     "CREATE TABLE g(x, \"id\" INTEGER, CONSTRAINT pk PRIMARY KEY('id'));"
	     "INSERT INTO a VALUES('p', -5), ('q', 9223372036854775807), ('r', 1 << 50);"
	     "INSERT INTO b VALUES(3, 'p'), (1, 'q'); INSERT INTO c VALUES(3, 1), (1, 2);"
	     "INSERT INTO d VALUES(3, 'p'), (1, 'q'); INSERT INTO e VALUES(3, 1), (1, 2);"
	     "INSERT INTO f VALUES(3, 'p'), (1, 'q'); INSERT INTO g VALUES(1, 7), (2, 4)");
	assert_same(NULL);
}

static void test_library_tables(void **state)
{
	(void)state;
	make("tables",
	     "CREATE TABLE w(a TEXT PRIMARY KEY, b INT) WITHOUT ROWID;"
	     "CREATE INDEX wi ON w(b);"
	     "CREATE TABLE plain(a, b); CREATE INDEX pi ON plain(b, a);"
	     "CREATE VIEW v AS SELECT a, b + 1 AS c FROM plain WHERE b > 1;"
	     "CREATE VIEW broken AS SELECT 1; "
	     "CREATE TABLE g(a INT, b INT AS (a + 1), c INT GENERATED ALWAYS AS (a * 2) STORED, d);"
	     "CREATE VIRTUAL TABLE vt USING fts5(body);"
	     "INSERT INTO w VALUES('z', 1), ('a', 9), ('m', 5);"
	     "INSERT INTO plain VALUES(3, 1), (2, 2), (1, 3);"
	     "INSERT INTO g(a, d) VALUES(1, 'x'), (2, 'y');"
	     "INSERT INTO vt VALUES('some words');");
	assert_same(NULL);
}

static void test_added_columns(void **state)
{
	(void)state;
	make("added",
	     "CREATE TABLE t(a INT); INSERT INTO t VALUES(1), (2);"
	     "ALTER TABLE t ADD COLUMN b TEXT; INSERT INTO t VALUES(3, 'three');"
	     "CREATE TABLE d(a INT); INSERT INTO d VALUES(1), (2);"
	     "ALTER TABLE d ADD COLUMN b TEXT DEFAULT 'none';"
	     "ALTER TABLE d ADD COLUMN c INT DEFAULT NULL; INSERT INTO d VALUES(3, 'x', 4);"
	     "CREATE TABLE full(a INT DEFAULT 7, b REAL DEFAULT (1 + 2) NOT NULL);"
	     "INSERT INTO full VALUES(1, 2)");
	assert_same(NULL);
}

static void test_names(void **state)
{
	(void)state;
	make("names",
	     "CREATE TABLE \"a \"\"quoted\"\" table\"([a b] INT, `c``d` TEXT, \"e\"\"f\" REAL, "
	     "'g''h' BLOB, \"primary\" INT, \"it`s\");"
	     "INSERT INTO \"a \"\"quoted\"\" table\" VALUES(1, 2, 3, 4, 5, 6);"
	     "CREATE TABLE IF NOT EXISTS k(start, end, key, \"check\" CHAR ( 10 , 2 ) , v "
	     "VARCHAR(3)"
	     " CHECK (v <> ')' AND v <> ',') COLLATE NOCASE, /* , z INT */ u UNSIGNED BIG INT,"
	     " UNIQUE (start, end) CHECK (start > 0) FOREIGN KEY (end) REFERENCES k(start));"
	     "INSERT INTO k VALUES(1, 2, 3, 4, 5, 6);"
	     "CREATE TABLE s(a INT, b ANY, c REAL) STRICT; INSERT INTO s VALUES(1, 2, 3);"
	     "CREATE TABLE made AS SELECT 1 AS x, 'a' AS y, 2.0 AS \"z z\", NULL AS n;"
	     "CREATE TABLE \xc3\xa9t\xc3\xa9(\xc3\xa0 INT); CREATE TABLE empty(a, b, c)");
	assert_same(NULL);
}

static void test_comments(void **state)
{
	struct sqlitefile *f;
	const struct sqlite_table *t;
	struct err e = {0};

	(void)state;
	make("comments", "CREATE TABLE K (\n    -- Kernels.\n\n"
			 "    start INTEGER NOT NULL,   -- Event start (ns).\n"
			 "    nameId INTEGER,           -- REFERENCES StringIds(id) -- Its name\n"
			 "    kind INTEGER,             -- REFERENCES ENUM_KIND(id)\n"
			 "    x INTEGER REFERENCES \"T\"(id), -- Other.\n"
			 "    bare INTEGER\n);");
	assert_int_equal(sqlitefile_open(&f, path, &e), 0);
	assert_null(sqlitefile_find_table(f, "nothing"));
	t = sqlitefile_find_table(f, "k");
	assert_non_null(t);
	assert_string_equal(t->comment, "Kernels.");
	assert_int_equal(t->column_count, 5);
	assert_int_equal(sqlite_table_find_column(t, "NAMEID"), 1);
	assert_int_equal(sqlite_table_find_column(t, "name"), -1);
	assert_string_equal(t->columns[0].comment, "Event start (ns).");
	assert_null(t->columns[0].references);
	assert_string_equal(t->columns[1].references, "StringIds(id)");
	assert_string_equal(t->columns[1].comment, "Its name");
	assert_string_equal(t->columns[2].references, "ENUM_KIND(id)");
	assert_null(t->columns[2].comment);
	assert_string_equal(t->columns[3].references, "T(id)");
	assert_string_equal(t->columns[3].comment, "Other.");
	assert_null(t->columns[4].comment);
	sqlitefile_close(f);
}

static void test_encodings(void **state)
{
	(void)state;
	make("utf16", "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a TEXT, b);"
		      "INSERT INTO t VALUES('caf\xc3\xa9', 1), (x'0102', 'x'), ('', 1.5)");
	assert_same("its text is UTF-16");
}

static void test_reserved_bytes(void **state)
{
	sqlite3 *db = create("reserved");
	int bytes = 16;

	(void)state;
	exec(db, "CREATE TABLE t(a, b)");
	exec(db, SERIES(500) "INSERT INTO t SELECT i, printf('%.*c', i, 'x') FROM s");
	sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
	exec(db, "VACUUM");
	sqlite3_close(db);
	assert_same("its pages have reserved bytes");
}

static void test_long_text(void **state)
{
	(void)state;
	make("long", "CREATE TABLE t(a INT, b TEXT, c INT);"
		     "INSERT INTO t VALUES(1, printf('%.*c', 10000000, 'z'), 1 << 40);"
		     "INSERT INTO t VALUES(2, 'short', 3)");
	assert_same(NULL);
}

static void test_wide_header(void **state)
{
	struct buf sql = {0};

	(void)state;
	buf_adds(&sql, "PRAGMA page_size = 512; CREATE TABLE t(a0");
	for (int i = 1; i < 60; i++)
		buf_addf(&sql, ", a%d", i);
	buf_adds(&sql, "); INSERT INTO t VALUES(printf('%.*c', 1000000, 'q')");
	for (int i = 1; i < 60; i++)
		buf_addf(&sql, ", printf('%%.*c', %d, 'w')", 9000 + i);
	buf_adds(&sql, ")");
	make("wide", sql.s);
	buf_free(&sql);
	assert_same(NULL);
}

static void test_vacuum_and_freelist(void **state)
{
	(void)state;
	make("autovacuum",
	     "PRAGMA auto_vacuum = 1; CREATE TABLE t(a, b); CREATE TABLE u(a);" SERIES(
		     5000) "INSERT INTO t SELECT i, printf('%.*c', i % 300, 'x') FROM s;"
			   "INSERT INTO u SELECT a FROM t; DELETE FROM t WHERE a % 3 = 0");
	assert_same(NULL);
	make("freelist",
	     "CREATE TABLE t(a, b); CREATE TABLE u(a);" SERIES(
		     5000) "INSERT INTO t SELECT i, printf('%.*c', i % 300, 'x') FROM s;"
			   "INSERT INTO u SELECT a FROM t; DELETE FROM t WHERE a % 3 > 0; DROP "
			   "TABLE u;"
			   "UPDATE t SET b = 'changed' WHERE a % 2");
	assert_same(NULL);
}

static int sum_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	int64_t *sums = ctx;

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		assert_int_equal(b->values[0].num[i], b->first_row + i + 1);
		assert_int_equal(b->values[1].num[i], b->values[2].num[i]);
		sums[worker] += b->values[1].num[i];
	}
	return 0;
}

/* Columns in any order, one of them twice, by several threads. */
static void test_parallel_repeated_columns(void **state)
{
	static const int columns[] = {0, 2, 2};
	const int64_t n = (int64_t)repeats(200000);
	int64_t sums[PARALLEL_MAX] = {0}, total = 0;
	struct sqlite_scan *scan;
	struct sqlitefile *f;
	struct err e = {0};
	uint64_t rows;

	(void)state;
	make_rows("parallel",
		  "PRAGMA page_size = 512; CREATE TABLE t(id INTEGER PRIMARY KEY, x, y)", (size_t)n,
		  "i, 'x', i * 2");
	parallel_set_workers(4);
	assert_int_equal(sqlitefile_open(&f, path, &e), 0);
	assert_int_equal(sqlite_scan_open(&scan, f, sqlitefile_table(f, 0), columns, 3, &rows, &e),
			 0);
	assert_int_equal(rows, n);
	assert_int_equal(sqlite_scan_run(scan, sum_batch, sums, &e), 0);
	for (size_t i = 0; i < PARALLEL_MAX; i++)
		total += sums[i];
	assert_int_equal(total, n * (n + 1));
	sqlite_scan_close(scan);
	sqlitefile_close(f);
	parallel_set_workers(1);
}

struct in_order {
	uint64_t rows;
	unsigned workers;
	pthread_t thread;
};

static int follow_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct in_order *x = ctx;

	(void)e;
	assert_int_equal(worker, 0);
	assert_int_equal(b->first_row, x->rows);
	assert_true(pthread_equal(pthread_self(), x->thread));
	/* Others' loops have the workers that they had. */
	assert_int_equal(parallel_workers(), x->workers);
	for (size_t i = 0; i < b->rows; i++)
		assert_int_equal(b->values[0].num[i], ++x->rows);
	return 0;
}

static void scan_in_order(const char *creates)
{
	const size_t n = repeats(200000);
	struct in_order x = {.workers = 4, .thread = pthread_self()};
	struct sqlite_scan *scan;
	struct sqlitefile *f;
	struct err e = {0};
	uint64_t rows;

	make_rows("order", creates, n, "i, 'x'");
	parallel_set_workers(4);
	assert_int_equal(sqlitefile_open(&f, path, &e), 0);
	assert_int_equal(
		sqlite_scan_open(&scan, f, sqlitefile_table(f, 0), (int[]){0}, 1, &rows, &e), 0);
	assert_int_equal(sqlite_scan_run_in_order(scan, follow_batch, &x, &e), 0);
	assert_int_equal(x.rows, n);
	assert_int_equal(parallel_workers(), 4);
	sqlite_scan_close(scan);
	sqlitefile_close(f);
	parallel_set_workers(1);
}

/* The value of one row, wherever it lies. */
struct one_row {
	uint64_t row;
	int64_t value;
	size_t found;
};

static int take_row(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct one_row *r = ctx;

	(void)worker;
	(void)e;
	if (r->row >= b->first_row && r->row - b->first_row < b->rows) {
		r->value = b->values[0].num[r->row - b->first_row];
		r->found++;
	}
	return 0;
}

static void check_rows_by_number(struct sqlitefile *f, uint64_t count)
{
	struct sqlite_scan *scan;
	struct err e = {0};
	uint64_t rows;

	assert_int_equal(
		sqlite_scan_open(&scan, f, sqlitefile_table(f, 0), (int[]){0}, 1, &rows, &e), 0);
	assert_int_equal(rows, count);
	for (uint64_t row = 0; row < rows; row += 1 + rows / 97) {
		struct one_row r = {.row = row};

		assert_int_equal(sqlite_scan_run_row(scan, row, take_row, &r, &e), 0);
		assert_int_equal(r.found, 1);
		assert_int_equal(r.value, 3 * (row + 1));
	}
	sqlite_scan_close(scan);
}

static void test_row_by_number(void **state)
{
	struct sqlitefile *f;
	struct err e = {0};

	(void)state;
	make_rows("rows.sqlite", "CREATE TABLE t(a INTEGER)", 20000, "3 * i");
	assert_int_equal(sqlitefile_open(&f, path, &e), 0);
	check_rows_by_number(f, 20000);
	sqlitefile_close(f);
	assert_int_equal(sqlitefile_open_with_library(&f, path, &e), 0);
	check_rows_by_number(f, 20000);
	sqlitefile_close(f);
}

/* By our reader and by the library. */
static void test_in_order(void **state)
{
	(void)state;
	scan_in_order("PRAGMA page_size = 512; CREATE TABLE t(id INTEGER PRIMARY KEY, x)");
	scan_in_order("CREATE TABLE t(id INTEGER PRIMARY KEY, x) WITHOUT ROWID");
}

/* Logs beside the file */

static size_t count_entries(const char *of)
{
	DIR *d = opendir(of);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Moves the half-done database to a name where its writer is not, with its log. */
static void leave_behind(const char *suffix)
{
	char from[300], to[300], old[256];

	memcpy(old, path, sizeof(old));
	snprintf(path, sizeof(path), "%s/left", folder);
	copy(old, path);
	snprintf(from, sizeof(from), "%s%s", old, suffix);
	snprintf(to, sizeof(to), "%s%s", path, suffix);
	copy(from, to);
}

static void remove_left(const char *suffix)
{
	char log[300];

	snprintf(log, sizeof(log), "%s%s", path, suffix);
	unlink(log);
	unlink(path);
}

static void assert_left_is_read(const char *declined, const char *contents)
{
	struct sqlitefile *f;
	struct buf b = {0};
	struct err e = {0};
	char temp[300];
	size_t entries = count_entries(folder);

	snprintf(temp, sizeof(temp), "%s/temp", folder);
	mkdir(temp, 0700);
	setenv("TMPDIR", temp, 1);
	if (sqlitefile_open(&f, path, &e) < 0 || dump_file(&b, f, &e) < 0)
		fail_msg("%s", e.message);
	assert_string_equal(sqlitefile_declined(f), declined);
	assert_string_equal(b.s, contents);
	sqlitefile_close(f);
	assert_int_equal(rmdir(temp), 0);
	assert_int_equal(count_entries(folder), entries);
	unsetenv("TMPDIR");
	buf_free(&b);
}

static void test_hot_wal(void **state)
{
	sqlite3 *db = create("wal");

	(void)state;
	exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)");
	leave_behind("-wal");
	sqlite3_close(db);
	assert_left_is_read("it has a write-ahead log", "== t\na |\n1|\n2|\n");
	remove_left("-wal");
}

static void test_wal_mode_without_log(void **state)
{
	(void)state;
	make("walmode", "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
	assert_int_equal(peek(18, 2), 0x0202);
	assert_same(NULL);
}

static void test_hot_journal(void **state)
{
	static const uint8_t magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	sqlite3 *db = create("journal");
	size_t size;
	uint8_t *bytes;
	char log[300];

	(void)state;
	exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1), (2); CREATE TABLE big(a)");
	exec(db, SERIES(2000) "INSERT INTO big SELECT printf('%.*c', 500, 'x') FROM s");
	exec(db, "DELETE FROM big; PRAGMA cache_size = 2; BEGIN; UPDATE t SET a = a + 10");
	exec(db, SERIES(2000) "INSERT INTO big SELECT printf('%.*c', 500, 'y') FROM s");
	leave_behind("-journal");
	exec(db, "ROLLBACK");
	sqlite3_close(db);
	assert_left_is_read("it has a hot journal", "== t\na |\n1|\n2|\n== big\na |\n");

	/* One that names a further file is not followed there. */
	snprintf(log, sizeof(log), "%s-journal", path);
	bytes = slurp(log, &size);
	memcpy(bytes + size - sizeof(magic), magic, sizeof(magic));
	spit(log, bytes, size);
	assert_error(ERR_INPUT, "several databases");
	memset(bytes, 0, size);
	spit(log, bytes, size);
	free(bytes);
	{
		struct sqlitefile *f;
		struct err e = {0};

		/* A zeroed header means that nothing is left to do. */
		assert_int_equal(sqlitefile_open(&f, path, &e), 0);
		assert_null(sqlitefile_declined(f));
		sqlitefile_close(f);
	}
	remove_left("-journal");
}

/* What is no database */

static void test_not_a_database(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/none", folder);
	assert_error(ERR_INPUT, "no such file");
	snprintf(path, sizeof(path), "%s", folder);
	assert_error(ERR_INPUT, "is a folder");
	snprintf(path, sizeof(path), "%s/odd", folder);
	spit(path, "", 0);
	assert_error(ERR_INPUT, "empty file");
	spit(path, "hello", 5);
	assert_error(ERR_INPUT, "not a SQLite database");
	spit(path, "SQLite f", 8);
	assert_error(ERR_INPUT, "truncated");
	unlink(path);
	mkfifo(path, 0600);
	assert_error(ERR_INPUT, "a pipe or a device");
	unlink(path);
	snprintf(path, sizeof(path), "/dev/zero");
	assert_error(ERR_INPUT, "a pipe or a device");
}

static void test_unreadable(void **state)
{
	(void)state;
	make("secret", "CREATE TABLE t(a)");
	chmod(path, 0);
	if (access(path, R_OK) == 0) /* the superuser may read anything */
		skip();
	assert_error(ERR_SYSTEM, "cannot open");
}

/* It is libsqlite3 that works until we have enough of it. */
static void test_hostile_view(void **state)
{
	(void)state;
	if (getenv("QUICK"))
		skip();
	make("view", "CREATE VIEW v AS WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
		     "FROM s) SELECT zeroblob(1 << 29) FROM s WHERE i < 0");
	assert_error(ERR_INPUT, "takes too long");
}

/* Damage: a table of two levels with pages of 512 bytes, its root on page 2. */

enum { PAGE = 512, ROOT = PAGE };

static void make_tree(void)
{
	make("tree", "PRAGMA page_size = 512; CREATE TABLE t(a INT, b TEXT);" SERIES(
			     300) "INSERT INTO t SELECT i, 'some text' FROM s");
	assert_int_equal(peek(ROOT, 1), 5);
}

static size_t root_cell(void)
{
	return ROOT + peek(ROOT + 12, 2);
}

static size_t first_leaf(void)
{
	return (peek(root_cell(), 4) - 1) * PAGE;
}

static void test_damaged_tree(void **state)
{
	(void)state;
	make_tree();
	poke(root_cell(), "\0\0\0\2", 4);
	assert_error(ERR_INPUT, "table t, page 2: it points to page 2, which is in use already");
	make_tree();
	poke(ROOT + 8, "\0\1\0\0", 4);
	assert_error(ERR_INPUT, "table t, page 2: it points to page 65536 of");
	make_tree();
	poke(root_cell(), "\0\0\0\0", 4);
	assert_error(ERR_INPUT, "table t, page 2: it points to page 0 of");
	make_tree();
	poke(ROOT + 12, "\xff\xff", 2);
	assert_error(ERR_INPUT, "table t, page 2: cell 0 is outside it");
	make_tree();
	poke(first_leaf() + 3, "\xff\xff", 2);
	assert_error(ERR_INPUT, "it claims 65535 cells, more than fit");
	make_tree();
	poke(first_leaf(), "\x0a", 1);
	assert_error(ERR_INPUT, "it is not a table page (type 10)");
	make_tree();
	poke(root_cell(), "\0\0\0\1", 4);
	assert_error(ERR_INPUT, "table t, page 2: it points to page 1, which is in use already");
}

static void test_damaged_rows(void **state)
{
	size_t cell;

	(void)state;
	make_tree();
	poke(first_leaf() + 8, "\0\1", 2);
	assert_error(ERR_INPUT, "cell 0 is outside it");
	make_tree();
	cell = first_leaf() + peek(first_leaf() + 8, 2);
	poke(cell, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9);
	assert_error(ERR_INPUT, "table t, page");
	make_tree();
	cell = first_leaf() + peek(first_leaf() + 8, 2);
	poke(cell + 2, "\x7f", 1);
	assert_error(ERR_INPUT, "row 1 has an impossible header size");
	make_tree();
	cell = first_leaf() + peek(first_leaf() + 8, 2);
	poke(cell + 4, "\x7f", 1);
	assert_error(ERR_INPUT, "row 1 has a value that runs over its end");
}

/* Where the last column is long, and where a row that looks like the one before claims more. */
static void test_long_last(void **state)
{
	static const char *const pages[] = {"512", "4096", "65536"};
	size_t leaf = 4096, cell;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		char creates[100];

		snprintf(creates, sizeof(creates),
			 "PRAGMA page_size = %s; CREATE TABLE t(a INT, b)", pages[i]);
		make_rows("last", creates, 400,
			  "i, CASE i % 5 WHEN 0 THEN zeroblob(i * i / 10) WHEN 1 THEN NULL "
			  "WHEN 2 THEN i ELSE printf('%.*c', i, 'x') END");
		assert_same(NULL);
	}
	make_rows("claims", "CREATE TABLE t(a INT, b)", 3, "i, printf('%.*c', 100, 'x')");
	assert_same(NULL);
	cell = leaf + peek(leaf + 8 + 2, 2);
	poke(cell + 5, "\x7f", 1);
	assert_error(ERR_INPUT, "row 2 has a value that runs over its end");
	poke(cell + 5, "\xff", 1);
	assert_error(ERR_INPUT, "row 2 has a");
}

static void make_chain(void)
{
	make("chain", "PRAGMA page_size = 512; CREATE TABLE t(a);"
		      "INSERT INTO t VALUES(printf('%.*c', 20000, 'x'))");
	assert_int_equal(peek(ROOT, 1), 13);
}

static void test_damaged_chain(void **state)
{
	(void)state;
	make_chain();
	poke(4 * PAGE, "\0\0\0\3", 4);
	assert_error(ERR_INPUT, "table t, page 2: a row's overflow chain loops");
	make_chain();
	poke(4 * PAGE, "\0\xff\0\0", 4);
	assert_error(ERR_INPUT,
		     "table t, page 2: a row's overflow chain leads to page 16711680 of");
	make_chain();
	poke(4 * PAGE, "\0\0\0\0", 4);
	assert_error(ERR_INPUT, "table t, page 2: a row's overflow chain leads to page 0 of");
	make_chain();
	poke(ROOT + peek(ROOT + 8, 2), "\xff\xff\xff\x7f", 4);
	assert_error(ERR_INPUT, "table t, page 2: a row claims");
}

/* Many rows that all point at one chain would take the file's size each. */
static void test_shared_chain(void **state)
{
	uint8_t page[PAGE];
	uint32_t cells = 40;

	(void)state;
	make_chain();
	{
		FILE *in = fopen(path, "rb");

		fseek(in, ROOT, SEEK_SET);
		assert_int_equal(fread(page, 1, PAGE, in), PAGE);
		fclose(in);
	}
	for (uint32_t i = 1; i < cells; i++)
		memcpy(page + 8 + 2 * i, page + 8, 2);
	page[4] = (uint8_t)cells;
	poke(ROOT, page, PAGE);
	assert_error(ERR_INPUT, "rows share overflow pages");
}

static void test_truncated(void **state)
{
	(void)state;
	make_tree();
	assert_int_equal(truncate(path, 5 * PAGE + 100), 0);
	assert_error(ERR_INPUT, "is truncated: its header promises 14 pages");
	make_tree();
	assert_int_equal(truncate(path, 300), 0);
	assert_error(ERR_INPUT, "truncated: it ends within its first page");
}

struct counting {
	uint64_t rows, begun;
	atomic_ullong seen;
};

static int count_begin(void *ctx, uint64_t rows, struct err *e)
{
	struct counting *c = ctx;

	(void)e;
	c->rows = rows;
	c->begun++;
	atomic_store(&c->seen, 0);
	return 0;
}

static int count_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct counting *c = ctx;

	(void)worker;
	(void)e;
	assert_true(b->first_row + b->rows <= c->rows);
	atomic_fetch_add(&c->seen, b->rows);
	return 0;
}

/* Rows are first guessed from the keys; with gaps in the rowids everything starts anew. */
static void assert_read(const char *sql, uint64_t rows, uint64_t begun)
{
	const int columns[] = {1};
	struct counting c = {0};
	const struct sqlite_reader reader = {count_begin, count_batch, &c};
	struct sqlitefile *f;
	struct err e = {0};

	make("read", sql);
	parallel_set_workers(4);
	assert_int_equal(sqlitefile_open(&f, path, &e), 0);
	assert_int_equal(sqlitefile_read(f, sqlitefile_table(f, 0), columns, 1, &reader, &e), 0);
	assert_int_equal(c.rows, rows);
	assert_int_equal(atomic_load(&c.seen), rows);
	assert_int_equal(c.begun, begun);
	sqlitefile_close(f);
	parallel_set_workers(1);
}

static void test_rows_are_guessed_and_checked(void **state)
{
	(void)state;
	assert_read("PRAGMA page_size = 512; CREATE TABLE t(a, b);" SERIES(
			    50000) "INSERT INTO t SELECT i, i FROM s",
		    50000, 1);
	assert_read("PRAGMA page_size = 512; CREATE TABLE t(a, b);" SERIES(
			    50000) "INSERT INTO t SELECT i, i FROM s;"
				   "DELETE FROM t WHERE a BETWEEN 20000 AND 20002",
		    49997, 2);
	/* A default that records lack is looked for first: that read counts exactly. */
	assert_read(
		"PRAGMA page_size = 512; CREATE TABLE t(a);" SERIES(
			50000) "INSERT INTO t SELECT i FROM s;"
			       "DELETE FROM t WHERE a % 2; ALTER TABLE t ADD COLUMN b DEFAULT 7",
		25000, 1);
}

/* Ids count up: that of the row that is looked for is in one page. */
static bool may_hold(void *ctx, const struct sqlite_values *first, size_t rows)
{
	(void)ctx;
	return first->num[0] <= 30000 && first->num[rows - 1] >= 30000;
}

static int find_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	for (size_t i = 0; i < b->rows; i++) {
		assert_int_equal(b->values[0].num[i], (int64_t)(b->first_row + i + 1));
		assert_int_equal(b->values[1].num[i], -b->values[0].num[i]);
	}
	return count_batch(ctx, b, worker, e);
}

/* Those that are not are not handed out; of those that are all columns are read. */
static void test_batches_that_are_wanted(void **state)
{
	const int columns[] = {1, 0};
	struct counting c = {0};
	const struct sqlite_reader reader = {count_begin, find_batch, &c};
	struct sqlitefile *f;
	struct err e = {0};

	(void)state;
	make("read", "PRAGMA page_size = 512; CREATE TABLE t(a, b);" SERIES(
			     50000) "INSERT INTO t SELECT -i, i FROM s");
	assert_int_equal(sqlitefile_open(&f, path, &e), 0);
	assert_int_equal(
		sqlitefile_read_some(f, sqlitefile_table(f, 0), columns, 2, &reader, may_hold, &e),
		0);
	assert_int_equal(c.rows, 50000);
	assert_in_range(atomic_load(&c.seen), 1, 100);
	sqlitefile_close(f);
}

enum { ADD_HUNDREDS = 1, TAKE_BESIDE };

/* Ids of each file are other things; `copy` shows what is beside it. */
static struct join_rule join_rule(void *ctx, const struct sqlite_table *t, size_t column)
{
	(void)ctx;
	if (strcmp(t->columns[column].name, "id") == 0)
		return (struct join_rule){ADD_HUNDREDS, -1};
	if (strcmp(t->columns[column].name, "copy") == 0)
		return (struct join_rule){TAKE_BESIDE, sqlite_table_find_column(t, "id")};
	return (struct join_rule){0, -1};
}

static void join_map(void *ctx, size_t file, unsigned kind, const struct sqlite_values *from,
		     const struct sqlite_values *beside, size_t rows, int64_t *to)
{
	(void)ctx;
	for (size_t i = 0; i < rows; i++)
		to[i] = kind == ADD_HUNDREDS ? from->num[i] + 100 * (int64_t)file
					     : (beside ? beside->num[i] : -1);
}

static const struct join_rules join_rules = {join_rule, join_map, NULL};

static void open_made(struct sqlitefile **ret)
{
	struct err e = {0};

	assert_int_equal(sqlitefile_open(ret, path, &e), 0);
}

/* Rows of the second after those of the first, columns of both, each mapped as its file's. */
static void test_joined(void **state)
{
	struct sqlitefile *files[3], *all;
	struct err e = {0};
	SCOPED_BUF b = {0};
	bool has_rows = true;

	(void)state;
	make("a", "CREATE TABLE t(id INTEGER PRIMARY KEY, copy INT, y); CREATE TABLE none(k);"
		  "INSERT INTO t VALUES(1, 0, 'one'), (2, 0, NULL);"
		  "CREATE VIEW v AS SELECT * FROM t");
	open_made(&files[0]);
	make("b", "CREATE TABLE other(k); INSERT INTO other VALUES(9)");
	open_made(&files[1]);
	make("c", "CREATE TABLE T(z REAL, y, ID INT); INSERT INTO T VALUES(3, 'three', 7);"
		  "CREATE TABLE u(copy INT); INSERT INTO u VALUES(5)");
	open_made(&files[2]);
	sqlitefile_join(&all, files, 3, &join_rules);
	assert_int_equal(dump_file(&b, all, &e), 0);
	assert_string_equal(b.s, "== none\nk |\n== other\nk |\n9|\n"
				 "== t\nid INTEGER|copy INT|y |z REAL|\n"
				 "1|1|t3:6f6e65|NULL|\n2|2|NULL|NULL|\n"
				 "207|NULL|t5:7468726565|r0x1.8p+1|\n== u\ncopy INT|\n-1|\n");
	assert_int_equal(
		sqlitefile_has_rows(all, sqlitefile_find_table(all, "NONE"), &has_rows, &e), 0);
	assert_false(has_rows);
	assert_int_equal(sqlitefile_size_bytes(all), sqlitefile_size_bytes(files[0]) +
							     sqlitefile_size_bytes(files[1]) +
							     sqlitefile_size_bytes(files[2]));
	sqlitefile_close(all);
	for (int i = 0; i < 3; i++)
		sqlitefile_close(files[i]);
}

/*
 * Every byte of a small file set to something else: nothing but an answer or an error. Where each
 * step is slow, every sixty-seventh.
 */
static void test_any_byte(void **state)
{
	const size_t step = stride(67);
	size_t size;
	uint8_t *bytes;

	(void)state;
	make("any",
	     "PRAGMA page_size = 512; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c "
	     "REAL);" SERIES(20) "INSERT INTO t SELECT i, printf('%.*c', i * 60, 'x'), i FROM s");
	bytes = slurp(path, &size);
	for (size_t i = 0; i < size; i += step) {
		static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
		struct sqlitefile *f = NULL;
		struct buf b = {0};
		struct err e = {0};

		poke(i, &values[i % sizeof(values)], 1);
		if (sqlitefile_open(&f, path, &e) == 0)
			dump_file(&b, f, &e);
		sqlitefile_close(f);
		buf_free(&b);
		poke(i, &bytes[i], 1);
	}
	free(bytes);
}

static int setup(void **state)
{
	(void)state;
	parallel_set_workers(1);
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	DIR *d = opendir(folder);
	struct dirent *entry;

	(void)state;
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
			unlink(path);
		}
	closedir(d);
	return rmdir(folder);
}

int sqlitefile_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_sizes),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_nan_is_null),
		cmocka_unit_test(test_rowid_aliases),
		cmocka_unit_test(test_library_tables),
		cmocka_unit_test(test_added_columns),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_comments),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_reserved_bytes),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_wide_header),
		cmocka_unit_test(test_vacuum_and_freelist),
		cmocka_unit_test(test_parallel_repeated_columns),
		cmocka_unit_test(test_row_by_number),
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_hot_wal),
		cmocka_unit_test(test_wal_mode_without_log),
		cmocka_unit_test(test_hot_journal),
		cmocka_unit_test(test_not_a_database),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_hostile_view),
		cmocka_unit_test(test_damaged_tree),
		cmocka_unit_test(test_damaged_rows),
		cmocka_unit_test(test_long_last),
		cmocka_unit_test(test_damaged_chain),
		cmocka_unit_test(test_shared_chain),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_rows_are_guessed_and_checked),
		cmocka_unit_test(test_batches_that_are_wanted),
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_any_byte),
	};

	return cmocka_run_group_tests_name("sqlitefile", tests, setup, teardown);
}
