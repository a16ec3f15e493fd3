/* trace_info: which traces are there, and what was recorded in one? */
#include "base/mem.h"
#include "mcp/call.h"

#include <string.h>
#include <time.h>

static const struct column columns[] = {
	{"trace", "Trace", UNIT_NAME, 0, "", SHOW},
	{"size_bytes", "Size", UNIT_BYTES, 0, NULL, SHOW},
	{"changed", "Changed", UNIT_NAME, 0, NULL, SHOW},
};

struct listing {
	struct rows *rows;
	struct report *report;
	const struct roots *roots;
};

/* By its name alone: none is opened. */
static bool is_called_as_trace(const char *name)
{
	static const char *const endings[] = {".sqlite",     ".sqlite3",  ".sqlite.gz",
					      ".sqlite.zst", ".nsys-rep", ".qdrep"};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		if (str_ends(str_of(name), endings[i]))
			return true;
	}
	return false;
}

static void add_trace(void *ctx, const struct root_file *f)
{
	struct listing *l = ctx;
	struct arena *a = &l->report->arena;
	struct tm when;
	char text[32];

	if (!is_called_as_trace(f->name))
		return;
	gmtime_r(&f->changed.tv_sec, &when);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &when);
	ROWS_ADD(l->rows, cell_text(arena_strdup(a, roots_shown(l->roots, f->path))),
		 cell_int((int64_t)f->size_bytes), cell_text(arena_strdup(a, text)));
}

static int list_traces(struct call *c)
{
	struct report *r = &c->inv.report;
	struct listing l = {.report = r, .roots = &c->mcp->roots};

	r->command = "trace_info";
	l.rows = REPORT_ROWS(r, "traces", NULL, columns);
	l.rows->table.kind = "trace";
	if (!roots_walk(l.roots, add_trace, &l))
		report_warning(r, "there are too many files below the roots: not all were seen");
	for (size_t i = 0; i < l.roots->all.count; i++)
		report_note(r, "root: %s", l.roots->all.all[i]);
	if (!l.rows->table.rows)
		report_note(r, "there is no trace below the roots; a person records one with "
			       "gpuwhy profile -- COMMAND, or adds a folder with --root");
	return 0;
}

static int run(struct call *c, struct err *e)
{
	const char *trace = argument_text(c->arguments, "trace");
	const struct analysis *info = analysis_find("info", false);

	if (!trace)
		return list_traces(c);
	call_begin(c, info->name, NULL, info);
	call_reproduce(c, "info", call_trace_word(c), NULL);
	return call_run_analysis(c, e);
}

static const struct tool_param params[] = {
	{.type = PARAM_TEXT,
	 .name = "trace",
	 .help = "A trace below the roots; without it the traces that there are."},
	PARAM_CURSOR,
	PARAM_LAST(),
};

const struct mcp_tool tool_trace_info = {
	.name = "trace_info",
	.title = "Traces, and what one holds",
	.description = "Without `trace`: lists the traces below the roots. With it: what was "
		       "recorded: GPUs, processes, kinds of events with their number, time span, "
		       "and what is missing. The place to begin.",
	.params = params,
	.next = "call trace_info without `trace`: it lists the traces there are",
	.run = run,
};
