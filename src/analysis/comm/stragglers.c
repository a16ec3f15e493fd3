/* Which rank do the others wait for, and what keeps it? */
#include "analysis/cell_values.h"
#include "analysis/comm/collectives.h"
#include "analysis/comm/straggler_sets.h"
#include "analysis/gpu/timeline.h"
#include "analysis/ranks/gpus_by_rank.h"
#include "analysis/time_table.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const char *const late_keys[LATES] = {"host", "earlier_wait", "compute", "idle", "unknown"};
static const char *const late_names[LATES] = {
	[LATE_HOST] = "host: launched late",
	[LATE_EARLIER] = "earlier collective",
	[LATE_COMPUTE] = "compute: earlier work still running",
	[LATE_IDLE] = "idle: launched, but nothing ran",
	[LATE_UNKNOWN] = "unknown: launch call not in the trace",
};

/* In the order of their columns. */
static const enum late late_shown[LATES] = {LATE_HOST, LATE_COMPUTE, LATE_EARLIER, LATE_IDLE,
					    LATE_UNKNOWN};

static const struct column member_columns[] = {
	{"rank", "Rank", UNIT_ID, 0, NULL, SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW_PREFERRED},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"collectives", "Collectives", UNIT_COUNT, 0, NULL, SHOW},
	{"last", "Last", UNIT_COUNT, 0, NULL, SHOW},
	{"last_pct", "Last %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"imposed_ns", "Others' wait", UNIT_NS, 0, NULL, SHOW},
	{"waited_ns", "Own wait", UNIT_NS, 0, NULL, SHOW},
	{"worst_ns", "Max lateness", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"late_ns", "Lateness", UNIT_NS, 0, NULL, SHOW},
	{"late_host_ns", "while in host code", UNIT_NS, 0, NULL, SHOW_IF_ALL},
	{"late_compute_ns", "while computing", UNIT_NS, 0, NULL, SHOW_IF_ALL},
	{"late_earlier_wait_ns", "in earlier collective", UNIT_NS, 0, NULL, SHOW_IF_ALL},
	{"late_idle_ns", "idle", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"late_unknown_ns", "unknown", UNIT_NS, 0, NULL, MACHINE_ONLY},
};

/* They show where there is something to show. */
enum { IDLE_COLUMN = ARRAY_LEN(member_columns) - 2, UNKNOWN_COLUMN };

static const struct column class_columns[] = {
	{"collective", "Collective", UNIT_NAME, 0, "", SHOW},
	{"kernel", "Kernel", UNIT_KERNEL, 0, "kernel:", SHOW_IF_ROOM},
	{"communicator", "Communicator", UNIT_NAME, 0, "comm:", SHOW_PREFERRED},
	{"stream", "Stream", UNIT_ID, 0, "stream:", SHOW_PREFERRED},
	{"group", "Group", UNIT_NAME, 0, "group:", SHOW},
	{"ranks", "Ranks", UNIT_COUNT, 0, NULL, SHOW},
	{"collectives", "Collectives", UNIT_COUNT, 0, NULL, SHOW},
	{"wait_ns", "Total wait", UNIT_NS, 0, NULL, SHOW},
	{"skew_p50_ns", "Skew p50", UNIT_NS, 0, NULL, SHOW},
	{"skew_p90_ns", "Skew p90", UNIT_NS, 0, NULL, SHOW},
	{"skew_max_ns", "Skew max", UNIT_NS, 0, NULL, SHOW},
};

static const struct column worst_columns[] = {
	{"at_ns", "At", UNIT_TIME_NS, 0, NULL, SHOW},
	{"collective", "Collective", UNIT_NAME, 0, "", SHOW},
	{"kernel", "Kernel", UNIT_KERNEL, 0, "kernel:", MACHINE_ONLY},
	{"communicator", "Communicator", UNIT_NAME, 0, "comm:", SHOW},
	{"stream", "Stream", UNIT_ID, 0, "stream:", SHOW_PREFERRED},
	{"group", "Group", UNIT_NAME, 0, "group:", SHOW_PREFERRED},
	{"index", "Index", UNIT_ID, 0, "k:", SHOW},
	{"last_rank", "Last", UNIT_ID, 0, NULL, SHOW},
	{"last_device", "Device", UNIT_ID, 0, NULL, SHOW_PREFERRED},
	{"last_pid", "PID", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"skew_ns", "Skew", UNIT_NS, 0, NULL, SHOW},
	{"wait_ns", "Others' wait", UNIT_NS, 0, NULL, SHOW},
	{"late_host_ns", "while in host code", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"late_compute_ns", "while computing", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"late_earlier_wait_ns", "in earlier collective", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"late_idle_ns", "idle", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"late_unknown_ns", "unknown", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"cause", "Cause", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"why", "Why", UNIT_NAME, 0, NULL, SHOW},
};

enum { WORST_COMMUNICATOR = 3, WORST_STREAM = 4, WORST_GROUP = 5, WORST_DEVICE = 8 };

/* Rows of the worst are made when they are printed: there may be a million. */
struct view {
	struct trace *trace;
	const struct scope *p;
	const struct row_choice *rows;
	struct report *report;
	struct collectives c;
	struct rank_map ranks;
	struct straggler_sets sets;
	uint32_t *order;    /* of sets, by wait */
	struct str *groups; /* by class: the ranks it was told to be; empty: all that have such */
};

static uint32_t process_of(const struct view *v, size_t member)
{
	return v->c.walk.gpus.all[v->sets.members[member].gpu].process;
}

/* With --rank, only what that one does. */
static bool is_asked_for(const struct view *v, uint32_t member)
{
	const struct rank *rank = rank_of_process(&v->ranks, process_of(v, member));

	return !v->p->has_rank || (rank && rank->number == v->p->rank);
}

static int64_t sum_late(const int64_t *late_ns)
{
	int64_t sum = 0;

	for (int i = 0; i < LATES; i++)
		sum = sat_add(sum, late_ns[i]);
	return sum;
}

static enum late main_cause(const int64_t *late_ns)
{
	int most = 0;

	for (int i = 1; i < LATES; i++) {
		if (late_ns[i] > late_ns[most])
			most = i;
	}
	return (enum late)most;
}

/* To be changed before they are shown. */
static struct column *copy_columns(struct report *r, const struct column *columns, size_t count)
{
	struct column *copy = arena_alloc(&r->arena, count, sizeof(*copy));

	memcpy(copy, columns, count * sizeof(*copy));
	return copy;
}

static int add_members(struct report *r, const struct view *v, struct err *e)
{
	struct column *all = copy_columns(r, member_columns, ARRAY_LEN(member_columns));
	struct rows *rows = report_new_rows(r, "stragglers", NULL, all, ARRAY_LEN(member_columns));
	const struct process_gpus *gpus = &v->c.walk.gpus;

	rows->table.kind = "rank";
	for (size_t i = 0; i < v->sets.member_count; i++) {
		const struct member *m = &v->sets.members[i];

		if (!m->sets || !is_asked_for(v, (uint32_t)i))
			continue;
		rows_add(rows, gpu_rank_cell(&v->ranks, gpus, m->gpu));
		rows_add(rows, process_gpu_device_cell(gpus, m->gpu));
		rows_add(rows, process_gpu_pid_cell(gpus, m->gpu));
		rows_add(rows, cell_int((int64_t)m->sets));
		rows_add(rows, cell_int((int64_t)m->last));
		rows_add(rows, pct_cell((int64_t)m->last, (int64_t)m->sets));
		rows_add(rows, cell_int(m->imposed_ns));
		rows_add(rows, cell_int(m->waited_ns));
		rows_add(rows, cell_int(m->worst_ns));
		rows_add(rows, cell_int(sum_late(m->late_ns)));
		for (int l = 0; l < LATES; l++)
			rows_add(rows, cell_int(m->late_ns[late_shown[l]]));
		if (m->late_ns[LATE_IDLE])
			all[IDLE_COLUMN].show = SHOW_IF_ALL;
		if (m->late_ns[LATE_UNKNOWN])
			all[UNKNOWN_COLUMN].show = SHOW_IF_ALL;
	}
	return rows_arrange(rows, v->rows, "imposed_ns", e);
}

/* The ranks of each class that is a part of those that do the same. */
static void name_groups(struct view *v)
{
	const struct straggler_classes *x = &v->sets.classes;

	v->groups = arena_zalloc(&v->report->arena, x->count, sizeof(*v->groups));
	for (size_t i = 0; i < x->count; i++) {
		const struct set_class *class = &x->all[i];
		struct buf b = {0};

		for (size_t k = 0; class->is_group && k < class->members; k++) {
			uint32_t member = x->queues[class->first_queue + k].member;
			const struct rank *rank = rank_of_process(&v->ranks, process_of(v, member));

			buf_addf(&b, rank ? "%s%u" : "%s-", k ? ", " : "", rank ? rank->number : 0);
		}
		if (b.s)
			v->groups[i] = arena_str(&v->report->arena, str_of(b.s));
		buf_free(&b);
	}
}

/* The cells that say which class: type, kernel, communicator, stream, group. */
static struct cell *class_cells(const struct view *v, uint32_t class, struct cell *out)
{
	const struct set_class *x = &v->sets.classes.all[class];
	const struct communicator *comm = communicator_at(&v->c.calls, x->communicator);

	*out++ = cell_text(collective_type_name(x->type));
	*out++ = x->name == NAME_NONE ? cell_null() : cell_str(trace_name(v->trace, x->name));
	*out++ = communicator_cell(v->report, comm);
	*out++ = id_cell(x->stream);
	*out++ = text_or_null(v->groups[class]);
	return out;
}

static void add_classes(struct report *r, const struct view *v)
{
	struct rows *rows = report_new_rows(r, "collectives", "Arrival skew by collective",
					    class_columns, ARRAY_LEN(class_columns));
	const size_t n = v->sets.count, classes = v->sets.classes.count;
	int64_t *skew = mem_alloc(n, sizeof(*skew)), *wait = mem_zalloc(classes, sizeof(*wait));
	uint32_t *class_of = mem_alloc(n, sizeof(*class_of));
	struct summary *sums = mem_alloc(classes, sizeof(*sums));

	rows->table.kind = "collective";
	for (size_t i = 0; i < n; i++) {
		const struct straggler_set *s = &v->sets.sets[i];

		skew[i] = s->last_ns - s->first_ns;
		class_of[i] = s->class;
		wait[s->class] = sat_add(wait[s->class], s->wait_ns);
	}
	summarize(skew, class_of, n, classes, sums);
	for (size_t i = 0; i < classes; i++) {
		struct cell which[5];

		if (!sums[i].count)
			continue;
		class_cells(v, (uint32_t)i, which);
		for (size_t c = 0; c < ARRAY_LEN(which); c++)
			rows_add(rows, which[c]);
		rows_add(rows, cell_int(v->sets.classes.all[i].members));
		rows_add(rows, cell_int((int64_t)sums[i].count));
		rows_add(rows, cell_int(wait[i]));
		rows_add(rows, cell_real(sums[i].p50));
		rows_add(rows, cell_real(sums[i].p90));
		rows_add(rows, cell_int(sums[i].max));
	}
	rows_hide_empty(rows);
	free(skew);
	free(wait);
	free(class_of);
	free(sums);
	rows_arrange_also(rows, v->rows, "wait_ns");
}

static void make_worst_row(const void *ctx, uint64_t i, struct cell *out)
{
	const struct view *v = ctx;
	const struct straggler_set *s = &v->sets.sets[v->order[i]];
	const struct process_gpus *gpus = &v->c.walk.gpus;
	bool late = s->last != ID_NONE;
	uint32_t gpu = late ? v->sets.members[s->last].gpu : 0;
	enum late cause = main_cause(s->late_ns);

	*out++ = cell_int(s->last_ns);
	out = class_cells(v, s->class, out);
	*out++ = cell_int(s->k);
	*out++ = late ? gpu_rank_cell(&v->ranks, gpus, gpu) : cell_null();
	*out++ = late ? process_gpu_device_cell(gpus, gpu) : cell_null();
	*out++ = late ? process_gpu_pid_cell(gpus, gpu) : cell_null();
	*out++ = cell_int(s->last_ns - s->first_ns);
	*out++ = cell_int(s->wait_ns);
	for (int l = 0; l < LATES; l++)
		*out++ = cell_int(s->late_ns[late_shown[l]]);
	*out++ = late ? cell_text(late_keys[cause]) : cell_null();
	*out++ = late ? cell_text(late_names[cause]) : cell_null();
}

/* Which of communicator and stream tell classes apart depends on the trace. */
static void hide_unused(const struct view *v, struct column *all)
{
	bool communicators = false, streams = false, groups = false, devices = false;

	for (size_t i = 0; i < v->sets.classes.count; i++) {
		communicators |= v->sets.classes.all[i].communicator != ID_NONE;
		streams |= v->sets.classes.all[i].stream != ID_NONE;
		groups |= v->sets.classes.all[i].is_group;
	}
	/* A rank on several GPUs is told by the GPU. */
	for (size_t i = 1; i < v->sets.member_count; i++)
		devices |= process_of(v, i) == process_of(v, i - 1);
	if (!communicators)
		all[WORST_COMMUNICATOR].show = MACHINE_ONLY;
	if (!streams)
		all[WORST_STREAM].show = MACHINE_ONLY;
	if (!groups)
		all[WORST_GROUP].show = MACHINE_ONLY;
	if (!devices)
		all[WORST_DEVICE].show = MACHINE_ONLY;
}

static void add_worst(struct report *r, struct view *v)
{
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));
	struct column *all = copy_columns(r, worst_columns, ARRAY_LEN(worst_columns));
	int64_t *key = mem_alloc(v->sets.count, sizeof(*key));
	size_t n = 0;

	for (size_t i = 0; i < v->sets.count; i++)
		key[i] = -v->sets.sets[i].wait_ns;
	v->order = sort_new_order(key, v->sets.count);
	free(key);
	for (size_t i = 0; i < v->sets.count; i++) {
		uint32_t last = v->sets.sets[v->order[i]].last;

		if (!v->p->has_rank || (last != ID_NONE && is_asked_for(v, last)))
			v->order[n++] = v->order[i];
	}
	hide_unused(v, all);
	*table = (struct table){
		.name = "worst_collectives",
		.title = "Longest waits",
		.kind = "collective",
		.columns = all,
		.column_count = ARRAY_LEN(worst_columns),
		.rows = v->rows->limit && v->rows->limit < n ? v->rows->limit : n,
		.total_rows = n,
		.row = make_worst_row,
		.ctx = v,
	};
	report_table(r, table);
}

/* Clocks of several traces are right within some time only. */
static void tell_doubt(struct report *r, const struct straggler_sets *s)
{
	size_t in_doubt = 0;

	for (size_t i = 0; i < s->count; i++)
		in_doubt += s->sets[i].in_doubt;
	if (in_doubt)
		report_note(r,
			    "in %zu of %zu collectives nobody is called last: the clocks of the "
			    "traces are not right enough to tell the last two ranks apart",
			    in_doubt, s->count);
}

static void tell(struct report *r, const struct view *v)
{
	const struct straggler_sets *s = &v->sets;
	bool by_name = false, groups = false, from_the_end = false;

	for (size_t i = 0; i < s->classes.count; i++) {
		const struct set_class *class = &s->classes.all[i];

		by_name |= class->communicator == ID_NONE && class->members > 1;
		groups |= class->is_group;
		from_the_end |= class->from_the_end;
	}
	rank_map_tell(&v->ranks, r);
	if (by_name)
		report_note(
			r,
			"kernels with an unknown communicator are matched by name, and by stream "
			"if all ranks use the same streams: %s",
			groups ? "ranks that run them at the same time are treated as one group"
			       : "all ranks that run them are treated as one group");
	tell_doubt(r, s);
	if (s->apart)
		report_warning(
			r,
			"%llu matches are left out: their kernels never ran at the same time, so "
			"they are not one collective. To match by communicator, export the "
			"payloads of NCCL's NVTX ranges (nsys export --include-json true)",
			(unsigned long long)s->apart);
	if (from_the_end)
		report_note(r, "where ranks have different numbers of kernels, kernels are matched "
			       "from the last one backwards: more of them overlap that way");
	if (s->unmatched)
		report_warning(r,
			       "%llu kernels have no counterpart on another rank and are left out",
			       (unsigned long long)s->unmatched);
	if (s->alone)
		report_note(r, "%llu kernels belong to collectives of a single rank in this trace",
			    (unsigned long long)s->alone);
}

static int require_ranks(const struct view *v, struct err *e)
{
	if (v->sets.member_count > 1)
		return 0;
	err_set(e, ERR_INPUT, "'%s' has %s", v->trace->path,
		v->sets.member_count ? "communication kernels of a single rank: there is no other "
				       "rank to compare with"
				     : "no communication kernels found by name");
	e->absent = true;
	return err_hint(e, "%s",
			v->sets.member_count ? "capture all ranks of a host into one report: nsys "
					       "profile … torchrun …"
					     : "add more names with --comm REGEX");
}

static int answer(struct view *v, struct report *r, const struct analysis *self, struct err *e)
{
	/* The k-th of a rank is its k-th in the whole capture, whatever the window. */
	struct scope whole = *v->p;

	whole.has_trim = whole.has_device = whole.has_pid = false;
	if (rank_map_read(v->trace, v->p, &v->ranks, e) < 0 ||
	    collectives_make(v->trace, &whole, NULL, &v->c, e) < 0 ||
	    straggler_sets_make(v->trace, v->p, &v->c, &v->ranks, &v->sets, e) < 0 ||
	    require_ranks(v, e) < 0)
		return -1;
	if (v->p->has_trim &&
	    (v->p->from_ns >= v->c.walk.window.last_ns || v->p->to_ns <= v->c.walk.window.first_ns))
		return timeline_require(&v->c.walk.window, v->trace, v->p, e);
	if (v->p->has_trim) {
		v->c.walk.window.from_ns = v->p->from_ns;
		v->c.walk.window.to_ns = v->p->to_ns;
	}
	time_window_report(r, self, &v->c.walk.window, v->p);
	time_window_warn(r, &v->c.walk.faults);
	tell(r, v);
	if (!v->sets.count) {
		report_note(r, "no collective of several ranks matches the filters");
		return 0;
	}
	name_groups(v);
	if (add_members(r, v, e) < 0)
		return -1;
	add_classes(r, v);
	add_worst(r, v);
	return 0;
}

static void free_view(void *p)
{
	struct view *v = p;

	free(v->order);
	straggler_sets_free(&v->sets);
	collectives_free(&v->c);
	rank_map_free(&v->ranks);
}

/* All ranks are looked at: there is no --device and no --pid. */
struct stragglers_args {
	struct scope scope;
	struct row_choice rows;
	struct comm_args comm;
};

static const struct option_group stragglers_options =
	OPTIONS(struct stragglers_args,
		OPT_INCLUDE(struct stragglers_args, scope, struct scope, window_options),
		OPT_INCLUDE(struct stragglers_args, scope, struct scope, rank_options),
		OPT_INCLUDE(struct stragglers_args, comm, struct comm_args, comm_options),
		OPT_INCLUDE(struct stragglers_args, rows, struct row_choice, row_options));

/* One pass over the kernels for all that is asked of them, also by the search for steps. */
static int prepare(struct trace *t, struct err *e)
{
	return trace_load(t, TRACE_KERNELS,
			  COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_STREAM) |
				  COL_BIT(COL_NAME) | COL_BIT(COL_CORRELATION),
			  e);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct stragglers_args *a = args;
	struct view *v = arena_zalloc(&r->arena, 1, sizeof(*v));

	*v = (struct view){.trace = t, .p = &a->scope, .rows = &a->rows, .report = r};
	report_on_free(r, free_view, v);
	return answer(v, r, self, e);
}

static const struct topic topics_stragglers[] = {
	{.table = "stragglers",
	 .subject = "straggler rank",
	 .words = "straggler stragglers slow slowest late rank lag lagging behind waits "
		  "imbalance skew arrives",
	 .questions = "which rank is the straggler\n"
		      "which rank is slowest\n"
		      "is there a straggler\n"
		      "which rank arrives last\n"
		      "who holds up the others\n"
		      "how long do the ranks wait for each other\n"
		      "are the ranks balanced\n",
	 .row = "rank {rank} is last at {last} of {collectives} collectives ({last_pct})|, and "
		"makes others wait {imposed_ns}|; it waits {waited_ns} itself",
	 .by = "imposed_ns",
	 .needs = "communication",
	 .none = "no rank waits for another"},
	{0},
};

const struct analysis analysis_stragglers = {
	.name = "stragglers",
	.title = "Stragglers",
	.summary = "the rank that arrives last at collectives, and why",
	.example = "gpuwhy stragglers job.sqlite --limit 10",
	.detail = "The k-th collective of a type in a communicator on one rank is matched with the "
		  "k-th on the others. If NCCL's ranges do not name the communicator, kernels are "
		  "matched by name, and by stream if all ranks use the same streams; ranks that "
		  "are not active at the same time form separate groups. Skew is the time from the "
		  "first to the last start. Each of the other ranks waits from its own start to "
		  "the last start, or to its own end. A match in which one kernel ends before "
		  "another starts is rejected, except for Broadcast and Reduce. --trim selects "
		  "collectives whose last start is in the window. Ranks may be in one file, or in "
		  "one each: those are read on one clock.\n\n"
		  "The skew is split by what the last rank was doing: host until the launch call "
		  "of its kernel returned; then earlier collective while one was still running on "
		  "that rank; compute while other work of the rank ran; otherwise idle: launched, "
		  "but held back by something other than its own work. gpuwhy findings says who "
		  "makes steps longer, why and by how much.",
	.needs = NEEDS(TRACE_KERNELS),
	.options = &stragglers_options,
	.prepare = prepare,
	.run = run,
	.topics = topics_stragglers,
};
