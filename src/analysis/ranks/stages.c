/* How well is the communication of each rank's stages hidden behind compute? */
#include "analysis/cell_values.h"
#include "analysis/ranks/gpus_by_rank.h"
#include "analysis/ranks/rank_study.h"
#include "analysis/time_table.h"
#include "base/mem.h"

#include <stdlib.h>

struct stage_time {
	uint32_t rank, label; /* rank: index; label: a stage, or LABEL_NONE */
	uint64_t kernels;
	int64_t comm_ns, exposed_ns;	     /* of the union */
	int64_t comm_sum_ns, exposed_sum_ns; /* of each kernel, added up */
	/* Extremes of how much of a kernel is hidden, in percent; < 0: none takes any time. */
	double overlap_min, overlap_max;
	uint64_t barriers;
	int64_t barrier_ns; /* of kernels on streams that compute, which are not in the others */
};

struct stage_times {
	struct stage_time *items; /* each (rank, stage) that communicates */
	size_t count;
	struct stage_time *ranks;  /* by rank: of all its stages, and of none */
	struct stage_time *stages; /* over all ranks: sums of items */
	size_t stage_count;
	struct stage_time all; /* sum of ranks */
};

/* The communication of a stage on one device, or of all stages. */
struct group {
	uint32_t gpu;
	struct cover comm;
	struct stage_time time;
};

struct maker {
	const struct rank_study *study;
	struct group *groups; /* of a stage each */
	size_t count, cap;
	struct group *totals; /* one for each GPU */
};

static struct stage_time empty_time(uint32_t rank, uint32_t label)
{
	return (struct stage_time){
		.rank = rank, .label = label, .overlap_min = -1, .overlap_max = -1};
}

static void widen(struct stage_time *t, double min, double max)
{
	if (min < 0)
		return;
	if (t->overlap_min < 0 || min < t->overlap_min)
		t->overlap_min = min;
	if (max > t->overlap_max)
		t->overlap_max = max;
}

static void add_kernel(struct group *g, const struct cover *compute, const struct rank_comm *k)
{
	int64_t ns = sat_sub(k->end_ns, k->start_ns);
	int64_t hidden_ns = cover_between(compute, k->start_ns, k->end_ns);
	struct stage_time *t = &g->time;

	t->kernels++;
	t->comm_sum_ns = sat_add(t->comm_sum_ns, ns);
	t->exposed_sum_ns = sat_add(t->exposed_sum_ns, sat_sub(ns, hidden_ns));
	if (ns > 0) {
		double overlap = 100.0 * (double)hidden_ns / (double)ns;

		widen(t, overlap, overlap);
	}
	cover_add(&g->comm, k->start_ns, k->end_ns);
}

static void add_barrier(struct group *g, const struct rank_comm *k)
{
	g->time.barriers++;
	g->time.barrier_ns = sat_add(g->time.barrier_ns, sat_sub(k->end_ns, k->start_ns));
}

static struct group *group_of(struct maker *m, struct idmap *numbers, uint32_t gpu, uint32_t label)
{
	uint32_t number = idmap_number_pair(numbers, gpu, label);

	if (number == m->count) {
		uint32_t rank = m->study->activity.gpus[gpu].rank;

		MEM_GROW(m->groups, m->cap, m->count + 1);
		m->groups[m->count++] = (struct group){gpu, {0}, empty_time(rank, label)};
	}
	return &m->groups[number];
}

static void add_communication(struct maker *m)
{
	const struct rank_activity *a = &m->study->activity;
	struct idmap numbers = {0};

	m->totals = mem_zalloc(a->gpu_count, sizeof(*m->totals));
	for (size_t i = 0; i < a->gpu_count; i++)
		m->totals[i] =
			(struct group){(uint32_t)i, {0}, empty_time(a->gpus[i].rank, LABEL_NONE)};
	for (size_t i = 0; i < a->comm_count; i++) {
		const struct rank_comm *k = &a->comm[i];
		uint32_t gpu = a->streams[k->stream].gpu;
		struct group *g = group_of(m, &numbers, gpu, m->study->label[i]);

		if (comm_is_barrier(a, k)) {
			add_barrier(g, k);
			add_barrier(&m->totals[gpu], k);
		} else {
			add_kernel(g, &a->gpus[gpu].compute, k);
			add_kernel(&m->totals[gpu], &a->gpus[gpu].compute, k);
		}
	}
	idmap_free(&numbers);
}

/* What the union of a group's kernels comes to. */
static void measure_union(const struct rank_activity *a, struct group *g)
{
	const struct cover *compute = &a->gpus[g->gpu].compute;

	for (size_t i = 0; i < g->comm.count; i++) {
		const struct cover_piece *p = &g->comm.pieces[i];
		int64_t ns = sat_sub(p->end_ns, p->start_ns);
		int64_t hidden_ns = cover_between(compute, p->start_ns, p->end_ns);

		g->time.comm_ns = sat_add(g->time.comm_ns, ns);
		g->time.exposed_ns = sat_add(g->time.exposed_ns, sat_sub(ns, hidden_ns));
	}
	cover_free(&g->comm);
}

static void add_up_time(struct stage_time *to, const struct stage_time *t)
{
	to->kernels += t->kernels;
	to->barriers += t->barriers;
	to->comm_ns = sat_add(to->comm_ns, t->comm_ns);
	to->exposed_ns = sat_add(to->exposed_ns, t->exposed_ns);
	to->comm_sum_ns = sat_add(to->comm_sum_ns, t->comm_sum_ns);
	to->exposed_sum_ns = sat_add(to->exposed_sum_ns, t->exposed_sum_ns);
	to->barrier_ns = sat_add(to->barrier_ns, t->barrier_ns);
	widen(to, t->overlap_min, t->overlap_max);
}

static int compare_times(const void *a, const void *b)
{
	const struct stage_time *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

/* Adds groups up by label, and by rank where `by_rank` says so. */
static size_t add_up(const struct maker *m, bool by_rank, struct stage_time **ret)
{
	struct stage_time *items = mem_alloc(m->count, sizeof(*items));
	struct idmap numbers = {0};
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct stage_time *t = &m->groups[i].time;
		uint32_t rank = by_rank ? t->rank : ID_NONE;
		uint32_t number = idmap_number_pair(&numbers, rank, t->label);

		if (number == count)
			items[count++] = empty_time(rank, t->label);
		add_up_time(&items[number], t);
	}
	idmap_free(&numbers);
	if (count)
		qsort(items, count, sizeof(*items), compare_times);
	*ret = items;
	return count;
}

static void stage_times_make(const struct rank_study *s, struct stage_times *ret)
{
	const struct rank_activity *a = &s->activity;
	struct maker m = {.study = s};

	*ret = (struct stage_times){.all = empty_time(ID_NONE, LABEL_NONE)};
	add_communication(&m);
	for (size_t i = 0; i < m.count; i++)
		measure_union(a, &m.groups[i]);
	ret->count = add_up(&m, true, &ret->items);
	ret->stage_count = add_up(&m, false, &ret->stages);
	ret->ranks = mem_alloc(s->map.count, sizeof(*ret->ranks));
	for (size_t i = 0; i < s->map.count; i++)
		ret->ranks[i] = empty_time((uint32_t)i, LABEL_NONE);
	for (size_t i = 0; i < a->gpu_count; i++) {
		measure_union(a, &m.totals[i]);
		add_up_time(&ret->ranks[a->gpus[i].rank], &m.totals[i].time);
		add_up_time(&ret->all, &m.totals[i].time);
	}
	free(m.groups);
	free(m.totals);
}

static void stage_times_free(struct stage_times *st)
{
	free(st->items);
	free(st->ranks);
	free(st->stages);
	*st = (struct stage_times){0};
}

#define NO_STAGE   "(none)"
#define ALL_STAGES "(all)"

/* What all three tables say of communication. */
#define TIME_COLUMNS                                                                         \
	{"exposed_ns", "Exposed", UNIT_NS, 0, NULL, SHOW},                                   \
		{"comm_ns", "Comm time", UNIT_NS, 0, NULL, SHOW},                            \
		{"overlap_pct", "Overlap %", UNIT_PERCENT, 0, NULL, SHOW},                   \
		{"overlap_min_pct", "Min overlap %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED}, \
		{"overlap_max_pct", "Max overlap %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED}, \
		{"barrier_ns", "Barrier time", UNIT_NS, 0, NULL, SHOW},                      \
		{"kernels", "Kernels", UNIT_COUNT, 0, NULL, SHOW},                           \
		{"barriers", "Barriers", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},                 \
		{"exposed_sum_ns", "Exposed sum", UNIT_NS, 0, NULL, SHOW_IF_ROOM},           \
	{                                                                                    \
		"comm_sum_ns", "Comm sum", UNIT_NS, 0, NULL, SHOW_IF_ROOM                    \
	}

static const struct column stage_columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pp", "PP", UNIT_NAME, 0, NULL, SHOW},
	{"stage", "Stage", UNIT_NAME, 0, "stage:", SHOW},
	TIME_COLUMNS,
	{"pid", "PID", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"window_start_ns", "Window from", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"window_end_ns", "Window to", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

static const struct column all_columns[] = {
	{"stage", "Stage", UNIT_NAME, 0, "stage:", SHOW},
	TIME_COLUMNS,
};

static const struct column rank_columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pp", "PP", UNIT_NAME, 0, NULL, SHOW},
	{"compute_ns", "Compute time", UNIT_NS, 0, NULL, SHOW},
	TIME_COLUMNS,
	{"window_ns", "Window", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"pid", "PID", UNIT_ID, 0, NULL, MACHINE_ONLY},
};

static struct cell extreme_cell(double pct)
{
	return pct < 0 ? cell_null() : cell_real(pct);
}

static void add_time(struct rows *rows, const struct stage_time *t)
{
	rows_add(rows, cell_int(t->exposed_ns));
	rows_add(rows, cell_int(t->comm_ns));
	rows_add(rows, pct_cell(sat_sub(t->comm_ns, t->exposed_ns), t->comm_ns));
	rows_add(rows, extreme_cell(t->overlap_min));
	rows_add(rows, extreme_cell(t->overlap_max));
	rows_add(rows, cell_int(t->barrier_ns));
	rows_add(rows, cell_int((int64_t)t->kernels));
	rows_add(rows, cell_int((int64_t)t->barriers));
	rows_add(rows, cell_int(t->exposed_sum_ns));
	rows_add(rows, cell_int(t->comm_sum_ns));
}

static struct cell stage_cell(const struct rank_study *s, struct report *r, uint32_t label)
{
	return cell_str(arena_str(&r->arena, rank_study_label(s, label, NO_STAGE)));
}

static int add_stages(struct report *r, const struct row_choice *c, const struct rank_study *s,
		      const struct stage_times *st, struct err *e)
{
	struct rows *rows =
		report_new_rows(r, "stages", NULL, stage_columns, ARRAY_LEN(stage_columns));

	rows->table.kind = "stage";
	for (size_t i = 0; i < st->count; i++) {
		const struct stage_time *t = &st->items[i];
		const struct rank *rank = &s->map.all[t->rank];
		struct span window;

		rank_window_bounds(&s->windows, t->rank, &window);
		rows_add(rows, cell_int(rank->number));
		rows_add(rows, mesh_place_cell(r, &rank->setup.mesh[MESH_PP]));
		rows_add(rows, stage_cell(s, r, t->label));
		add_time(rows, t);
		rows_add(rows, process_pid_cell(s->trace, rank->process));
		rows_add(rows, cell_int(window.start_ns));
		rows_add(rows, cell_int(window.end_ns));
	}
	rows_hide_empty(rows);
	return rows_arrange(rows, c, "exposed_ns", e);
}

/* By rank: the union over the streams of each of its devices. */
static int64_t *compute_of_ranks(const struct rank_study *s)
{
	const struct rank_activity *a = &s->activity;
	int64_t *ns = mem_zalloc(s->map.count, sizeof(*ns));

	for (size_t i = 0; i < a->gpu_count; i++) {
		int64_t *of = &ns[a->gpus[i].rank];

		*of = sat_add(*of, cover_total(&a->gpus[i].compute));
	}
	return ns;
}

static struct rows *add_ranks(struct report *r, const struct row_choice *c,
			      const struct rank_study *s, const struct stage_times *st)
{
	struct rows *rows =
		report_new_rows(r, "ranks", "Rank balance", rank_columns, ARRAY_LEN(rank_columns));
	int64_t *compute_ns = compute_of_ranks(s);

	rows->table.kind = "rank";
	for (size_t i = 0; i < s->map.count; i++) {
		const struct rank *rank = &s->map.all[i];
		struct span window;

		if (!rank_window_bounds(&s->windows, i, &window))
			continue;
		rows_add(rows, cell_int(rank->number));
		rows_add(rows, mesh_place_cell(r, &rank->setup.mesh[MESH_PP]));
		rows_add(rows, cell_int(compute_ns[i]));
		add_time(rows, &st->ranks[i]);
		rows_add(rows, cell_int(sat_sub(window.end_ns, window.start_ns)));
		rows_add(rows, process_pid_cell(s->trace, rank->process));
	}
	free(compute_ns);
	rows_hide_empty(rows);
	rows_arrange_also(rows, c, NULL);
	return rows;
}

/* The first row is all of it: of a rank, an instant that two stages share counts once. */
static void add_all(struct report *r, const struct row_choice *c, const struct rank_study *s,
		    const struct stage_times *st)
{
	struct rows *rows = report_new_rows(r, "all_ranks", "All ranks together", all_columns,
					    ARRAY_LEN(all_columns));

	rows->table.kind = "all_ranks";
	rows_add(rows, cell_text(ALL_STAGES));
	add_time(rows, &st->all);
	for (size_t i = 0; i < st->stage_count; i++) {
		rows_add(rows, stage_cell(s, r, st->stages[i].label));
		add_time(rows, &st->stages[i]);
	}
	rows_arrange_also(rows, c, "exposed_ns");
}

static void add_totals(struct report *r, const struct row_choice *c, const struct rank_study *s,
		       const struct stage_times *st)
{
	const struct rows *ranks = add_ranks(r, c, s, st);

	if (s->activity.comm_count && ranks->table.total_rows > 1)
		add_all(r, c, s, st);
}

static void tell(const struct rank_study *s, const struct stage_times *st, struct report *r)
{
	if (s->activity.comm_count && s->map.no_ranges)
		report_note(r, "the capture has no NVTX ranges to name stages: nsys profile "
			       "--trace=cuda,nvtx records them");
	else if (s->activity.comm_count && !s->markers.labels.count)
		report_note(r,
			    "no range around a communication launch matches a stage of the preset "
			    "'%s': use --preset FILE for other names",
			    s->preset.name);
	if (st->all.barriers && !st->all.kernels)
		report_note(r, "all communication ran on streams that also compute: it is a "
			       "barrier, and none of it could overlap");
}

static int answer(const struct rank_study *s, const struct row_choice *c, struct report *r,
		  struct err *e)
{
	struct stage_times st;
	int result;

	stage_times_make(s, &st);
	tell(s, &st, r);
	result = add_stages(r, c, s, &st, e);
	if (result == 0)
		add_totals(r, c, s, &st);
	stage_times_free(&st);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	return rank_study_answer(self, t, args, STUDY_STAGES, r, answer, e);
}

static const struct topic topics_stages[] = {
	{.table = "stages",
	 .subject = "stage pipeline",
	 .words = "stage stages pipeline parallel balance balanced exposed dispatch combine ep "
		  "expert moe phase",
	 .questions = "are the pipeline stages balanced\n"
		      "which stage has the most exposed communication\n"
		      "how well is each EP phase overlapped\n"
		      "which rank and stage carries the most exposed communication\n"
		      "which pipeline stage is worst\n",
	 .row = "rank {rank}, {stage}: {exposed_ns} exposed of {comm_ns} of communication|, "
		"{overlap_pct} overlapped|, {kernels} kernels",
	 .by = "exposed_ns",
	 .needs = "communication",
	 .none = "there are no stages with communication"},
	{0},
};

const struct analysis analysis_stages = {
	.name = "stages",
	.span = SPAN_ALL,
	.title = "Stages",
	.order = "exposed communication",
	.summary = "exposed communication of each rank's stages, and rank balance",
	.example = "gpuwhy stages job.sqlite --preset pithtrain",
	.detail =
		"A communication kernel is attributed to the stage of the innermost range at its "
		"launch that matches the preset; a fused range counts as the last stage in its "
		"name. Exposed communication is not overlapped by compute of the same rank on the "
		"same device: over the union of a stage's kernels (exposed_ns, comm_ns, overlap), "
		"and summed over kernels (the sums). Min and max overlap are over kernels. "
		"Communication on a stream that also computes is a barrier, never exposed. `gpuwhy "
		"window` shows the window; kernels are clipped to it.\n\n" PRESET_HELP,
	.needs = NEEDS(TRACE_KERNELS),
	.options = &rank_window_options,
	.steps_by_rank = true,
	.run = run,
	.topics = topics_stages,
};
