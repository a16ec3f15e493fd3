/* Which thread was on a CPU, and when? */
#include "trace/calls/cpu_events.h"

#include "base/mem.h"

#include <stdlib.h>

enum { START, THREAD, NUMBER, COLUMNS };

/* A row that cannot be read. */
static const uint64_t no_thread = UINT64_MAX;

static bool is_int(const struct sqlite_values *v, size_t i)
{
	return v->type[i] == SQLITE_IS_INT;
}

static int take_rows(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct cpu_events *c = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		const struct sqlite_values *v = b->values;
		uint64_t row = b->first_row + i;
		bool known = is_int(&v[START], i) && is_int(&v[THREAD], i);

		c->start_ns[row] = known ? v[START].num[i] : 0;
		c->thread[row] = known ? (uint64_t)v[THREAD].num[i] : no_thread;
		c->number[row] = is_int(&v[NUMBER], i) ? v[NUMBER].num[i] : CPU_NO_NUMBER;
	}
	return 0;
}

static void drop_unreadable(struct cpu_events *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->thread[i] == no_thread)
			continue;
		c->start_ns[kept] = c->start_ns[i];
		c->thread[kept] = c->thread[i];
		c->number[kept++] = c->number[i];
	}
	c->count = kept;
}

static int scan(struct trace *t, const struct sqlite_table *table, const int *columns,
		struct cpu_events *ret, struct err *e)
{
	struct sqlite_scan *s;
	uint64_t rows;
	int result;
	TRACE_LOCK_SCOPE(t);

	if (sqlite_scan_open(&s, t->file, table, columns, COLUMNS, &rows, e) < 0)
		return -1;
	ret->count = rows;
	ret->start_ns = mem_alloc(rows, sizeof(*ret->start_ns));
	ret->thread = mem_alloc(rows, sizeof(*ret->thread));
	ret->number = mem_alloc(rows, sizeof(*ret->number));
	result = sqlite_scan_run(s, take_rows, ret, e);
	sqlite_scan_close(s);
	drop_unreadable(ret);
	return result;
}

static int read_columns(struct trace *t, const char *name, const char *const names[COLUMNS],
			struct cpu_events *ret, struct err *e)
{
	const struct sqlite_table *table = sqlitefile_find_table(t->file, name);
	int columns[COLUMNS], result;

	*ret = (struct cpu_events){0};
	for (int i = 0; i < COLUMNS; i++) {
		columns[i] = table ? sqlite_table_find_column(table, names[i]) : -1;
		if (columns[i] < 0)
			return 0;
	}
	result = scan(t, table, columns, ret, e);
	if (result < 0)
		cpu_events_free(ret);
	return result;
}

static int read(struct trace *t, const char *name, const char *number, struct cpu_events *ret,
		struct err *e)
{
	return read_columns(t, name, (const char *const[]){"start", "globalTid", number}, ret, e);
}

/* No number is 0 where it is an amount. */
static int read_amounts(struct trace *t, const char *name, const char *number,
			struct cpu_events *ret, struct err *e)
{
	if (read(t, name, number, ret, e) < 0)
		return -1;
	for (size_t i = 0; i < ret->count; i++)
		ret->number[i] = ret->number[i] == CPU_NO_NUMBER ? 0 : ret->number[i];
	return 0;
}

int cpu_switches_read(struct trace *t, struct cpu_events *ret, struct err *e)
{
	return read_amounts(t, "SCHED_EVENTS", "isSchedIn", ret, e);
}

int cpu_samples_read(struct trace *t, struct cpu_events *ret, struct err *e)
{
	return read_amounts(t, "COMPOSITE_EVENTS", "cpuCycles", ret, e);
}

int cpu_events_read(struct trace *t, const char *table, const char *number, struct cpu_events *ret,
		    struct err *e)
{
	return read(t, table, number, ret, e);
}

int process_events_read(struct trace *t, const char *table, const char *number,
			struct cpu_events *ret, struct err *e)
{
	return read_columns(t, table, (const char *const[]){"start", "globalPid", number}, ret, e);
}

void cpu_events_free(struct cpu_events *c)
{
	free(c->start_ns);
	free(c->thread);
	free(c->number);
	*c = (struct cpu_events){0};
}
