/* nsys: how much time did each CUDA API function and each OS runtime function take? */
#include "analysis/grouping.h"
#include "analysis/nsys/sum_report.h"
#include "base/mem.h"

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
