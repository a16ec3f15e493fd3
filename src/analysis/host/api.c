/* Which CUDA API calls took the host's time? */
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "trace/system/labels.h"

#include <stdlib.h>

/* The name shown drops a version suffix; the raw name keeps rows apart in their keys. */
static const struct column extra_columns[] = {
	{"function", "Function", UNIT_NAME, 0, "", MACHINE_ONLY},
};
/* By line `function` is that of the program. */
static const struct column raw_columns[] = {
	{"raw_call", "Raw name", UNIT_NAME, 0, "", MACHINE_ONLY},
};

static int add_table(struct trace *t, const struct grouped_args *a, struct report *r,
		     const struct grouping *g, const struct line_groups *lines, struct err *e)
{
	struct time_row *rows = mem_zalloc(g->count, sizeof(*rows));
	struct summary *sums = mem_alloc(g->count, sizeof(*sums));
	struct time_table table = {
		.name = "api",
		.by = a->by,
		.kind = "api",
		.name_column = {"call", "Call", UNIT_NAME, 0, NULL, SHOW},
		.extra = a->by == BY_LINE ? raw_columns : extra_columns,
		.extra_count = 1,
		.lines = lines,
		.rows = rows,
		.count = g->count,
	};
	int result;

	summarize(g->duration_ns, g->group, t->events[TRACE_API].count, g->count, sums);
	for (size_t i = 0; i < g->count; i++) {
		struct str raw = trace_name(t, line_groups_name(lines, g->keys[i].name));

		rows[i].name = label_api(raw);
		rows[i].key = g->keys[i];
		rows[i].s = sums[i];
		rows[i].extra[0] = cell_str(raw);
	}
	result = time_table_report(r, t, &a->table, &table, e);
	free(sums);
	free(rows);
	return result;
}

static int answer(struct trace *t, const struct grouped_args *a, struct report *r,
		  struct line_groups *lines, struct err *e)
{
	const uint32_t *names;
	struct grouping g;
	int result;

	if (trace_load(t, TRACE_API, COL_BIT(COL_DURATION) | COL_BIT(COL_NAME), e) < 0 ||
	    trace_require_column(t, TRACE_API, COL_NAME, e) < 0 ||
	    (a->by == BY_LINE && line_groups_open(lines, t, e) < 0) ||
	    line_groups_names(lines, TRACE_API, t->events[TRACE_API].name, &names, e) < 0 ||
	    grouping_make(t, TRACE_API, names, &a->table.scope, a->by, &g, e) < 0)
		return -1;
	result = add_table(t, a, r, &g, lines, e);
	warn_without_times(r, g.without_times, TRACE_API);
	grouping_free(&g);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct grouped_args *a = args;
	const struct scope *p = &a->table.scope;
	struct line_groups lines = {0};
	int result;

	/* The window is known: there are many calls, and room for them where its kernels were. */
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		trace_unload(t, (enum trace_kind)kind, COLS_ALL);
	if (window_report(r, self, t, p, &a->table.rows, e) < 0)
		return -1;
	result = answer(t, a, r, &lines, e);
	line_groups_free(&lines);
	return result;
}

static const struct topic topics_api[] = {
	{.table = "api",
	 .subject = "api call function",
	 .words = "api call calls cuda runtime driver cudamemcpy cudamalloc cudafree "
		  "culaunchkernel host time cpu function functions",
	 .questions = "which CUDA API call takes the most time\n"
		      "how much time is spent in cudaMalloc\n"
		      "how many times was cudaMemcpyAsync called\n"
		      "what are the top CUDA calls\n"
		      "how long does cudaLaunchKernel take\n"
		      "how many CUDA API calls are there\n"
		      "how much host time is spent in the CUDA API\n"
		      "which runtime calls are slow\n",
	 .row = "{call} takes {total_ns} of host time|, {pct}|, in {count} calls|, {avg_ns} each "
		"on average|, at most {max_ns}",
	 .sum = "{count} calls of {#} functions take {total_ns} of host time",
	 .by = "total_ns",
	 .none = "no CUDA calls were made there"},
	{0},
};

const struct analysis analysis_api = {
	.name = "api",
	.title = "CUDA API calls",
	.order = "total time",
	.summary = "CUDA runtime and driver calls by host time",
	.example = "gpuwhy api trace.sqlite --sort count --limit 10",
	.detail = "Calls have no device: --device N selects calls of threads that launched work on "
		  "it. --by line "
		  "tells apart which line of your code makes a call, where the capture has "
		  "backtraces of CUDA calls.",
	.host = true,
	.needs = NEEDS(TRACE_API),
	.options = &call_options,
	.run = run,
	.topics = topics_api,
};
