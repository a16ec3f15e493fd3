/*
 * Does a trace that lacks a column crash or hang the program? Each column that trace/kinds.c names
 * is renamed in turn in each trace; every analysis, and every column of every table that queries
 * have, is then asked for: what comes is an answer or an error with a message.
 *
 * renamed SECONDS SEED TRACE… runs cases in the order that the seed says, for so long (0: all);
 * renamed TABLE.column TRACE runs that case alone.
 */
#include "everything.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "commands/query/query_tables.h"
#include "trace/kinds.h"

#include <sanitizer/allocator_interface.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* A busy machine may take long; one that only waits is stuck. */
enum { CPU_SECONDS_EACH = 60, SECONDS_EACH = 600, MOST_BYTES = 1 << 20 };

struct original {
	const char *path;
	struct buf bytes;
};

struct renamed {
	const struct original *trace;
	const char *table, *column;
};

static struct renamed *cases;
static size_t case_count, case_cap;

/* What the processes that run cases tell. */
static struct {
	size_t next, passed, failed;
} * counts;

static void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(4);
}

/* A database in memory with the trace's bytes. */
static sqlite3 *open_copy(const struct original *o)
{
	sqlite3 *db = NULL;
	unsigned char *copy = sqlite3_malloc64(o->bytes.len);

	memcpy(copy, o->bytes.s, o->bytes.len);
	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sqlite3_deserialize(
		    db, "main", copy, (sqlite3_int64)o->bytes.len, (sqlite3_int64)o->bytes.len,
		    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK)
		die(o->path);
	return db;
}

static void add_case(sqlite3 *db, const struct original *o, const char *table, const char *column)
{
	for (size_t i = 0; i < case_count; i++) {
		if (cases[i].trace == o && strcmp(cases[i].table, table) == 0 &&
		    strcmp(cases[i].column, column) == 0)
			return;
	}
	if (sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL, NULL) !=
	    SQLITE_OK)
		return;
	MEM_GROW(cases, case_cap, case_count + 1);
	cases[case_count++] = (struct renamed){o, table, column};
}

static void add_cases(const struct original *o)
{
	sqlite3 *db = open_copy(o);

	for (size_t k = 0; k < TRACE_KINDS; k++) {
		const struct kind *kind = &trace_kinds[k];

		for (size_t t = 0; t < sizeof(kind->tables) / sizeof(kind->tables[0]); t++) {
			for (size_t f = 0; kind->tables[t] && f < kind->field_count; f++)
				add_case(db, o, kind->tables[t], kind->fields[f].sql_name);
		}
	}
	sqlite3_close(db);
}

static void shuffle(unsigned seed)
{
	srandom(seed);
	for (size_t i = case_count; i > 1; i--) {
		size_t other = (size_t)random() % i;
		struct renamed r = cases[i - 1];

		cases[i - 1] = cases[other];
		cases[other] = r;
	}
}

/* The trace without the column, as a file that the caller removes. */
static void make_file(const struct renamed *r, char *path)
{
	sqlite3 *db = open_copy(r->trace);
	char *sql = sqlite3_mprintf("ALTER TABLE \"%w\" RENAME COLUMN \"%w\" TO renamed", r->table,
				    r->column);
	int fd = mkstemp(path);
	sqlite3_int64 len = 0;
	unsigned char *bytes;

	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		die(sqlite3_errmsg(db));
	bytes = sqlite3_serialize(db, "main", &len, 0);
	if (fd < 0 || file_write_all(fd, bytes, (size_t)len) < 0)
		die(path);
	close(fd);
	sqlite3_free(bytes);
	sqlite3_free(sql);
	sqlite3_close(db);
}

static void read_rows(struct sql *s, const char *text)
{
	struct sql_problem problem = {0};
	struct sql_query *q = NULL;
	struct err e = {0};
	int more;

	if (sql_prepare(s, str_of(text), &q, &problem) < 0) {
		if (problem.fault != SQL_REFUSED || !problem.refused.message[0])
			abort(); /* the tables are there whatever a trace lacks */
		return;
	}
	while ((more = sql_step(q, &e)) > 0) {
	}
	if (more < 0 && !e.message[0])
		abort();
	sql_free(q);
}

/* On a trace of its own: what another query has loaded may be what this one lacks. */
static void run_query(const char *path, const char *text)
{
	struct trace *t = open_trace(path);
	struct query_tables tables = {0};
	struct sql *s = NULL;
	struct err e = {0};

	if (t && (sql_open(&s, t->file, &e) < 0 || query_tables_add(&tables, s, t, &e) < 0))
		die(e.message);
	if (t)
		read_rows(s, text);
	sql_close(s);
	query_tables_free(&tables);
	trace_close(t);
}

static void run_queries(const char *path)
{
	for (size_t t = 0; t < QUERY_TABLES; t++) {
		const struct query_table_kind *kind = &query_table_kinds[t];
		char text[200];

		snprintf(text, sizeof(text), "SELECT * FROM %s", kind->name);
		run_query(path, text);
		for (size_t f = 0; f < EVENT_FIELDS; f++) {
			if (!(kind->fields & EVENT_BIT(f)))
				continue;
			snprintf(text, sizeof(text), "SELECT min(%s), sum(%s) FROM %s",
				 event_columns[f].key, event_columns[f].key, kind->name);
			run_query(path, text);
		}
	}
}

static void run_everything(const char *path)
{
	parallel_set_workers(1);
	for (size_t which = 0; which < ASKED; which++)
		run_many(path, which, 1);
	for (size_t i = 0; analysis_at(i); i++)
		run_one(path, i);
	run_queries(path);
}

/* Where nothing is left behind nothing has leaked; looking for it takes three seconds on ARM. */
static void end_without_leaks(size_t held_before)
{
	if (__sanitizer_get_current_allocated_bytes() <= held_before)
		_exit(0);
	exit(0);
}

/* In a child, which leaks nothing and ends in time. */
static bool survive(const struct renamed *r)
{
	char path[] = "/tmp/renamed-XXXXXX";
	int status = 0;
	pid_t child;

	make_file(r, path);
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_SECONDS_EACH, CPU_SECONDS_EACH});
		alarm(SECONDS_EACH);
		const size_t held = __sanitizer_get_current_allocated_bytes();
		run_everything(path);
		end_without_leaks(held);
	}
	waitpid(child, &status, 0);
	unlink(path);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void run_until(time_t deadline)
{
	size_t i;

	while ((!deadline || time(NULL) < deadline) &&
	       (i = __atomic_fetch_add(&counts->next, 1, __ATOMIC_RELAXED)) < case_count) {
		const struct renamed *r = &cases[i];
		const bool survived = survive(r);

		__atomic_fetch_add(survived ? &counts->passed : &counts->failed, 1,
				   __ATOMIC_RELAXED);
		if (!survived)
			fprintf(stderr, "FAIL renamed %s.%s %s crashed, leaked or hung\n", r->table,
				r->column, r->trace->path);
	}
}

static int run_all(unsigned seconds, unsigned seed)
{
	const time_t deadline = seconds ? time(NULL) + seconds : 0;
	const unsigned cores = parallel_workers();

	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (counts == MAP_FAILED || !case_count)
		die("nothing to rename");
	shuffle(seed);
	for (unsigned w = 0; w < cores; w++) {
		if (fork() == 0) {
			run_until(deadline);
			_exit(0);
		}
	}
	while (wait(NULL) > 0) {
	}
	printf("seed %u: %zu of %zu columns\n%zu passed, %zu failed\n", seed,
	       counts->passed + counts->failed, case_count, counts->passed, counts->failed);
	return counts->failed > 0;
}

int main(int argc, char **argv)
{
	char *dot = argc > 1 ? strchr(argv[1], '.') : NULL;
	struct original *originals;
	struct err e = {0};

	if (argc < (dot ? 3 : 4))
		die("usage: renamed SECONDS SEED TRACE… | renamed TABLE.column TRACE");
	originals = mem_zalloc((size_t)argc, sizeof(*originals));
	for (int i = dot ? 2 : 3; i < argc; i++) {
		originals[i].path = argv[i];
		if (file_read(&originals[i].bytes, argv[i], MOST_BYTES, &e) < 0)
			die(e.message);
		add_cases(&originals[i]);
	}
	if (!dot)
		return run_all((unsigned)strtoul(argv[1], NULL, 10),
			       (unsigned)strtoul(argv[2], NULL, 10));
	*dot = '\0';
	return !survive(&(struct renamed){&originals[2], argv[1], dot + 1});
}
