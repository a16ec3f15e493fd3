/*
 * How long does it take to read kernels, API calls and ranges whole? bench/read TRACE.sqlite loads
 * the columns that any analysis uses and prints the sums that the sqlite3 shell is asked for beside
 * it.
 */
#include "base/mem.h"
#include "base/parallel.h"
#include "trace/trace.h"

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

struct adding {
	const struct events *events;
	atomic_llong total;
};

static int add_durations(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct adding *a = ctx;
	long long total = 0;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		total += a->events->duration_ns[i] == DURATION_NONE ? 0 : a->events->duration_ns[i];
	atomic_fetch_add(&a->total, total);
	return 0;
}

static int read_all(struct trace *t, struct err *e)
{
	for (size_t k = 0; k < ARRAY_LEN(wanted); k++) {
		const struct events *ev = &t->events[wanted[k].kind];
		struct adding adding = {.events = ev};

		if (trace_load(t, wanted[k].kind, wanted[k].columns, e) < 0 ||
		    parallel_for(ev->count, 1 << 20, add_durations, &adding, e) < 0)
			return -1;
		printf("%lld\n", (long long)atomic_load(&adding.total));
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sqlitefile *file;
	struct trace *t = NULL;
	struct err e = {0};
	int result = -1;

	if (argc == 2 && sqlitefile_open(&file, argv[1], &e) == 0 &&
	    trace_open(&t, argv[1], file, &e) == 0)
		result = read_all(t, &e);
	if (result < 0)
		fprintf(stderr, "bench/read: %s\n", argc == 2 ? e.message : "one trace, please");
	trace_close(t);
	return result < 0;
}
