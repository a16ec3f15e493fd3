/*
 * How long does it take to read kernels, API calls and ranges whole? bench/read [--keep]
 * TRACE.sqlite decodes, of every row, the columns that analyses use, and prints the sums of end −
 * start that the sqlite3 shell is asked for beside it. With --keep the rows also stay in memory, as
 * an analysis has them.
 */
#include "base/mem.h"
#include "base/parallel.h"
#include "trace/kinds.h"

#include <stdatomic.h>
#include <stdio.h>

static const struct {
	enum trace_kind kind;
	uint32_t columns;
} wanted[] = {
	{TRACE_KERNELS, COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_PROCESS) |
				COL_BIT(COL_DEVICE) | COL_BIT(COL_STREAM) |
				COL_BIT(COL_CORRELATION) | COL_BIT(COL_NAME)},
	{TRACE_API, COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_THREAD) |
			    COL_BIT(COL_CORRELATION) | COL_BIT(COL_NAME)},
	{TRACE_NVTX, COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_THREAD) |
			     COL_BIT(COL_EVENT_TYPE) | COL_BIT(COL_DOMAIN) | COL_BIT(COL_NAME)},
};

/* Which columns of the table "start" and "end" are, among those decoded. */
enum { START, END };

static int add_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct sqlite_values *start = &b->values[START], *end = &b->values[END];
	long long total = 0;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		if (start->type[i] == SQLITE_IS_INT && end->type[i] == SQLITE_IS_INT)
			total += end->num[i] - start->num[i];
	}
	atomic_fetch_add((atomic_llong *)ctx, total);
	return 0;
}

static size_t find_columns(const struct trace *t, size_t k, int *columns)
{
	const struct kind *kind = &trace_kinds[wanted[k].kind];
	size_t count = 0;

	for (size_t i = 0; i < kind->field_count; i++) {
		int at = sqlite_table_find_column(t->events[wanted[k].kind].table,
						  kind->fields[i].sql_name);

		if (at >= 0 && wanted[k].columns & COL_BIT(kind->fields[i].column))
			columns[count++] = at;
	}
	return count;
}

static int begin_adding(void *ctx, uint64_t rows, struct err *e)
{
	(void)rows;
	(void)e;
	atomic_store((atomic_llong *)ctx, 0);
	return 0;
}

static int read_rows(struct trace *t, size_t k, atomic_llong *total, struct err *e)
{
	const struct sqlite_reader reader = {begin_adding, add_batch, total};
	int columns[32];
	size_t count = find_columns(t, k, columns);

	return sqlitefile_read(t->file, t->events[wanted[k].kind].table, columns, count, &reader,
			       e);
}

struct adding {
	const struct events *events;
	atomic_llong *total;
};

static int add_durations(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct adding *a = ctx;
	long long total = 0;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		total += a->events->duration_ns[i] == DURATION_NONE ? 0 : a->events->duration_ns[i];
	atomic_fetch_add(a->total, total);
	return 0;
}

static int keep_rows(struct trace *t, size_t k, atomic_llong *total, struct err *e)
{
	struct adding a = {&t->events[wanted[k].kind], total};

	if (trace_load(t, wanted[k].kind, wanted[k].columns, e) < 0)
		return -1;
	return parallel_for(a.events->count, PARALLEL_ROWS, add_durations, &a, e);
}

static int read_all(struct trace *t, bool keep, struct err *e)
{
	for (size_t k = 0; k < ARRAY_LEN(wanted); k++) {
		atomic_llong total = 0;

		if (!t->events[wanted[k].kind].table)
			continue;
		if ((keep ? keep_rows : read_rows)(t, k, &total, e) != 0)
			return -1;
		printf("%lld\n", atomic_load(&total));
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool keep = argc == 3 && strcmp(argv[1], "--keep") == 0;
	const char *path = argc > 1 ? argv[argc - 1] : "";
	struct sqlitefile *file;
	struct trace *t = NULL;
	struct err e = {0};
	int result = -1;

	if (sqlitefile_open(&file, path, &e) == 0 && trace_open(&t, path, file, &e) == 0)
		result = read_all(t, keep, &e);
	if (result < 0)
		fprintf(stderr, "bench/read: %s\n", e.message);
	trace_close(t);
	return result < 0;
}
