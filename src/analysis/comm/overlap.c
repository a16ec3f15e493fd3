/* How much of the communication hides behind compute, and which is left exposed? */
#include "analysis/cell_values.h"
#include "analysis/comm/comm_walk.h"
#include "analysis/gpu/timeline.h"
#include "analysis/processes/rank_map.h"
#include "analysis/ranks/gpus_by_rank.h"
#include "analysis/steps/iterations.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "report/chart.h"

#include <stdlib.h>

/* The five parts of a time on a GPU as the columns of a table. */

/* clang-format off */
#define COMM_PART_COLUMNS                                                                          \
	{"overlap_pct", "Overlap %", UNIT_PERCENT, 0, NULL, SHOW},                                   \
	{"comm_only_ns", "Exposed comm", UNIT_NS, 0, NULL, SHOW},                                     \
	{"comm_only_pct", "Exposed %", UNIT_PERCENT, 0, NULL, SHOW},                                 \
	{"both_ns", "Overlapped comm", UNIT_NS, 0, NULL, SHOW},                                               \
	{"compute_only_ns", "Compute only", UNIT_NS, 0, NULL, SHOW_PREFERRED},                               \
	{"copy_only_ns", "Exposed copy", UNIT_NS, 0, NULL, SHOW_PREFERRED},                                     \
	{"idle_ns", "Idle", UNIT_NS, 0, NULL, SHOW},                                               \
	{"comm_ns", "Total comm", UNIT_NS, 0, NULL, SHOW_IF_ROOM}
/* clang-format on */

/* `window_ns` is what the parts sum up to. */
static inline void comm_parts_cells(struct rows *rows, const int64_t ns[COMM_PARTS],
				    int64_t window_ns)
{
	int64_t comm_ns = ns[PART_BOTH] + ns[PART_COMM];

	rows_add(rows, pct_cell(ns[PART_BOTH], comm_ns));
	rows_add(rows, cell_int(ns[PART_COMM]));
	rows_add(rows, pct_cell(ns[PART_COMM], window_ns));
	rows_add(rows, cell_int(ns[PART_BOTH]));
	rows_add(rows, cell_int(ns[PART_COMPUTE]));
	rows_add(rows, cell_int(ns[PART_COPY]));
	rows_add(rows, cell_int(ns[PART_IDLE]));
	rows_add(rows, cell_int(comm_ns));
}

/* What each rank did in each step of the run: the parts of overlap, step by step. */

struct comm_steps {
	struct iterations it;
	struct comm_marks *marks; /* by lane: where each step's own time begins and ends */
};

static const struct column step_columns[] = {
	{"iteration", "Step", UNIT_ID, 0, "iter:", SHOW},
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW_IF_ROOM},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"start_ns", "Start", UNIT_TIME_NS, 0, NULL, SHOW_PREFERRED},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	COMM_PART_COLUMNS,
	{"end_ns", "End", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

/* ERR_INPUT, marked absent, where the run shows no steps. Whoever asks frees it. */
static int comm_steps_find(struct trace *t, const struct scope *p, struct comm_steps *ret,
			   struct err *e)
{
	struct iterations *it = &ret->it;

	*ret = (struct comm_steps){0};
	if (iterations_read(t, p, it, e) < 0)
		return -1;
	ret->marks = mem_zalloc(it->lane_count, sizeof(*ret->marks));
	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration_lane *lane = &it->lanes[i];
		const struct iteration *steps = lane_steps(it, lane);
		struct comm_marks *marks = &ret->marks[i];

		*marks = (struct comm_marks){lane->process, 2 * lane->count, NULL};
		marks->at_ns = mem_alloc(marks->count, sizeof(*marks->at_ns));
		for (size_t k = 0; k < lane->count; k++) {
			marks->at_ns[2 * k] = steps[k].from_ns;
			marks->at_ns[2 * k + 1] = steps[k].to_ns;
		}
	}
	return 0;
}

static void comm_steps_free(struct comm_steps *s)
{
	for (size_t i = 0; s->marks && i < s->it.lane_count; i++)
		free(s->marks[i].at_ns);
	free(s->marks);
	iterations_free(&s->it);
}

struct step_view {
	const struct comm_steps *steps;
	const struct comm_walk *walk;
	const struct rank_map *ranks;
	const struct scope *p;
	size_t cut; /* steps that lie in the window in part */
};

static bool is_outside(const struct scope *p, const struct iteration *s)
{
	/* Of several processes the window goes from the first one's step to the last one's. */
	if (p->in_iteration)
		return s->number != p->iteration;
	return p->has_trim && (s->to_ns <= p->from_ns || s->from_ns >= p->to_ns);
}

/* A step that --trim cuts is none. */
static bool is_cut(const struct scope *p, const struct iteration *s)
{
	return p->has_trim && (s->from_ns < p->from_ns || s->to_ns > p->to_ns);
}

static void add_step(struct rows *rows, const struct step_view *v, uint32_t gpu,
		     const struct iteration *s, const int64_t (*kept)[COMM_PARTS])
{
	int64_t ns[COMM_PARTS], busy_ns = 0;

	for (int part = 0; part < PART_IDLE; part++) {
		ns[part] = kept[1][part] - kept[0][part];
		busy_ns += ns[part];
	}
	/* A step may begin before the first op, and end after the last. */
	ns[PART_IDLE] = iteration_ns(s) - busy_ns;
	rows_add(rows, cell_int(s->number));
	rows_add(rows, gpu_rank_cell(v->ranks, &v->walk->gpus, gpu));
	rows_add(rows, process_gpu_device_cell(&v->walk->gpus, gpu));
	rows_add(rows, process_gpu_pid_cell(&v->walk->gpus, gpu));
	rows_add(rows, cell_int(s->from_ns));
	rows_add(rows, cell_int(iteration_ns(s)));
	comm_parts_cells(rows, ns, iteration_ns(s));
	rows_add(rows, cell_int(s->to_ns));
}

/* Returns how many steps lie in the window. */
static size_t add_steps_of_gpu(struct rows *rows, struct step_view *v, uint32_t gpu)
{
	const struct comm_gpu *x = &v->walk->at[gpu];
	const struct iterations *it = &v->steps->it;
	const struct iteration_lane *lane = &it->lanes[x->marks - v->steps->marks];
	size_t added = 0;

	for (size_t i = 0; i < lane->count; i++) {
		const struct iteration *s = &lane_steps(it, lane)[i];

		if (is_outside(v->p, s))
			continue;
		if (is_cut(v->p, s)) {
			v->cut++;
			continue;
		}
		add_step(rows, v, gpu, s, (const int64_t(*)[COMM_PARTS]) & x->kept[2 * i]);
		added++;
	}
	return added;
}

static int no_step_inside(const struct trace *t, struct err *e)
{
	err_set(e, ERR_INPUT, "none of the steps of '%s' is inside that window", t->path);
	return err_hint(e, "gpuwhy iters lists them all");
}

/* `w` was walked with these marks. */
static int comm_steps_report(struct report *r, const struct comm_steps *s,
			     const struct comm_walk *w, const struct rank_map *ranks,
			     const struct table_args *a, struct err *e)
{
	struct step_view v = {s, w, ranks, &a->scope, 0};
	struct rows *rows = report_new_rows(r, "overlap_iterations", "Step by step", step_columns,
					    ARRAY_LEN(step_columns));
	uint32_t *order = gpus_by_rank(ranks, &w->gpus);
	size_t added = 0, without = 0;

	rows->table.kind = "overlap_iteration";
	for (size_t i = 0; i < w->gpus.count; i++) {
		if (!comm_walk_has(w, order[i]))
			continue;
		if (w->at[order[i]].marks)
			added += add_steps_of_gpu(rows, &v, order[i]);
		else
			without++;
	}
	free(order);
	if (!added)
		return no_step_inside(w->gpus.trace, e);
	report_note(r, "Steps: %s.", s->it.how);
	if (v.cut)
		report_note(r, "%zu steps are only partly inside the window and are left out",
			    v.cut);
	if (without)
		report_note(r, "%zu of the rows above belong to processes without steps", without);
	return rows_arrange(rows, &a->rows, NULL, e);
}

static const struct column columns[] = {
	{"rank", "Rank", UNIT_ID, 0, NULL, SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"window_ns", "Window", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	COMM_PART_COLUMNS,
	{"comm_kernels", "Comm kernels", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
};

static const struct column kernel_columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"exposed_ns", "Exposed", UNIT_NS, 0, NULL, SHOW},
	{"exposed_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"overlap_pct", "Overlap %", UNIT_PERCENT, 0, NULL, SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"exposed_max_ns", "Longest exposed", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
};

static const struct chart_part chart_parts[] = {
	{"compute", HUE_COMPUTE},    {"compute and communication", HUE_NEXT},
	{"communication", HUE_COMM}, {"copy", HUE_COPY},
	{"idle", HUE_IDLE},
};

struct overlap_args {
	struct table_args table;
	struct comm_args comm;
	struct fold_args fold;
	enum group_by by;
};

struct view {
	struct trace *trace;
	const struct overlap_args *args;
	const struct scope *p;
	struct comm_walk walk;
	struct comm_steps steps; /* with --by iteration */
	struct rank_map ranks;
};

/* Communication kernels of one name. */
struct exposure {
	uint32_t name;
	int64_t exposed_ns, total_ns, longest_ns;
	uint64_t count;
};

static void add_gpu(struct rows *rows, const struct view *v, uint32_t gpu)
{
	const struct comm_gpu *x = &v->walk.at[gpu];
	int64_t window_ns = v->walk.window.to_ns - v->walk.window.from_ns;

	rows_add(rows, gpu_rank_cell(&v->ranks, &v->walk.gpus, gpu));
	rows_add(rows, process_gpu_device_cell(&v->walk.gpus, gpu));
	rows_add(rows, process_gpu_pid_cell(&v->walk.gpus, gpu));
	rows_add(rows, cell_int(window_ns));
	comm_parts_cells(rows, x->ns, window_ns);
	rows_add(rows, cell_int((int64_t)x->kernels));
}

static void add_bar(struct chart *c, struct report *r, const struct view *v, size_t item,
		    uint32_t gpu)
{
	const struct rank *rank = rank_of_process(&v->ranks, v->walk.gpus.all[gpu].process);
	double *parts = chart_item(c, item);

	c->labels[item] = rank ? str_of(arena_printf(&r->arena, "rank %u", rank->number))
			       : STR_LIT("unknown rank");
	for (int part = 0; part < COMM_PARTS; part++)
		parts[part] = (double)v->walk.at[gpu].ns[part];
}

static void add_gpus(struct report *r, const struct view *v)
{
	uint32_t *order = gpus_by_rank(&v->ranks, &v->walk.gpus);
	struct chart *chart;
	struct rows *rows;
	size_t shown = 0;

	for (size_t i = 0; i < v->walk.gpus.count; i++) {
		if (comm_walk_has(&v->walk, order[i]))
			order[shown++] = order[i];
	}
	chart = report_new_chart(r, CHART_STACK, "Each rank's time", UNIT_NS, shown, chart_parts,
				 ARRAY_LEN(chart_parts));
	rows = report_new_rows(r, "overlap", NULL, columns, ARRAY_LEN(columns));
	for (size_t i = 0; i < shown; i++) {
		add_bar(chart, r, v, i, order[i]);
		add_gpu(rows, v, order[i]);
	}
	free(order);
}

static struct exposure *sum_by_name(const struct view *v, size_t *ret_count)
{
	const uint32_t *names = v->trace->events[TRACE_KERNELS].name;
	struct idmap numbers = {0};
	struct exposure *all = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < v->walk.kernel_count; i++) {
		const struct comm_kernel *k = &v->walk.kernels[i];
		uint32_t number = idmap_add(&numbers, names[k->row], (uint32_t)count);
		struct exposure *x;

		if (number >= count) {
			MEM_GROW(all, cap, count + 1);
			all[count++] = (struct exposure){.name = names[k->row]};
		}
		x = &all[number];
		x->count++;
		x->exposed_ns = sat_add(x->exposed_ns, k->exposed_ns);
		x->total_ns = sat_add(x->total_ns, comm_kernel_ns(k));
		if (k->exposed_ns > x->longest_ns)
			x->longest_ns = k->exposed_ns;
	}
	idmap_free(&numbers);
	*ret_count = count;
	return all;
}

static int add_kernels(struct report *r, const struct view *v, struct err *e)
{
	struct rows *rows = report_new_rows(r, "exposed_kernels", "Communication kernels",
					    kernel_columns, ARRAY_LEN(kernel_columns));
	int64_t exposed_ns = 0;
	size_t count;
	struct exposure *all = sum_by_name(v, &count);

	rows->table.kind = "kernel";
	for (size_t i = 0; i < count; i++)
		exposed_ns = sat_add(exposed_ns, all[i].exposed_ns);
	for (size_t i = 0; i < count; i++) {
		const struct exposure *x = &all[i];

		rows_add(rows, cell_str(trace_name(v->trace, x->name)));
		rows_add(rows, cell_int(x->exposed_ns));
		rows_add(rows, pct_cell(x->exposed_ns, exposed_ns));
		rows_add(rows, cell_int(x->total_ns));
		rows_add(rows, pct_cell(x->total_ns - x->exposed_ns, x->total_ns));
		rows_add(rows, cell_int((int64_t)x->count));
		rows_add(rows, cell_int(x->longest_ns));
	}
	free(all);
	return rows_arrange(rows, &v->args->table.rows, "exposed_ns", e);
}

/* The rows are of each rank's own work: on a GPU that several share they do not add up to it. */
static void note_sharing(struct report *r, const struct view *v)
{
	const struct process_gpus *x = &v->walk.gpus;
	struct idmap seen = {0};
	size_t gpus = 0;

	for (size_t i = 0; i < x->count; i++) {
		uint32_t process = x->all[i].process;

		if (!comm_walk_has(&v->walk, (uint32_t)i) || x->all[i].device == ID_NONE)
			continue;
		/* Every host has a device 0. */
		idmap_number_pair(
			&seen,
			process == ID_NONE ? 0 : process_host(v->trace->process_keys.keys[process]),
			x->all[i].device);
		gpus++;
	}
	if (gpus > seen.count)
		report_note(r, "several processes share a GPU: each row covers only that process's "
			       "work; gpuwhy summary shows the whole GPU");
	idmap_free(&seen);
}

static int add_answer(struct report *r, const struct view *v, struct err *e)
{
	if (v->ranks.count > 1)
		rank_map_tell(&v->ranks, r);
	note_sharing(r, v);
	if (v->trace->events[TRACE_GRAPHS].count)
		report_warning(r, "CUDA graphs recorded as a whole count as compute: communication "
				  "inside them is hidden; capture with --cuda-graph-trace=node");
	add_gpus(r, v);
	if (v->args->by == BY_ITERATION)
		return comm_steps_report(r, &v->steps, &v->walk, &v->ranks, &v->args->table, e);
	if (!v->walk.kernel_count) {
		report_note(
			r,
			"no communication kernels found by name; add more names with --comm REGEX");
		return 0;
	}
	if (v->args->by == BY_NVTX)
		return comm_ranges_report(r, v->trace, &v->walk, &v->args->table.rows,
					  v->args->fold.no_fold, e);
	return add_kernels(r, v, e);
}

static int walk_work(struct view *v, struct err *e)
{
	struct comm_question q = {.process = v->ranks.asked};

	if (v->args->by == BY_ITERATION) {
		if (comm_steps_find(v->trace, v->p, &v->steps, e) < 0)
			return -1;
		q.marks = v->steps.marks;
		q.mark_count = v->steps.it.lane_count;
	}
	return comm_walk_make(v->trace, v->p, &q, &v->walk, e);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct overlap_args *a = args;
	const struct scope *p = &a->table.scope;
	struct view v = {.trace = t, .args = a, .p = p};
	int result;

	if (rank_map_read(t, p, &v.ranks, e) < 0)
		return -1;
	result = walk_work(&v, e);
	if (result == 0) {
		time_window_report(r, self, &v.walk.window, p);
		time_window_warn(r, &v.walk.faults);
		result = add_answer(r, &v, e);
	}
	comm_walk_free(&v.walk);
	comm_steps_free(&v.steps);
	rank_map_free(&v.ranks);
	return result;
}

static const struct option_word by_words[] = {
	{"nvtx", BY_NVTX}, {"iteration", BY_ITERATION}, {NULL, 0}};

static const struct option_group overlap_options =
	OPTIONS(struct overlap_args,
		OPT_INCLUDE(struct overlap_args, table, struct table_args, step_table_options),
		OPT_INCLUDE(struct overlap_args, table.scope, struct scope, rank_options),
		OPT_INCLUDE(struct overlap_args, comm, struct comm_args, comm_options),
		OPT_BY(struct overlap_args, by, by_words),
		OPT_INCLUDE(struct overlap_args, fold, struct fold_args, fold_options));

static const struct topic topics_overlap[] = {
	{.table = "overlap",
	 .subject = "overlap exposed hidden",
	 .words = "idle overlap overlapped overlapping hidden hide exposed concurrent concurrently "
		  "communication comm compute nccl same time",
	 .questions = "is NCCL overlapping with compute\n"
		      "how well is communication overlapped with compute\n"
		      "how much communication is hidden\n"
		      "how much communication is exposed\n"
		      "what percentage of communication overlaps\n"
		      "which rank has the most exposed communication\n"
		      "does communication run at the same time as compute\n",
	 .row = "rank {rank}| on GPU {device}|: {overlap_pct} of the communication is overlapped "
		"({both_ns})|, {comm_only_ns} is exposed ({comm_only_pct} of the window)|, "
		"{comm_ns} of communication in all",
	 .by = "comm_only_ns",
	 .needs = "communication",
	 .none = "there is no communication"},
	{.table = "exposed_kernels",
	 .subject = "exposed",
	 .words = "exposed kernels communication not hidden",
	 .questions = "which collectives are exposed\n"
		      "which communication kernel is exposed most\n"
		      "which NCCL kernels are not hidden behind compute\n",
	 .row = "{kernel}: {exposed_ns} of {total_ns} is exposed|, {overlap_pct} overlapped|, "
		"{count} kernels",
	 .by = "exposed_ns",
	 .needs = "communication",
	 .none = "there is no communication"},
	{0},
};

const struct analysis analysis_overlap = {
	.name = "overlap",
	.title = "Overlap of compute and communication",
	.summary = "compute, communication and their overlap, of each rank",
	.example = "gpuwhy overlap job.sqlite --by iteration",
	.detail =
		"At every instant of the window a rank's GPU only computes, only communicates, "
		"does both, only copies, or is idle. The five add up to the window, to the "
		"nanosecond. Overlap is the share of communication time that compute overlaps.\n\n"
		"The second table lists communication kernels by exposed time; kernels that run at "
		"the same time both count. --by nvtx groups them by the innermost range of their "
		"launch, ignoring NCCL's own ranges. --by iteration shows the five parts of each "
		"step instead (`gpuwhy iters` defines steps). --sort and --limit apply to this "
		"table.",
	.needs_any = NEEDS_GPU_WORK,
	.options = &overlap_options,
	.run = run,
	.topics = topics_overlap,
};
