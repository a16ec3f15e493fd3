/* How long do kernels take from the call that launches them to their end? */
#include "analysis/gpu/kernel_sums.h"
#include "analysis/host/launch_list.h"
#include "analysis/host/launch_rates.h"
#include "analysis/host/queue_depth.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "trace/calls/launch.h"

#include <stdlib.h>

enum phase { TOTAL, API, QUEUE, KERNEL, PHASES };

#define PHASE_COLUMNS(word, Word)                                                \
	{word "_total_ns", Word " total", UNIT_NS, 0, NULL, SHOW_IF_ROOM},       \
		{word "_avg_ns", Word " avg", UNIT_NS, 0, NULL, MACHINE_ONLY},   \
		{word "_p50_ns", Word " p50", UNIT_NS, 0, NULL, SHOW_PREFERRED}, \
		{word "_p90_ns", Word " p90", UNIT_NS, 0, NULL, MACHINE_ONLY},   \
		{word "_p99_ns", Word " p99", UNIT_NS, 0, NULL, MACHINE_ONLY},   \
	{                                                                        \
		word "_max_ns", Word " max", UNIT_NS, 0, NULL, MACHINE_ONLY      \
	}

static const struct column name_column = {"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW};

static const struct column phase_columns[] = {
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"queued", "Queued", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	PHASE_COLUMNS("api", "API"),
	PHASE_COLUMNS("queue", "Queue"),
	PHASE_COLUMNS("kernel", "Kernel"),
	PHASE_COLUMNS("launch", "Launch"),
};

struct joined {
	struct trace *trace;
	const struct grouped_args *args;
	const struct scope *p;
	struct launches launches;
	struct line_groups lines; /* opened where rows are by line */
	struct grouping g;
	uint64_t attributed; /* kernels in groups that have a launch call */
	uint64_t kernels;    /* kernels in groups */
	struct summary *phases[PHASES];
};

/* A call and the kernel it launched. */
struct launched {
	struct span api, run;
};

static bool find_launched(const struct joined *j, uint64_t kernel, struct launched *ret)
{
	const struct events *ev = &j->trace->events[TRACE_KERNELS];
	struct api_call call;

	if (j->g.group[kernel] == GROUP_NONE || !launches_call(&j->launches, kernel, &call))
		return false;
	ret->api = (struct span){call.start_ns, api_call_end(&call)};
	ret->run = (struct span){ev->start_ns[kernel],
				 sat_add(ev->start_ns[kernel], ev->duration_ns[kernel])};
	return true;
}

/* The phase of one launch; one that ends before it begins is none. */
static struct span phase_span(const struct launched *l, enum phase phase)
{
	switch (phase) {
	case API:
		return l->api;
	case QUEUE:
		return (struct span){l->api.end_ns, l->run.start_ns};
	case KERNEL:
		return l->run;
	default:
		return (struct span){l->api.start_ns,
				     l->api.end_ns > l->run.end_ns ? l->api.end_ns : l->run.end_ns};
	}
}

/* The part of a phase in the window, or false when there is none. */
static bool phase_part(const struct joined *j, const struct launched *l, enum phase phase,
		       int64_t *ret)
{
	struct span s = phase_span(l, phase);

	*ret = sat_sub(s.end_ns, s.start_ns);
	if (phase == QUEUE && s.end_ns < s.start_ns)
		return false;
	return !j->p->has_trim || window_clip(j->p, s.start_ns, *ret, ret);
}

/* These go through one reading: each needs room for a value of every launch. */
enum { TOGETHER = KERNEL };

struct phase_reader {
	const struct joined *joined;
	int first, count;
};

static void read_phases(const void *ctx, size_t begin, size_t end, struct batch *b)
{
	const struct phase_reader *r = ctx;
	const struct joined *j = r->joined;

	for (int k = 0; k < r->count; k++) {
		b[k].value = b[k].values;
		b[k].group = b[k].groups;
	}
	for (size_t i = begin; i < end; i++) {
		struct launched l = {0};
		bool some = find_launched(j, i, &l);

		for (int k = 0; k < r->count; k++) {
			int64_t *value = &b[k].values[i - begin];
			bool in = some && phase_part(j, &l, (enum phase)(r->first + k), value);

			b[k].groups[i - begin] = in ? j->g.group[i] : GROUP_NONE;
		}
	}
}

static void summarize_phases(const struct joined *j, int first, int count, struct summary **out)
{
	const struct phase_reader r = {j, first, count};
	struct by_group values[TOGETHER];

	for (int k = 0; k < count; k++)
		values[k] = (struct by_group){.groups = j->g.count, .expected = j->g.group};
	by_group_make(values, (size_t)count, read_phases, &r,
		      j->trace->events[TRACE_KERNELS].count);
	for (int k = 0; k < count; k++) {
		out[k] = mem_alloc(j->g.count, sizeof(*out[k]));
		summarize_by_group(&values[k], out[k]);
		by_group_free(&values[k]);
	}
}

/* Whether every kernel of the groups has its call, and counts whole. */
static bool are_whole(const struct joined *j)
{
	return !j->p->has_trim && j->attributed == j->kernels;
}

static void summarize_all(struct joined *j)
{
	const struct events *ev = &j->trace->events[TRACE_KERNELS];

	summarize_phases(j, TOTAL, TOGETHER, j->phases);
	if (!are_whole(j)) {
		summarize_phases(j, KERNEL, 1, j->phases + KERNEL);
		return;
	}
	j->phases[KERNEL] = mem_alloc(j->g.count, sizeof(*j->phases[KERNEL]));
	summarize(ev->duration_ns, j->g.group, ev->count, j->g.count, j->phases[KERNEL]);
}

static void add_phase(struct rows *rows, const struct summary *s)
{
	bool some = s->count > 0;

	rows_add(rows, cell_int(s->total));
	rows_add(rows, some ? cell_real(s->mean) : cell_null());
	rows_add(rows, some ? cell_real(s->p50) : cell_null());
	rows_add(rows, some ? cell_real(s->p90) : cell_null());
	rows_add(rows, some ? cell_real(s->p99) : cell_null());
	rows_add(rows, some ? cell_int(s->max) : cell_null());
}

static struct rows *new_table(struct report *r, enum group_by by, const struct line_groups *lines)
{
	size_t most = 1 + 3 + ARRAY_LEN(phase_columns) + LINE_COLUMNS, n = 0;
	struct column *columns = arena_alloc(&r->arena, most, sizeof(*columns));
	struct rows *rows;

	columns[n++] = name_column;
	n += by_columns(by, columns + n);
	memcpy(columns + n, phase_columns, sizeof(phase_columns));
	n += ARRAY_LEN(phase_columns);
	n += line_groups_columns(lines, columns + n);
	rows = report_new_rows(r, "launches", NULL, columns, n);
	rows->table.kind = "launch";
	return rows;
}

static int add_table(struct report *r, struct joined *j, struct err *e)
{
	struct rows *rows = new_table(r, j->args->by, &j->lines);
	struct summary **phases = j->phases;

	summarize_all(j);
	for (size_t i = 0; i < j->g.count; i++) {
		const struct group_key *key = &j->g.keys[i];
		struct cell by[3], line[LINE_COLUMNS];
		size_t n = by_cells(j->args->by, j->trace, key, by);

		if (!phases[TOTAL][i].count)
			continue;
		rows_add(rows,
			 cell_str(trace_name(j->trace, line_groups_name(&j->lines, key->name))));
		for (size_t c = 0; c < n; c++)
			rows_add(rows, by[c]);
		rows_add(rows, cell_int((int64_t)phases[TOTAL][i].count));
		rows_add(rows, cell_int((int64_t)phases[QUEUE][i].count));
		add_phase(rows, &phases[API][i]);
		add_phase(rows, &phases[QUEUE][i]);
		add_phase(rows, &phases[KERNEL][i]);
		add_phase(rows, &phases[TOTAL][i]);
		n = line_groups_cells(&j->lines, &r->arena, key->name, line);
		for (size_t c = 0; c < n; c++)
			rows_add(rows, line[c]);
	}
	return rows_arrange(rows, &j->args->table.rows, "api_total_ns", e);
}

static void count_attributed(struct joined *j)
{
	const struct events *ev = &j->trace->events[TRACE_KERNELS];

	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t inside;

		if (j->g.group[i] == GROUP_NONE ||
		    (j->p->has_trim &&
		     !window_clip(j->p, ev->start_ns[i], ev->duration_ns[i], &inside)))
			continue;
		j->kernels++;
		j->attributed += launches_has_call(&j->launches, i);
	}
}

static void report_coverage(struct report *r, const struct joined *j)
{
	const uint64_t lost = j->kernels - j->attributed;

	r->has_coverage = j->kernels > 0;
	r->coverage = j->kernels ? (double)j->attributed / (double)j->kernels : 0;
	if (j->attributed < j->kernels)
		report_warning(r,
			       "%llu of %llu kernel%s %s no launch call in the trace and %s left "
			       "out: the capture starts or ends between launch and kernel",
			       (unsigned long long)lost, (unsigned long long)j->kernels,
			       j->kernels == 1 ? "" : "s", lost == 1 ? "has" : "have",
			       lost == 1 ? "is" : "are");
}

/* By device they are the same, where all launches were on one. */
static void keep_kernel_sums(const struct joined *j, const struct launch_list *list)
{
	if (are_whole(j) && !j->args->by && list->pairs.count == 1)
		kernel_sums_keep(j->trace, j->p, &j->g, j->phases[KERNEL],
				 list->pairs.all[0].device);
}

static int add_rates_and_depth(struct report *r, struct joined *j, struct err *e)
{
	struct launch_list list;
	int result = launch_list_make(j->trace, &j->launches, j->p, &list, e);

	if (result == 0) {
		launch_rates_report(r, j->trace, j->args, &list, &j->g, &j->lines,
				    j->p->has_trim ? NULL : j->phases[KERNEL]);
		keep_kernel_sums(j, &list);
		grouping_free(&j->g);
		trace_unload(j->trace, TRACE_KERNELS, COLS_ALL & ~(uint32_t)LAUNCH_LIST_COLUMNS);
		if (!r->unasked || strcmp(r->unasked, "queue_depth") != 0)
			queue_depth_report(r, &j->args->table, &list);
	}
	launch_list_free(&list);
	return result;
}

static int add_answer(struct report *r, struct joined *j, struct err *e)
{
	/* A launch counts by what of it lies in the window, not by its kernel alone. */
	struct scope unclipped = *j->p;
	const uint32_t *names = j->trace->events[TRACE_KERNELS].name;

	unclipped.has_trim = false;
	if (line_groups_names(&j->lines, TRACE_KERNELS, names, &names, e) < 0 ||
	    grouping_make(j->trace, TRACE_KERNELS, names, &unclipped, j->args->by, &j->g, e) < 0)
		return -1;
	warn_without_times(r, j->g.without_times, TRACE_KERNELS);
	count_attributed(j);
	report_coverage(r, j);
	if (add_table(r, j, e) < 0)
		return -1;
	return add_rates_and_depth(r, j, e);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct grouped_args *a = args;
	const struct scope *p = &a->table.scope;
	const uint32_t columns =
		COLS_TIMES | COL_BIT(COL_NAME) | COLS_PROCESS_DEVICE | launches_columns(t);
	const unsigned kinds = 1u << TRACE_KERNELS | 1u << TRACE_GRAPHS;
	struct joined j = {.trace = t, .args = a, .p = p};
	int result;

	if (window_report(r, self, t, p, &a->table.rows, e) < 0 ||
	    trace_load(t, TRACE_KERNELS, columns, e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_NAME, e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_START, e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_DURATION, e) < 0 ||
	    launches_join_kinds(t, kinds, &j.launches, e) < 0)
		return -1;
	result = a->by == BY_LINE ? line_groups_open(&j.lines, t, e) : 0;
	/* Only the join needed it. */
	if (a->by != BY_LINE)
		trace_unload(t, TRACE_KERNELS, COL_BIT(COL_CORRELATION));
	if (result == 0)
		result = add_answer(r, &j, e);
	for (int phase = 0; phase < PHASES; phase++)
		free(j.phases[phase]);
	grouping_free(&j.g);
	line_groups_free(&j.lines);
	launches_free(&j.launches);
	return result;
}

static const struct topic topics_launches[] = {
	{.table = "launches",
	 .subject = "launch queue overhead",
	 .words = "launch launches launched overhead latency queue queued queueing delay dispatch",
	 .questions = "how large is the launch overhead\n"
		      "how long do kernels wait in the queue\n"
		      "what is the launch latency\n"
		      "how long does a kernel launch take on the host\n"
		      "which kernels wait longest in the queue\n"
		      "how long is the delay between launch and start\n",
	 .row = "{kernel}: {launches} launches|, {api_avg_ns} for the call on average|, "
		"{queue_avg_ns} in the queue|, {kernel_avg_ns} on the GPU",
	 .sum = "{launches} launches of {#} kernels|, {api_total_ns} in the calls",
	 .by = "launch_total_ns"},
	{.table = "launch_rates",
	 .is_total = true,
	 .subject = "launch rate storm",
	 .words = "rate launches per second frequency storm many tiny small short",
	 .questions = "how many kernels are launched per second\n"
		      "what is the launch rate\n"
		      "is there a launch storm\n"
		      "how many launches per second\n",
	 .row = "process {pid} launches {launches} kernels in {over_ns}|, {launches_per_s} a "
		"second|; the median kernel takes {kernel_p50_ns}|, {under_5us_pct} take less than "
		"5 µs|, {under_10us_pct} less than 10 µs",
	 .by = "launches"},
	{.table = "tiny_kernels",
	 .subject = "tiny",
	 .words = "tiny small short little kernels",
	 .questions = "which kernels are tiny\n"
		      "are there many tiny kernels\n"
		      "which small kernels are launched most\n"
		      "list the shortest kernels\n",
	 .row = "{kernel}: {launches} launches|, {launches_pct} of all|, {p50_ns} at the median",
	 .sum = "{launches} launches of {#} tiny kernels",
	 .by = "launches",
	 .none = "no kernel is tiny"},
	{0},
};

const struct analysis analysis_launches = {
	.name = "launches",
	.title = "Kernel launches",
	.order = "time in the API call",
	.summary = "kernel launches: call, queue and execution time; launch rate",
	.example = "gpuwhy launches trace.sqlite --limit 10",
	.detail = "A launch is the CUDA call with the kernel's process and correlation id. API is "
		  "the duration of the call; Queue is from the end of the call to the start of the "
		  "kernel, if not negative; Launch is from the start of the call to the end of the "
		  "call or kernel, whichever is later.\n\n"
		  "The launch rate counts calls that begin in the window, from the first to the "
		  "last. A graph launch counts once; its kernels do not count. A launch storm is "
		  "at least 50,000 launches per second of kernels with a median of at most 10 µs, "
		  "or 100,000 with at most 20 µs. Queue depth counts launches that wait for the "
		  "GPU, from the start of the call to the start of the first kernel; --limit also "
		  "sets the number of points in time. --by line tells apart which line of your "
		  "code launches a kernel, where the capture has backtraces of CUDA calls.",
	.needs = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_API),
	.joins = true,
	.options = &grouped_options,
	.run = run,
	.topics = topics_launches,
};
