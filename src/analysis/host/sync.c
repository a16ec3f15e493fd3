/* How long did the host wait for the GPU, in which calls and threads? */
#include "analysis/cell_values.h"
#include "analysis/host/waits.h"
#include "analysis/numbers/summary.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "trace/system/labels.h"
#include "trace/system/machine.h"

#include <stdlib.h>

static const char *const kind_names[WAIT_KINDS] = {"blocking", "implicit", "non-blocking"};

/* Threads wait at once: only of one thread is its time a part of the window. */
#define ALL_THREADS "All threads, % of window"

static const struct column kind_columns[] = {
	{"kind", "Kind", UNIT_NAME, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"window_pct", ALL_THREADS, UNIT_PERCENT, 0, NULL, SHOW},
	{"calls", "Calls", UNIT_COUNT, 0, NULL, SHOW},
	{"threads", "Threads", UNIT_COUNT, 0, NULL, SHOW},
};

static const struct column call_columns[] = {
	{"call", "Call", UNIT_NAME, 0, NULL, SHOW},
	{"kind", "Kind", UNIT_NAME, 0, NULL, SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"window_pct", ALL_THREADS, UNIT_PERCENT, 0, NULL, SHOW},
	{"calls", "Calls", UNIT_COUNT, 0, NULL, SHOW},
	{"avg_ns", "Avg", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"p50_ns", "p50", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"p90_ns", "p90", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"max_ns", "Max", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"function", "Function", UNIT_NAME, 0, "", MACHINE_ONLY},
};

/* By line `function` is that of the program. */
static const struct column raw_column = {"raw_call", "Raw name", UNIT_NAME, 0, "", MACHINE_ONLY};

static const struct column thread_columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	{"thread", "Thread", UNIT_NAME, 0, NULL, SHOW},
	{"kind", "Kind", UNIT_NAME, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"window_pct", "% of window", UNIT_PERCENT, 0, NULL, SHOW},
	{"calls", "Calls", UNIT_COUNT, 0, NULL, SHOW},
};

struct sync {
	struct trace *trace;
	const struct scope *p;
	const struct row_choice *rows;
	struct report *report;
	struct host_names host_names;
	struct line_groups lines; /* opened where calls are told apart by line */
	struct waits waits;
	int64_t *waited_ns; /* by wait, as summarize() wants it */
	uint32_t *group;    /* by wait, of the table that is being made */
};

/* Cells of a total: its time, its share of the window. */
static void add_total(const struct sync *s, struct rows *rows, int64_t total_ns)
{
	rows_add(rows, cell_int(total_ns));
	rows_add(rows, pct_cell(total_ns, window_length(s->report)));
}

static struct summary *summarize_waits(const struct sync *s, size_t groups)
{
	struct summary *sums = mem_alloc(groups, sizeof(*sums));

	summarize(s->waited_ns, s->group, s->waits.count, groups, sums);
	return sums;
}

/* Fills threads[kind]: how many threads have such calls. */
static void count_threads(const struct sync *s, uint64_t threads[WAIT_KINDS])
{
	size_t count = s->trace->thread_keys.count;
	uint8_t *kinds = mem_zalloc(count + 1, sizeof(*kinds));

	for (size_t i = 0; i < s->waits.count; i++) {
		const struct wait *w = &s->waits.items[i];

		kinds[w->thread == ID_NONE ? count : w->thread] |= 1u << w->kind;
	}
	for (int kind = 0; kind < WAIT_KINDS; kind++) {
		for (size_t i = 0; i <= count; i++)
			threads[kind] += kinds[i] >> kind & 1;
	}
	free(kinds);
}

static void add_kinds(struct sync *s)
{
	struct rows *rows =
		report_new_rows(s->report, "sync", NULL, kind_columns, ARRAY_LEN(kind_columns));
	uint64_t threads[WAIT_KINDS] = {0};
	struct summary *sums;

	count_threads(s, threads);
	for (size_t i = 0; i < s->waits.count; i++)
		s->group[i] = s->waits.items[i].kind;
	sums = summarize_waits(s, WAIT_KINDS);
	for (int kind = 0; kind < WAIT_KINDS; kind++) {
		rows_add(rows, cell_text(kind_names[kind]));
		add_total(s, rows, sums[kind].total);
		rows_add(rows, cell_int((int64_t)sums[kind].count));
		rows_add(rows,
			 s->waits.has_threads ? cell_int((int64_t)threads[kind]) : cell_null());
	}
	free(sums);
}

/* What a wait is told apart by, beside its kind. */
static uint32_t wait_name(struct sync *s, const struct wait *w)
{
	return line_groups_any(&s->lines) ? line_groups_call(&s->lines, w->name, w->thread,
							     (struct span){w->start_ns, w->end_ns})
					  : w->name;
}

/* Groups waits by a pair of numbers; first[] gets a wait of each group, and is the caller's. */
static size_t group_waits(struct sync *s, bool by_thread, size_t **ret_first)
{
	struct idmap groups = {0};
	size_t *first = NULL, count = 0, cap = 0;

	for (size_t i = 0; i < s->waits.count; i++) {
		const struct wait *w = &s->waits.items[i];
		uint32_t high = by_thread ? w->thread : wait_name(s, w);

		s->group[i] = idmap_number_pair(&groups, high, w->kind);
		if (s->group[i] == count) {
			MEM_GROW(first, cap, count + 1);
			first[count++] = i;
		}
	}
	idmap_free(&groups);
	*ret_first = first;
	return count;
}

static struct rows *new_call_table(const struct sync *s)
{
	const size_t count = ARRAY_LEN(call_columns);
	struct column *columns =
		arena_alloc(&s->report->arena, count + LINE_COLUMNS, sizeof(*columns));
	size_t lines;

	memcpy(columns, call_columns, sizeof(call_columns));
	lines = line_groups_columns(&s->lines, columns + count);
	if (lines)
		columns[count - 1] = raw_column;
	return report_new_rows(s->report, "sync_calls", lines ? "By call and line" : "By call",
			       columns, count + lines);
}

static void add_line(struct sync *s, struct rows *rows, const struct wait *w)
{
	struct cell cells[LINE_COLUMNS];
	const size_t count =
		line_groups_cells(&s->lines, &s->report->arena, wait_name(s, w), cells);

	for (size_t i = 0; i < count; i++)
		rows_add(rows, cells[i]);
}

static int add_calls(struct sync *s, struct err *e)
{
	struct rows *rows = new_call_table(s);
	size_t *first, count = group_waits(s, false, &first);
	struct summary *sums = summarize_waits(s, count);

	for (size_t i = 0; i < count; i++) {
		const struct wait *w = &s->waits.items[first[i]];
		struct str function = trace_name(s->trace, w->name);

		rows_add(rows, cell_str(label_api(function)));
		rows_add(rows, cell_text(kind_names[w->kind]));
		add_total(s, rows, sums[i].total);
		rows_add(rows, cell_int((int64_t)sums[i].count));
		rows_add(rows, cell_real(sums[i].mean));
		rows_add(rows, cell_real(sums[i].p50));
		rows_add(rows, cell_real(sums[i].p90));
		rows_add(rows, cell_int(sums[i].max));
		rows_add(rows, cell_str(function));
		add_line(s, rows, w);
	}
	free(sums);
	free(first);
	return rows_arrange(rows, s->rows, "total_ns", e);
}

static void add_thread_cells(const struct sync *s, struct rows *rows, uint32_t thread)
{
	const struct thread_name *name =
		thread == ID_NONE
			? NULL
			: host_names_thread(&s->host_names, s->trace->thread_keys.keys[thread]);

	rows_add(rows, pid_cell(s->trace, thread));
	rows_add(rows, tid_cell(s->trace, thread));
	rows_add(rows, name ? cell_str(name->name) : cell_null());
}

static void add_threads(struct sync *s)
{
	struct rows *rows = report_new_rows(s->report, "sync_threads", "By thread", thread_columns,
					    ARRAY_LEN(thread_columns));
	size_t *first, count = group_waits(s, true, &first);
	struct summary *sums = summarize_waits(s, count);

	for (size_t i = 0; i < count; i++) {
		const struct wait *w = &s->waits.items[first[i]];

		add_thread_cells(s, rows, w->thread);
		rows_add(rows, cell_text(kind_names[w->kind]));
		add_total(s, rows, sums[i].total);
		rows_add(rows, cell_int((int64_t)sums[i].count));
	}
	free(sums);
	free(first);
	rows_arrange_also(rows, s->rows, "total_ns");
}

static void add_notes(const struct sync *s)
{
	const struct waits *w = &s->waits;

	warn_filtered_out(s->report, w->count, s->p);
	if (w->nested)
		report_note(s->report,
			    "%llu nested calls are left out, so that their time counts once",
			    (unsigned long long)w->nested);
	if (w->without_times)
		report_warning(s->report, "%llu %s have no valid start or end and are left out",
			       (unsigned long long)w->without_times, trace_kind_title(TRACE_API));
}

static int add_answer(struct sync *s, struct err *e)
{
	int result;

	s->waited_ns = mem_alloc(s->waits.count, sizeof(*s->waited_ns));
	s->group = mem_alloc(s->waits.count, sizeof(*s->group));
	for (size_t i = 0; i < s->waits.count; i++)
		s->waited_ns[i] = s->waits.items[i].waited_ns;
	add_kinds(s);
	result = add_calls(s, e);
	add_threads(s);
	add_notes(s);
	free(s->group);
	free(s->waited_ns);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct grouped_args *a = args;
	const struct scope *p = &a->table.scope;
	struct sync s = {.trace = t, .p = p, .rows = &a->table.rows, .report = r};
	int result;

	if (window_report(r, self, t, p, s.rows, e) < 0 || waits_read(t, p, &s.waits, e) < 0)
		return -1;
	result = host_names_read(t, &s.host_names, e);
	if (result == 0 && a->by == BY_LINE)
		result = line_groups_open(&s.lines, t, e);
	if (result == 0)
		result = add_answer(&s, e);
	host_names_free(&s.host_names);
	line_groups_free(&s.lines);
	waits_free(&s.waits);
	return result;
}

static const struct topic topics_sync[] = {
	{.table = "sync_calls",
	 .subject = "synchronization wait block blocked",
	 .words = "sync synchronize synchronise synchronization synchronisation synchronous wait "
		  "waits waiting block blocks blocked blocking cudadevicesynchronize "
		  "cudastreamsynchronize barrier item",
	 .questions = "how much time is spent in synchronization\n"
		      "which synchronization call takes the longest\n"
		      "how often does the host wait for the GPU\n"
		      "how many synchronizations are there\n"
		      "how long does the CPU block on cudaStreamSynchronize\n"
		      "is the host blocked by syncs\n"
		      "how much time does the host wait\n",
	 .row = "{call} ({kind}) keeps the host waiting for {total_ns}|, {window_pct} of the "
		"window|, in {calls} calls|, {avg_ns} each on average",
	 .sum = "{calls} calls that wait, or look like it, take {total_ns} of host time",
	 .parts = "sync",
	 .part = "{kind}: {total_ns} of host time in {calls} calls",
	 .by = "total_ns",
	 .none = "the host never waits for the GPU there"},
	{0},
};

const struct analysis analysis_sync = {
	.name = "sync",
	.title = "Host waiting for the GPU",
	.order = "total time",
	.summary = "calls in which the host waits for the GPU, on purpose or not",
	.example = "gpuwhy sync trace.sqlite --span all",
	.detail = "Blocking calls return when the GPU is done: Synchronize, copies without Async, "
		  "cudaFree. Launches, memsets and asynchronous copies should return at once; such "
		  "a call blocks implicitly if it takes at least 10 times its usual duration and "
		  "at least 50 µs, because the queue is full or host memory is pageable. Only the "
		  "time above the usual counts. The usual duration of a launch is the median of "
		  "its function in its process; of a copy or memset, the median of all copies, "
		  "memsets and launches of the process, if that is lower; both over the whole "
		  "capture. Non-blocking calls (StreamWaitEvent, EventQuery, EventRecord, …) are "
		  "often mistaken for waits; they cost the host only the time shown.\n\n"
		  "By kind and by call, times are sums over threads, which can wait at the same "
		  "time: as a share of the window they can exceed 100 %. Calls that are merely "
		  "slow, such as cudaMalloc, are in `gpuwhy api`. Calls have no device: --device N "
		  "selects calls of threads that launched work on it. --by line tells apart which "
		  "line of your code makes a call, where the capture has backtraces of CUDA "
		  "calls.",
	.host = true,
	.needs = NEEDS(TRACE_API),
	.options = &by_line_options,
	.run = run,
	.topics = topics_sync,
};
