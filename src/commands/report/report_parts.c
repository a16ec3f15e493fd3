/* Which answers is a report made of? */
#include "commands/report/report_parts.h"

#include "analysis/gpu/gpu_work.h"
#include "analysis/gpu/whole_run.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "options/args.h"
#include "timeline/strips/strips.h"
#include "trace/code/samples.h"
#include "trace/ops/op_class.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

/* More processes than this are not taken apart one by one. */
enum { PROCESSES_MAX = 64 };

struct recipe {
	const char *analysis;
	enum group_by by;
	uint64_t limit; /* rows that are worth keeping; 0: all */
	bool nvtx_map;	/* is about nothing but which range launched what */
};

static const struct recipe recipes[PARTS] = {
	[PART_FINDINGS] = {"findings", 0, 0, false},
	[PART_SUMMARY] = {"summary", 0, 0, false},
	[PART_KERNELS] = {"kernels", BY_DEVICE, 0, false},
	[PART_PROCESSES] = {"processes", 0, 0, false},
	[PART_LAUNCHES] = {"launches", 0, 0, false},
	[PART_SYNC] = {"sync", 0, 0, false},
	[PART_IDLE] = {"idle", 0, WHOLE_RUN_GAPS, false},
	[PART_NVTX] = {"nvtx", 0, 0, true},
	[PART_RANGES] = {"ranges", 0, 0, false},
	[PART_PHASES] = {"phases", 0, 0, false},
	[PART_GRAPHS] = {"graphs", 0, 0, false},
	[PART_MEMORY] = {"memory", 0, 0, false},
	[PART_DOCTOR] = {"doctor", 0, 0, false},
	[PART_SCHEMA] = {"schema", 0, 0, false},
	[PART_TIMINGS] = {"timings", 0, 0, true},
	[PART_STEPS] = {"iters", 0, 0, false},
	[PART_OVERLAP] = {"overlap", 0, 0, false},
	[PART_COMM] = {"nccl", 0, 0, false},
	[PART_RANKS] = {"ranks", 0, 0, false},
	[PART_STRAGGLERS] = {"stragglers", 0, 0, false},
	[PART_CODE] = {"code", 0, 0, false},
	[PART_COUNTERS] = {"metrics", 0, 0, false},
};

/* Of runs without steps, communication, samples or counters these may say nothing else than that.
 */
static bool is_optional(enum part_id id)
{
	return id >= PART_STEPS && id <= PART_COUNTERS;
}

/* Of the tables of a part, one that no section shows: the part is made without it. */
static const char *unasked_table(enum part_id id)
{
	return id == PART_LAUNCHES ? "queue_depth" : NULL;
}

/* Parts that are made one after another: what one has found out saves the next work. */
struct chain {
	size_t count;
	enum part_id ids[5];
};

/*
 * Chains are made side by side, the longest first. When the first ones are done, all but the calls
 * that launched work are forgotten, to make room.
 */
static const struct chain first_chains[] = {
	{4, {PART_FINDINGS, PART_STEPS, PART_CODE, PART_COUNTERS}},
	{3, {PART_SYNC, PART_LAUNCHES, PART_PROCESSES}},
	{1, {PART_DOCTOR}},
	{4, {PART_OVERLAP, PART_COMM, PART_RANKS, PART_STRAGGLERS}},
};
static const struct chain last_chains[] = {
	{4, {PART_NVTX, PART_PHASES, PART_TIMINGS, PART_RANGES}},
	{2, {PART_KERNELS, PART_SUMMARY}},
	{5, {PART_GRAPHS, PART_IDLE, PART_MEMORY, PART_CATEGORIES, PART_SCHEMA}},
};

/* What differs from part to part. */
struct request {
	struct scope scope;
	enum group_by by;
	uint64_t limit;
	bool no_fold, optional;
};

/* An analysis ignores what it does not take: it must not be told either. */
static void choose_scope(const struct analysis *a, const struct scope *asked, struct scope *ret)
{
	*ret = *asked;
	if (!group_has(a->options, &window_options)) {
		ret->has_trim = false;
		ret->chosen = SPAN_DEFAULT;
	}
	if (!group_has(a->options, &filter_options))
		ret->has_device = ret->has_pid = false;
}

/* The analysis's own arguments, as far as they are the report's. */
static const void *args_for(const struct analysis *a, const struct report_args *asked,
			    const struct request *q, struct arena *arena)
{
	const struct option_group *g = a->options;
	void *args = g ? arena_alloc(arena, 1, g->size) : NULL;
	struct grouped_args *grouped;
	struct row_choice *rows;
	struct fold_args *fold;

	if (!g)
		return NULL;
	args_init(g, args);
	args_copy_shared(g, args, &report_options, asked);
	if (args_scope(g, args))
		choose_scope(a, &q->scope, args_scope(g, args));
	grouped = args_part(g, args, &grouped_options);
	if (!grouped)
		grouped = args_part(g, args, &kernel_options);
	rows = args_part(g, args, &limit_options);
	fold = args_part(g, args, &fold_options);
	if (grouped)
		grouped->by = q->by;
	if (rows)
		rows->limit = q->limit;
	if (fold)
		fold->no_fold = q->no_fold;
	return args;
}

/* A report goes to others, whom the reporter's folders do not concern. */
static char *without_folders(const char *text, const char *path)
{
	const char *slash = strrchr(path, '/'), *found = strstr(text, path);
	struct buf b = {0};

	if (!slash || !found)
		return mem_strdup(text);
	buf_add(&b, text, (size_t)(found - text));
	buf_adds(&b, slash + 1);
	buf_adds(&b, found + strlen(path));
	return b.s;
}

int part_absent(const struct parts *p, struct part *part, bool optional, const struct err *e)
{
	if (!e->absent && !(optional && e->code == ERR_INPUT))
		return -1;
	part->why_not = without_folders(e->message, p->trace->path);
	return 0;
}

static int make_part(const struct parts *p, struct part *part, const char *name,
		     const struct request *q, struct err *e)
{
	const void *args;

	part->analysis = analysis_find(name, false);
	part->report.command = name;
	args = args_for(part->analysis, p->asked, q, &part->report.arena);
	if (analysis_run(part->analysis, p->trace, args, &part->report, e) == 0) {
		part->made = true;
		return 0;
	}
	return part_absent(p, part, q->optional, e);
}

/* The processes that `processes` lists. */
static void list_processes(struct parts *p)
{
	const struct table *t = part_table(&p->all[PART_PROCESSES], "processes");

	if (!t || t->rows > PROCESSES_MAX)
		return;
	p->processes = mem_zalloc(t->rows, sizeof(*p->processes));
	for (uint64_t i = 0; i < t->rows; i++) {
		struct cell pid = table_cell(t, i, "pid");

		if (pid.kind == CELL_INT)
			p->processes[p->process_count++].pid = (uint32_t)pid.i;
	}
}

/* Whether all rows of a table name the process. */
static bool all_name(const struct table *t, uint32_t pid)
{
	for (uint64_t i = 0; t && i < t->rows; i++) {
		struct cell c = table_cell(t, i, "pid");

		if (c.kind != CELL_INT || c.i != pid)
			return false;
	}
	return t && table_column(t, "pid") >= 0;
}

/* Kernels without a process would be a row of `processes`, such waits a row of `sync_threads`. */
static bool is_alone(const struct parts *p)
{
	return p->process_count == 1 && !p->asked->scope.has_pid && p->all[PART_KERNELS].made &&
	       p->all[PART_SYNC].made &&
	       part_table(&p->all[PART_PROCESSES], "processes")->rows == 1 &&
	       all_name(part_table(&p->all[PART_SYNC], "sync_threads"), p->processes[0].pid);
}

const struct part *parts_kernels_of(const struct parts *p, size_t i)
{
	return p->alone ? &p->all[PART_KERNELS] : &p->processes[i].kernels;
}

const struct part *parts_sync_of(const struct parts *p, size_t i)
{
	return p->alone ? &p->all[PART_SYNC] : &p->processes[i].sync;
}

const struct part *parts_nvtx_of(const struct parts *p, size_t i)
{
	return p->ranges_alone ? &p->all[PART_NVTX] : &p->processes[i].nvtx;
}

/* About one process. */
static struct request request_of(const struct parts *p, const struct process_parts *one)
{
	struct request q = {.scope = p->scope};

	q.scope.has_pid = true;
	q.scope.pid = one->pid;
	return q;
}

static int make_sync(struct parts *p, struct process_parts *one, struct err *e)
{
	const struct request q = request_of(p, one);

	return make_part(p, &one->sync, "sync", &q, e);
}

/* What processes wait in is told by all calls: several are asked about while these are there. */
static int make_syncs(struct parts *p, struct err *e)
{
	list_processes(p);
	for (size_t i = 0; p->process_count > 1 && i < p->process_count; i++) {
		if (make_sync(p, &p->processes[i], e) < 0)
			return -1;
	}
	return 0;
}

/* Whether names of ranges differ without their counters. */
static bool ranges_fold(struct trace *t)
{
	struct folded_names folded;
	struct range_names names;
	struct err unsaid = {0};
	bool differ;

	if (range_names_read(t, &names, &unsaid) < 0)
		return true;
	range_names_fold(t, &names, &folded);
	differ = folded.names.count != names.names.count;
	for (size_t i = 0; i < names.names.count && !differ; i++)
		differ = !str_eq(folded.names.items[folded.of_name[i]], names.names.items[i]);
	folded_names_free(&folded);
	range_names_free(&names);
	return differ;
}

static bool all_have_threads(const struct events *ranges)
{
	for (uint64_t i = 0; ranges->thread && i < ranges->count; i++) {
		if (ranges->thread[i] == ID_NONE)
			return false;
	}
	return ranges->thread;
}

/*
 * Whether ranges, and the kernels that they are a share of, are all of one process. Of a process
 * they are told with their counters, and even where all of them together are not asked about.
 */
static bool are_ranges_alone(const struct parts *p)
{
	const struct table *processes = part_table(&p->all[PART_PROCESSES], "processes");

	return p->trace->process_keys.count == 1 && processes && processes->rows == 1 &&
	       !p->asked->scope.host_only && all_have_threads(&p->trace->events[TRACE_NVTX]) &&
	       !ranges_fold(p->trace);
}

static int make_nvtx(struct parts *p, struct process_parts *one, struct err *e)
{
	struct request q = request_of(p, one);

	q.no_fold = true;
	return make_part(p, &one->nvtx, "nvtx", &q, e);
}

static int make_process(struct parts *p, struct process_parts *one, struct err *e)
{
	struct request q = request_of(p, one);

	if (p->alone)
		return 0;
	q.by = BY_DEVICE;
	if (make_part(p, &one->kernels, "kernels", &q, e) < 0)
		return -1;
	return one->sync.analysis ? 0 : make_sync(p, one, e);
}

/*
 * What rows are made from has to stay, for they are made when they are written. The calls are too
 * many to stay, and of what one analysis or the join alone asks for there is too much.
 */
static void share_columns(struct trace *t)
{
	const uint32_t seldom = COLS_GRID | COL_BIT(COL_CORRELATION);

	for (int kind = 0; kind < TRACE_KINDS; kind++)
		t->keeps_columns[kind] = kind == TRACE_API ? 0 : COLS_ALL & ~seldom;
	t->keeps_columns[TRACE_NVTX] |= COL_BIT(COL_PAYLOAD);
	/* Several parts compare the collectives of ranks in the order of their launches. */
	t->keeps_columns[TRACE_KERNELS] |= COL_BIT(COL_CORRELATION);
	t->uses_cache = t->keeps_answers = true;
}

/*
 * All that the parts ask of events, each table in one pass; what runs side by side then only reads.
 * What cannot be joined is joined by each part as far as it can, one part after the other.
 */
static int load_events(struct trace *t, bool *ret_shared, struct err *e)
{
	const uint32_t never = COL_BIT(COL_CONTEXT) | COL_BIT(COL_GREEN_CONTEXT);
	const uint32_t of_kernels = COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
				    COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE) |
				    COL_BIT(COL_STREAM) | COL_BIT(COL_CORRELATION) |
				    COL_BIT(COL_NAME) | COL_BIT(COL_GRAPH) | COLS_GRID;
	struct ops fill = {.trace = t};
	struct launches joined;

	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		uint32_t columns = kind == TRACE_KERNELS ? of_kernels : COLS_ALL & ~never;

		/* NCCL's ranges say there which rank and communicator they are of. */
		if (kind == TRACE_NVTX)
			columns |= COL_BIT(COL_PAYLOAD);
		if (kind == TRACE_NVTX && code_read_beside(t, columns, e) < 0)
			return -1;
		if (kind != TRACE_API && kind != TRACE_OSRT &&
		    trace_load(t, (enum trace_kind)kind, columns, e) < 0)
			return -1;
	}
	/* Grids are large, and needed for this alone. */
	ranges_close_open(t);
	if (ops_find_fill(&fill, e) < 0)
		return -1;
	*ret_shared =
		joinable_kinds(t) == ALL_GPU_KINDS && launches_share(t, ALL_GPU_KINDS, &joined);
	return 0;
}

/* Names of sampled code are added to those of the trace, which others read without a lock. */
static int load_samples(struct trace *t, struct err *e)
{
	struct code code;

	if (code_read(t, &code, e) < 0)
		return -1;
	code_free(&code);
	return 0;
}

/* Whether any kernel communicates, by its name, or a graph may hide one that does. */
static int look_for_exchange(struct trace *t, bool *ret, struct err *e)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	uint8_t *class_of_name;

	if (op_class_of_names(t, &class_of_name, e) < 0)
		return -1;
	*ret = t->events[TRACE_GRAPHS].count > 0;
	for (uint64_t i = 0; ev->name && i < ev->count && !*ret; i++)
		*ret = ev->name[i] != NAME_NONE && class_of_name[ev->name[i]] == OP_COMM;
	free(class_of_name);
	return 0;
}

/* Whether there may be several ranks: the only one is not compared with anything. */
static bool look_for_ranks(const struct trace *t)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	bool several = t->process_keys.count > 1;

	for (uint64_t i = 1; ev->device && i < ev->count && !several; i++)
		several = ev->device[i] != ev->device[0];
	return several;
}

/* Of a run that exchanges nothing these have nothing to tell, after a walk over all of it each. */
static bool is_about_exchange(enum part_id id)
{
	return id == PART_OVERLAP || id == PART_COMM || id == PART_STRAGGLERS;
}

static int make_by_recipe(struct parts *p, enum part_id id, struct err *e)
{
	const struct request q = {.scope = p->scope,
				  .by = recipes[id].by,
				  .limit = recipes[id].limit,
				  .optional = is_optional(id)};

	if (id == PART_CATEGORIES)
		return parts_make_categories(p, e);
	if ((recipes[id].nvtx_map && q.scope.host_only) ||
	    (is_about_exchange(id) && !p->exchanges) || (id == PART_RANKS && !p->has_ranks))
		return 0;
	p->all[id].report.unasked = unasked_table(id);
	if (make_part(p, &p->all[id], recipes[id].analysis, &q, e) < 0)
		return -1;
	return id == PART_COUNTERS && p->all[id].made ? parts_add_counters(p, e) : 0;
}

/* What is told of each process's ranges comes after these chains: the first asks for the same. */
enum { APART = 2 };

/* What is made side by side: chains, and what is told of each process's ranges. */
struct wave {
	struct parts *parts;
	const struct chain *chains;
	size_t chain_count;
	size_t processes;
};

static int make_chain(struct parts *p, const struct chain *chain, struct err *e)
{
	for (size_t i = 0; i < chain->count; i++) {
		if (make_by_recipe(p, chain->ids[i], e) < 0)
			return -1;
		progress_step();
	}
	return 0;
}

static int make_some(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct wave *w = ctx;
	struct parts *p = w->parts;
	int result = 0;

	(void)worker;
	for (size_t i = begin; i < end && result == 0; i++)
		result = i >= APART && i < APART + w->processes
				 ? make_nvtx(p, &p->processes[i - APART], e)
				 : make_chain(p, &w->chains[i < APART ? i : i - w->processes], e);
	return result;
}

static int make_wave(struct wave *w, bool side_by_side, struct err *e)
{
	size_t count = w->chain_count + w->processes;

	return parallel_for(count, side_by_side ? 1 : count, make_some, w, e);
}

/* While all calls are there. What a page lacks in pictures is no reason to be without it. */
static int make_strips(struct parts *p, struct err *e)
{
	struct part *findings = &p->all[PART_FINDINGS];

	if (!findings->made || strips_make(p->trace, &findings->report, e) == 0)
		return 0;
	return e->code == ERR_INPUT ? 0 : -1;
}

static int make_all(struct parts *p, struct trace *t, struct err *e)
{
	struct wave first = {p, first_chains, ARRAY_LEN(first_chains), 0};
	struct wave last = {p, last_chains, ARRAY_LEN(last_chains), 0};
	bool shared;

	share_columns(t);
	if (load_events(t, &shared, e) < 0 || look_for_exchange(t, &p->exchanges, e) < 0 ||
	    asked_make_first(p, e) < 0 ||
	    default_window(t, &p->scope, SPAN_WARM, &p->all[PART_FINDINGS].report, e) < 0)
		return -1;
	/* Threads get their numbers as they are met: those that make no CUDA call, too. */
	if (trace_load(t, TRACE_OSRT, COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME), e) < 0)
		return -1;
	if (load_samples(t, e) < 0)
		return -1;
	p->has_ranks = look_for_ranks(t);
	progress_hold("writing the report", PARTS_ALWAYS);
	if (make_wave(&first, shared, e) < 0)
		return -1;
	if (make_syncs(p, e) < 0 || make_strips(p, e) < 0)
		return -1;
	launches_forget_shared_calls(t);
	p->ranges_alone = are_ranges_alone(p);
	last.processes = p->ranges_alone ? 0 : p->process_count;
	return make_wave(&last, shared, e);
}

int parts_make(struct parts *p, struct trace *t, const struct report_args *a, struct err *e)
{
	int result;

	*p = (struct parts){.trace = t, .asked = a, .scope = a->scope};
	/* Read before the work is done: who waits should not wait for what a file refuses. */
	if (asked_read(p, e) < 0)
		return -1;
	result = make_all(p, t, e);
	progress_release();
	if (result < 0)
		return -1;
	p->alone = is_alone(p);
	for (size_t i = 0; i < p->process_count; i++) {
		if (make_process(p, &p->processes[i], e) < 0)
			return -1;
	}
	return asked_make_last(p, e);
}

static void free_part(struct part *part)
{
	report_free(&part->report);
	free(part->why_not);
}

void parts_free(struct parts *p)
{
	for (int i = 0; i < PARTS; i++)
		free_part(&p->all[i]);
	for (size_t i = 0; i < p->process_count; i++) {
		free_part(&p->processes[i].kernels);
		free_part(&p->processes[i].sync);
		free_part(&p->processes[i].nvtx);
	}
	free(p->processes);
	ncu_study_free(&p->study);
	ncu_free(&p->ncu);
	*p = (struct parts){0};
}

const struct table *part_table(const struct part *part, const char *name)
{
	return report_find_table(&part->report, name);
}
