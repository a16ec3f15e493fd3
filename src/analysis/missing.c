/* What does the export lack that the answer would have used? */
#include "analysis/time_table.h"

#include "base/mem.h"

#define EXPORT_AGAIN "to get it, export the report again: nsys export --type sqlite report.nsys-rep"

static const char no_device[] = "the GPU of this work is unknown, so it counts as a separate GPU";
static const char no_process[] = "the process of this work is unknown unless there is only one";
static const char no_name[] = "communication counts as compute, and findings about kernels may be "
			      "missing";
static const char no_ranges[] = "NVTX ranges cannot be used: no work is assigned to a range";

/* What answers are made from, and what it means not to have it. */
static const struct {
	enum trace_kind kind;
	enum trace_column column;
	const char *means;
} wanted[] = {
	{TRACE_KERNELS, COL_DEVICE, no_device},
	{TRACE_KERNELS, COL_PROCESS, no_process},
	{TRACE_KERNELS, COL_NAME, no_name},
	{TRACE_KERNELS, COL_CORRELATION,
	 "it is unknown what launched the kernels and why the GPU was idle"},
	{TRACE_KERNELS, COL_GRID_X,
	 "how much of the GPU a kernel fills is unknown: narrow kernels are not detected"},
	{TRACE_MEMCPYS, COL_DEVICE, no_device},
	{TRACE_MEMCPYS, COL_PROCESS, no_process},
	{TRACE_MEMCPYS, COL_COPY_KIND, "the direction of copies is unknown"},
	{TRACE_MEMCPYS, COL_SRC_KIND, "whether copies use pageable memory is unknown"},
	{TRACE_MEMSETS, COL_DEVICE, no_device},
	{TRACE_GRAPHS, COL_DEVICE, no_device},
	{TRACE_API, COL_NAME,
	 "the function of each call is unknown: waits, allocations and launches cannot be "
	 "distinguished"},
	{TRACE_API, COL_THREAD,
	 "it is unknown which thread made each call and why the GPU was idle"},
	{TRACE_NVTX, COL_START, no_ranges},
	{TRACE_NVTX, COL_DURATION, no_ranges},
	{TRACE_NVTX, COL_EVENT_TYPE, no_ranges},
	{TRACE_NVTX, COL_THREAD, no_ranges},
	{TRACE_NVTX, COL_NAME, no_ranges},
};

static void warn_of_column(struct report *r, const struct trace *t, size_t i)
{
	const char *column = trace_lacks_column(t, wanted[i].kind, wanted[i].column);

	if (column)
		report_warning(r, "table %s lacks the column %s: %s; " EXPORT_AGAIN,
			       t->events[wanted[i].kind].table->name, column, wanted[i].means);
}

/* How many of the ids are none. */
static uint64_t count_none(const uint32_t *ids, uint64_t count)
{
	uint64_t none = 0;

	for (uint64_t i = 0; ids && i < count; i++)
		none += ids[i] == ID_NONE;
	return none;
}

static void warn_of_values(struct report *r, const struct trace *t, enum trace_kind kind,
			   const uint32_t *ids, const char *what, const char *means)
{
	const struct events *ev = &t->events[kind];
	uint64_t none = count_none(ids, ev->count);

	if (none)
		report_warning(r, "%llu of %llu %s have no %s: %s; " EXPORT_AGAIN,
			       (unsigned long long)none, (unsigned long long)ev->count,
			       trace_kind_title(kind), what, means);
}

static int warn_of_kind(struct report *r, struct trace *t, enum trace_kind kind, struct err *e)
{
	const struct events *ev = &t->events[kind];

	if (trace_load(t, kind, COLS_PROCESS_DEVICE | COL_BIT(COL_NAME), e) < 0)
		return -1;
	warn_of_values(r, t, kind, ev->device, "deviceId", no_device);
	warn_of_values(r, t, kind, ev->process, "globalPid",
		       "it is unknown what launched them and why the GPU was idle before them; "
		       "--pid leaves them out");
	if (trace_has_strings(t))
		warn_of_values(r, t, kind, ev->name, "name", no_name);
	return 0;
}

int missing_warn(struct report *r, struct trace *t, struct err *e)
{
	_Static_assert(NAME_NONE == ID_NONE, "counted alike");

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		warn_of_column(r, t, i);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (warn_of_kind(r, t, (enum trace_kind)kind, e) < 0)
			return -1;
	}
	if (!trace_has_strings(t))
		report_warning(
			r,
			"the export has no table StringIds: kernels and calls have no names, so "
			"waits, launches and communication cannot be distinguished; " EXPORT_AGAIN);
	return 0;
}
