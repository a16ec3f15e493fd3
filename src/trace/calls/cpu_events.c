/* Which thread was on a CPU, and when? */
#include "trace/calls/cpu_events.h"

#include "base/mem.h"
#include "trace/other_table.h"

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

static int make_room(void *ctx, uint64_t rows, struct err *e)
{
	struct cpu_events *c = ctx;

	(void)e;
	c->count = rows;
	c->start_ns = mem_alloc(rows, sizeof(*c->start_ns));
	c->thread = mem_alloc(rows, sizeof(*c->thread));
	c->number = mem_alloc(rows, sizeof(*c->number));
	return 0;
}

static int read_columns(struct trace *t, const char *name, const char *const names[COLUMNS],
			struct cpu_events *ret, struct err *e)
{
	const struct sqlite_reader reader = {make_room, take_rows, ret};

	*ret = (struct cpu_events){0};
	if (trace_read_rows(t, name, names, COLUMNS, &reader, e) < 0) {
		cpu_events_free(ret);
		return -1;
	}
	drop_unreadable(ret);
	return 0;
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
