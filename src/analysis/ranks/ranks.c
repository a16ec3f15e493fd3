/* Which process is which rank, and how is the work shared among them? */
#include "analysis/cell_values.h"
#include "analysis/gpu/gpu_work.h"
#include "analysis/gpu/timeline.h"
#include "analysis/processes/rank_map.h"
#include "analysis/ranks/gpus_by_rank.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/pairs.h"
#include "base/parallel.h"
#include "trace/system/machine.h"

#include <stdlib.h>

enum { COLUMN_HOST = 3 };

static const struct column columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pid", "PID", UNIT_ID, 0, NULL, SHOW},
	{"process", "Process", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	[COLUMN_HOST] = {"host", "Host", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"streams", "Streams", UNIT_COUNT, 0, NULL, SHOW},
	{"kernels", "Kernels", UNIT_COUNT, 0, NULL, SHOW},
	{"kernel_ns", "Kernel time", UNIT_NS, 0, NULL, SHOW},
	{"pp", "PP", UNIT_NAME, 0, NULL, SHOW},
	{"dp", "DP", UNIT_NAME, 0, NULL, SHOW},
	{"tp", "TP", UNIT_NAME, 0, NULL, SHOW},
	{"cp", "CP", UNIT_NAME, 0, NULL, SHOW},
	{"ep", "EP", UNIT_NAME, 0, NULL, SHOW},
	{"micro_batch", "Micro batch", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"sequence", "Sequence", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"label", "Label", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

/* What a rank did on one device, in the window. */
struct rank_work {
	uint32_t rank; /* index in the map */
	uint32_t device;
	uint64_t kernels, streams;
	int64_t kernel_ns;
};

struct works {
	struct rank_work *all; /* by rank, then device */
	size_t count, cap;
};

/* The kernels of one of a rank's streams, in a run of rows. */
struct stream_work {
	uint32_t rank, device, stream;
	uint64_t kernels;
	int64_t ns;
};

/* Those of a run, in the order in which they are met. */
struct tally {
	struct stream_work *all;
	size_t count, cap;
};

struct tallying {
	const struct gpu_work *work;
	const struct rank_map *ranks;
	struct tally *runs; /* of PARALLEL_ROWS */
};

static void tally_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct tallying *x = ctx;
	const struct events *ev = &x->work->trace->events[TRACE_KERNELS];
	struct tally *t = &x->runs[begin / PARALLEL_ROWS];
	struct pairs places = {0}, streams = {0};

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const struct rank *rank = rank_of_process(x->ranks, ev->process[i]);
		struct stream_work at = {.device = ev->device ? ev->device[i] : ID_NONE,
					 .stream = ev->stream ? ev->stream[i] : ID_NONE};
		struct span part;
		uint32_t number;

		if (!rank || !gpu_work_part(x->work, TRACE_KERNELS, i, &part))
			continue;
		at.rank = (uint32_t)(rank - x->ranks->all);
		number = pairs_number(&streams, pairs_number(&places, at.rank, at.device),
				      at.stream);
		if (number == t->count) {
			MEM_GROW(t->all, t->cap, t->count + 1);
			t->all[t->count++] = at;
		}
		t->all[number].kernels++;
		t->all[number].ns = sat_add(t->all[number].ns, sat_sub(part.end_ns, part.start_ns));
	}
	pairs_free(&places);
	pairs_free(&streams);
}

static struct rank_work *work_on(struct works *works, struct pairs *numbers, uint32_t rank,
				 uint32_t device, uint32_t *ret_number)
{
	*ret_number = pairs_number(numbers, rank, device);
	if (*ret_number == works->count) {
		MEM_GROW(works->all, works->cap, works->count + 1);
		works->all[works->count++] = (struct rank_work){.rank = rank, .device = device};
	}
	return &works->all[*ret_number];
}

static void add_tally(struct works *works, const struct tally *t, struct pairs *numbers,
		      struct pairs *streams)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct stream_work *from = &t->all[i];
		const size_t before = pairs_count(streams);
		struct rank_work *of;
		uint32_t number;

		of = work_on(works, numbers, from->rank, from->device, &number);
		of->kernels += from->kernels;
		of->kernel_ns = sat_add(of->kernel_ns, from->ns);
		if (from->stream != ID_NONE)
			pairs_number(streams, number, from->stream);
		of->streams += pairs_count(streams) > before;
	}
}

/* By the ordinals of each rank's process; which GPUs those are is found out afterwards. */
static void add_kernels(const struct gpu_work *w, const struct rank_map *m, struct works *works)
{
	const struct events *ev = &w->trace->events[TRACE_KERNELS];
	const size_t runs = ev->process ? ev->count / PARALLEL_ROWS + 1 : 0;
	struct tallying x = {w, m, mem_zalloc(runs, sizeof(*x.runs))};
	struct pairs numbers = {0}, streams = {0};

	parallel_each(runs ? ev->count : 0, PARALLEL_ROWS, tally_some, &x);
	for (size_t i = 0; i < runs; i++) {
		add_tally(works, &x.runs[i], &numbers, &streams);
		free(x.runs[i].all);
	}
	free(x.runs);
	pairs_free(&numbers);
	pairs_free(&streams);
}

static int compare_works(const void *a, const void *b)
{
	const struct rank_work *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/* A rank without work has a row, too, with the device that is its own otherwise. */
static void add_idle(struct works *works, const struct rank_map *m)
{
	bool *works_here = mem_zalloc(m->count, sizeof(*works_here));

	for (size_t i = 0; i < works->count; i++)
		works_here[works->all[i].rank] = true;
	for (size_t i = 0; i < m->count; i++) {
		if (works_here[i])
			continue;
		MEM_GROW(works->all, works->cap, works->count + 1);
		works->all[works->count++] =
			(struct rank_work){.rank = (uint32_t)i, .device = m->all[i].device};
	}
	free(works_here);
}

/* A window before all work, or after it, is a mistake; so are filters that leave no rank. */
static int require_work(struct trace *t, const struct scope *p, const struct works *works,
			size_t rows, struct err *e)
{
	struct timeline none = {0};
	struct ops o;
	bool apart;

	for (size_t i = 0; i < works->count; i++) {
		if (rows && works->all[i].kernels)
			return 0;
	}
	if (ops_open(&o, t, e) < 0)
		return -1;
	none.first_ns = o.times.first_ns;
	none.last_ns = o.times.last_ns;
	apart = p->has_trim && o.times.any &&
		(p->to_ns <= o.times.first_ns || p->from_ns > o.times.last_ns);
	ops_close(&o);
	return apart || (!rows && p->has_device) ? timeline_require(&none, t, p, e) : 0;
}

static int add_works(struct report *r, struct trace *t, const struct scope *p,
		     const struct rank_map *m, struct works *works, struct err *e)
{
	struct gpu_work w;

	if (gpu_work_open(&w, t, NEEDS(TRACE_KERNELS), p, e) < 0)
		return -1;
	add_kernels(&w, m, works);
	for (size_t i = 0; i < works->count; i++) {
		struct rank_work *of = &works->all[i];

		if (of->device != ID_NONE)
			of->device =
				device_map_gpu(&w.devices, m->all[of->rank].process, of->device);
	}
	if (!p->has_device)
		add_idle(works, m);
	if (works->count)
		qsort(works->all, works->count, sizeof(*works->all), compare_works);
	gpu_work_warn(&w, NEEDS(TRACE_KERNELS), r);
	gpu_work_close(&w);
	return 0;
}

static void add_row(struct rows *rows, struct report *r, const struct trace *t,
		    const struct host_names *host_names, const struct rank *rank,
		    const struct rank_work *work)
{
	uint64_t key = t->process_keys.keys[rank->process];

	rows_add(rows, cell_int(rank->number));
	rows_add(rows, cell_int(process_pid(key)));
	rows_add(rows, text_or_null(host_names_process(host_names, key)));
	rows_add(rows, cell_int((int64_t)(key >> 24)));
	rows_add(rows, id_cell(work->device));
	rows_add(rows,
		 t->events[TRACE_KERNELS].stream ? cell_int((int64_t)work->streams) : cell_null());
	rows_add(rows, cell_int((int64_t)work->kernels));
	rows_add(rows, cell_int(work->kernel_ns));
	for (int axis = 0; axis < MESH_AXES; axis++)
		rows_add(rows, mesh_place_cell(r, &rank->setup.mesh[axis]));
	rows_add(rows, number_or_null(rank->setup.micro_batch));
	rows_add(rows, number_or_null(rank->setup.sequence));
	rows_add(rows, text_or_null(rank->label));
}

/* Numbers of hosts tell people nothing while there is one. */
static void show_hosts(struct rows *rows)
{
	struct column *shown = arena_alloc(rows->arena, ARRAY_LEN(columns), sizeof(*shown));
	bool several = false;

	for (uint64_t i = 1; i < rows->table.rows; i++)
		several |= rows->cells[i * ARRAY_LEN(columns) + COLUMN_HOST].i !=
			   rows->cells[COLUMN_HOST].i;
	memcpy(shown, columns, sizeof(columns));
	if (several)
		shown[COLUMN_HOST].show = SHOW;
	rows->table.columns = shown;
}

static int add_table(struct report *r, struct trace *t, const struct table_args *a,
		     const struct rank_map *m, struct err *e)
{
	struct rows *rows = report_new_rows(r, "ranks", NULL, columns, ARRAY_LEN(columns));
	struct host_names host_names = {0};
	struct works works = {0};
	const struct scope *p = &a->scope;
	int result = add_works(r, t, p, m, &works, e);

	rows->table.kind = "rank";
	if (result == 0)
		result = host_names_read(t, &host_names, e);
	for (size_t i = 0; result == 0 && i < works.count; i++) {
		const struct rank *rank = &m->all[works.all[i].rank];

		if (rank_is_asked(t, p, rank))
			add_row(rows, r, t, &host_names, rank, &works.all[i]);
	}
	if (result == 0)
		result = require_work(t, p, &works, rows->table.rows, e);
	host_names_free(&host_names);
	free(works.all);
	show_hosts(rows);
	rows_hide_empty(rows);
	return result < 0 ? -1 : rows_arrange(rows, &a->rows, NULL, e);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct table_args *a = args;
	const struct scope *p = &a->scope;
	const uint32_t of_kernels = COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_STREAM);
	struct rank_map m;
	int result;

	/* One pass over the kernels for all that is asked of them from here on. */
	if (window_report(r, self, t, p, &a->rows, e) < 0 ||
	    trace_load(t, TRACE_KERNELS, of_kernels, e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_PROCESS, e) < 0 ||
	    rank_map_read(t, p, &m, e) < 0)
		return -1;
	rank_map_tell(&m, r);
	result = add_table(r, t, a, &m, e);
	rank_map_free(&m);
	return result;
}

static const struct option_group ranks_options =
	OPTIONS(struct table_args, OPT_SAME(table_options),
		OPT_INCLUDE(struct table_args, scope, struct scope, rank_options));

static const struct topic topics_ranks[] = {
	{.table = "ranks",
	 .subject = "rank",
	 .words = "rank ranks world size distributed parallel parallelism tp pp dp cp ep pipeline "
		  "tensor data context expert mesh grid group position "
		  "stage belong",
	 .questions = "how many ranks are there\n"
		      "which rank runs on which GPU\n"
		      "what is the world size\n"
		      "what parallelism is used\n"
		      "which process is which rank\n"
		      "what is the pp stage of rank 3\n"
		      "what is the position of rank 2 in the mesh\n"
		      "which tensor parallel group is rank 1 in\n"
		      "how is the work distributed over ranks\n",
	 .row = "rank {rank} is process {pid}| on GPU {device}|, pp {pp}|, dp {dp}|, tp {tp}|, cp "
		"{cp}|, ep {ep}|: {kernels} kernels|, {kernel_ns} of kernel time",
	 .sum = "{#} ranks|, {kernels} kernels|, {kernel_ns} of kernel time",
	 .by = "kernel_ns"},
	{0},
};

const struct analysis analysis_ranks = {
	.name = "ranks",
	.span = SPAN_ALL,
	.title = "Ranks",
	.order = "rank",
	.summary = "which process is which rank, and how work is distributed",
	.example = "gpuwhy ranks job.sqlite",
	.detail = "The rank of a process comes from its first range or mark at or after the start "
		  "of the capture of the form \"rank=N; pp=R/S dp=R/S cp=R/S ep=R/S; mbs=M seq=Q\" "
		  "(--label REGEX for other forms), else from the payload of NCCL's ncclCommInit "
		  "ranges, else from ranges that contain \"global_rank N\" or else \"rank N\" "
		  "(tp_rank and the like are ignored). Otherwise each process with kernels is "
		  "assumed to be one rank, in order of device and pid, and a note reports it. A "
		  "rank has one row per device.",
	.needs = NEEDS(TRACE_KERNELS),
	.options = &ranks_options,
	.run = run,
	.topics = topics_ranks,
};
