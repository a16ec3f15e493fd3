/* nsys: when was each CUDA API function called, and how much time did functions take? */
#include "analysis/analysis.h"
#include "analysis/cell_values.h"
#include "analysis/grouping.h"
#include "analysis/nsys/nsys_report.h"
#include "base/mem.h"
#include "trace/system/labels.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* OSRT_API rows of other classes say when tracing began and ended: no calls. */
enum { CLASS_OSRT_CALL = 27 };

static const struct column call_columns[] = {
	SUM_COLUMN_HEAD("calls", "Num Calls"),
	{"name", "Name", UNIT_NAME, 0, "", SHOW},
};

static int run_api(const struct analysis *self, struct trace *t, const void *args, struct report *r,
		   struct err *e)
{
	struct sum_lines lines = {0};
	int result = -1;

	(void)args;
	if (sum_add_api(t, false, &lines, e) == 0) {
		sum_report(r, self, &lines, call_columns, ARRAY_LEN(call_columns));
		result = 0;
	}
	sum_lines_free(&lines);
	return result;
}

static void add_osrt_lines(struct trace *t, struct sum_lines *l)
{
	const struct events *ev = &t->events[TRACE_OSRT];
	size_t groups = t->names.count + 1;
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	struct summary *sums = mem_alloc(groups, sizeof(*sums));

	for (uint64_t i = 0; i < ev->count; i++) {
		bool call = (!ev->event_class || ev->event_class[i] == CLASS_OSRT_CALL) &&
			    ev->duration_ns[i] != DURATION_NONE;

		group[i] = !call ? GROUP_NONE : ev->name[i] < groups ? ev->name[i] : groups - 1;
	}
	summarize(ev->duration_ns, group, ev->count, groups, sums);
	for (size_t i = 0; i < groups; i++) {
		if (sums[i].count)
			sum_lines_add(l, (struct sum_line){.s = sums[i],
							   .name = trace_name(t, (uint32_t)i)});
	}
	free(group);
	free(sums);
}

static int run_osrt(const struct analysis *self, struct trace *t, const void *args,
		    struct report *r, struct err *e)
{
	const uint32_t columns =
		COL_BIT(COL_NAME) | COL_BIT(COL_DURATION) | COL_BIT(COL_EVENT_CLASS);
	struct sum_lines lines = {0};

	(void)args;
	if (trace_load(t, TRACE_OSRT, columns, e) < 0 ||
	    trace_require_column(t, TRACE_OSRT, COL_NAME, e) < 0 ||
	    trace_require_column(t, TRACE_OSRT, COL_DURATION, e) < 0)
		return -1;
	add_osrt_lines(t, &lines);
	sum_report(r, self, &lines, call_columns, ARRAY_LEN(call_columns));
	sum_lines_free(&lines);
	return 0;
}

NSYS_REPORT(cuda_api_sum, "CUDA API Summary", "CUDA API functions by total time", run_api,
	    .needs = NEEDS(TRACE_API));

NSYS_REPORT(osrt_sum, "OS Runtime Summary", "operating-system functions by total time", run_osrt,
	    .needs = NEEDS(TRACE_OSRT));

static const struct column trace_columns[] = {
	{"start_ns", "Start (ns)", UNIT_TIME_NS, 0, "", SHOW},
	{"duration_ns", "Duration (ns)", UNIT_NS, 0, NULL, SHOW},
	{"name", "Name", UNIT_NAME, 0, NULL, SHOW},
	{"result", "Result", UNIT_ID, 0, NULL, SHOW},
	{"correlation_id", "CorrID", UNIT_ID, 0, "corr:", SHOW},
	{"pid", "Pid", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "Tid", UNIT_ID, 0, "tid:", SHOW},
	{"thread_priority", "T-Pri", UNIT_ID, 0, NULL, SHOW},
	{"thread_name", "Thread Name", UNIT_NAME, 0, NULL, SHOW},
};

struct listing {
	struct trace *trace;
	struct host_names host_names;
	const struct thread_name **named; /* by thread number; NULL: no name */
	uint32_t *order;		  /* NULL: rows lie in order of time */
};

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	const struct listing *l = ctx;
	const struct events *ev = &l->trace->events[TRACE_API];
	uint64_t row = l->order ? l->order[i] : i;
	uint32_t number = ev->thread ? ev->thread[row] : ID_NONE;
	const struct thread_name *named = number == ID_NONE ? NULL : l->named[number];
	uint32_t correlation = ev->correlation ? ev->correlation[row] : ID_NONE;

	*out++ = cell_int(ev->start_ns[row]);
	*out++ = duration_cell(ev->duration_ns[row]);
	*out++ = cell_str(label_api(trace_name(l->trace, ev->name[row])));
	*out++ = ev->result ? int_cell(ev->result[row]) : cell_null();
	*out++ = id_cell(correlation);
	*out++ = pid_cell(l->trace, number);
	*out++ = tid_cell(l->trace, number);
	*out++ = named && named->has_priority ? cell_int(named->priority) : cell_null();
	*out++ = cell_str(named ? named->name : STR_LIT(""));
}

static void free_listing(void *p)
{
	struct listing *l = p;

	host_names_free(&l->host_names);
	free(l->named);
	free(l->order);
}

static int load(struct listing *l, struct err *e)
{
	const uint32_t wanted = COLS_TIMES | COL_BIT(COL_NAME) | COL_BIT(COL_RESULT) |
				COL_BIT(COL_CORRELATION) | COL_BIT(COL_THREAD);
	struct trace *t = l->trace;

	if (trace_load(t, TRACE_API, wanted, e) < 0 ||
	    trace_require_column(t, TRACE_API, COL_START, e) < 0 ||
	    trace_require_column(t, TRACE_API, COL_DURATION, e) < 0 ||
	    trace_require_column(t, TRACE_API, COL_NAME, e) < 0 ||
	    host_names_read(t, &l->host_names, e) < 0)
		return -1;
	l->named = mem_alloc(t->thread_keys.count, sizeof(struct thread_name *));
	for (size_t i = 0; i < t->thread_keys.count; i++)
		l->named[i] = host_names_thread(&l->host_names, t->thread_keys.keys[i]);
	l->order = order_unless_sorted(t->events[TRACE_API].start_ns, t->events[TRACE_API].count);
	return 0;
}

static int run_api_trace(const struct analysis *self, struct trace *t, const void *args,
			 struct report *r, struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	(void)args;
	l->trace = t;
	report_on_free(r, free_listing, l);
	if (load(l, e) < 0)
		return -1;
	trace_report(r, self, trace_columns, ARRAY_LEN(trace_columns), t->events[TRACE_API].count,
		     make_row, l);
	return 0;
}

NSYS_REPORT(cuda_api_trace, "CUDA API Trace", "every CUDA API call", run_api_trace,
	    .needs = NEEDS(TRACE_API));
