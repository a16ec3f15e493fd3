/* query: what does a trace say to a question in SQL? */
#include "commands/query/query_run.h"

#include "mcp/call.h"
#include "mcp/work.h"

enum { SECONDS_OTHERWISE = 20, MOST_SECONDS = 45, MOST_ROWS = 100000 };

/* Options of the command line are none here. */
static int hint_next(struct err *e)
{
	if (e->late)
		return err_hint(e,
				"pass a larger timeout_s, at most %d; or ask for less: a window "
				"(WHERE start_ns BETWEEN …), fewer columns",
				MOST_SECONDS);
	if (!e->hint[0])
		return err_hint(e,
				"the resource gpuwhy://schema/tables lists the ready-made tables "
				"and their columns, skill_run schema the export's own; one "
				"SELECT, read-only");
	return -1;
}

static int run(struct call *c, struct err *e)
{
	const char *sql = argument_text(c->arguments, "sql");
	const int64_t limit = argument_int(c->arguments, "limit", 0);
	struct query_job job = {
		.where = "the query",
		.text = str_of(sql),
		.timeout_s = (double)argument_int(c->arguments, "timeout_s", SECONDS_OTHERWISE),
		.shape = {.name = "query"},
	};
	struct open_trace *t;

	job.shape.limit = limit ? (uint64_t)limit : call_rows(c);
	call_begin(c, "query", NULL, NULL);
	call_reproduce(c, "query", call_trace_word(c), sql, NULL);
	if (call_open_trace(c, NULL, &t, e) < 0)
		return -1;
	if (query_answer(open_trace_of(t), &c->inv.report, &job, work_stop(), e) < 0)
		return hint_next(e);
	return 0;
}

static const struct tool_param params[] = {
	PARAM_TRACE,
	{.type = PARAM_TEXT,
	 .name = "sql",
	 .is_required = true,
	 .help = "One SELECT. Ready-made tables, names and launches joined: kernels, copies, api, "
		 "ranges, gpu_ops (resource gpuwhy://schema/tables); also the export's own tables "
		 "(skill_run schema). Aggregate rather than list."},
	{.type = PARAM_INT,
	 .name = "limit",
	 .least = 1,
	 .most = MOST_ROWS,
	 .help = "At most so many rows; without it all, page by page."},
	{.type = PARAM_INT,
	 .name = "timeout_s",
	 .least = 1,
	 .most = MOST_SECONDS,
	 .help = "Stops the query after so many seconds; 20 unless said."},
	PARAM_CURSOR,
	PARAM_LAST(),
};

const struct mcp_tool tool_query = {
	.name = "query",
	.title = "Read-only SQL",
	.description = "Runs one read-only SQL statement on a trace, for questions that no skill "
		       "answers. Columns of kernels: name, start_ns, end_ns, duration_ns, device, "
		       "stream, range, nvtx_path, api, queue_ns, class, grid_x, … Units come from "
		       "names of columns: total_ns, size_bytes, busy_pct. Nothing can be written, "
		       "attached or loaded.",
	.params = params,
	.next = "call skill_run with skill \"schema\" and this trace: it lists its tables and "
		"columns",
	.run = run,
};
