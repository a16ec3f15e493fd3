/* Which process is which rank, and how is the work shared among them? */
#include "analysis/cells.h"
#include "analysis/gpu_work.h"
#include "analysis/rank_map.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/pairs.h"
#include "trace/machine.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pid", "PID", UNIT_ID, 0, NULL, SHOW},
	{"process", "Process", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"host", "Host", UNIT_ID, 0, NULL, MACHINES_ONLY},
	{"device", "Device", UNIT_ID, 0, NULL, SHOW},
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
	{"label", "Label", UNIT_NAME, 0, NULL, MACHINES_ONLY},
};

/* What a rank did, in the window. */
struct rank_work {
	uint64_t kernels, streams;
	int64_t kernel_ns;
};

static int add_kernels(struct trace *t, const struct params *p, const struct rank_map *m,
		       struct rank_work *work, struct err *e)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	struct pairs streams = {0};
	struct gpu_work w;

	if (gpu_work_open(&w, t, NEEDS(TRACE_KERNELS), p, e) < 0)
		return -1;
	for (uint64_t i = 0; ev->process && i < ev->count; i++) {
		const struct rank *rank = rank_of_process(m, ev->process[i]);
		struct rank_work *of = rank ? &work[rank - m->all] : NULL;
		uint64_t before = pairs_count(&streams);
		struct span part;

		if (!of || !gpu_work_part(&w, TRACE_KERNELS, i, &part))
			continue;
		of->kernels++;
		of->kernel_ns = sat_add(of->kernel_ns, sat_sub(part.end_ns, part.start_ns));
		if (ev->stream && ev->stream[i] != ID_NONE)
			pairs_number(&streams, ev->process[i], ev->stream[i]);
		of->streams += pairs_count(&streams) > before;
	}
	pairs_free(&streams);
	gpu_work_close(&w);
	return 0;
}

static struct cell mesh_cell(struct report *r, const struct mesh_place *place)
{
	return place->known ? cell_text(arena_printf(&r->arena, "%u/%u", place->rank, place->size))
			    : cell_null();
}

static struct cell count_cell(int64_t count)
{
	return count < 0 ? cell_null() : cell_int(count);
}

static void add_row(struct rows *rows, struct report *r, const struct trace *t,
		    const struct people *people, const struct rank *rank,
		    const struct rank_work *work)
{
	uint64_t key = t->process_keys.keys[rank->process];

	rows_add(rows, cell_int(rank->number));
	rows_add(rows, cell_int(process_pid(key)));
	rows_add(rows, text_or_null(people_process(people, key)));
	rows_add(rows, cell_int((int64_t)(key >> 24)));
	rows_add(rows, id_cell(rank->device));
	rows_add(rows,
		 t->events[TRACE_KERNELS].stream ? cell_int((int64_t)work->streams) : cell_null());
	rows_add(rows, cell_int((int64_t)work->kernels));
	rows_add(rows, cell_int(work->kernel_ns));
	for (int axis = 0; axis < MESH_AXES; axis++)
		rows_add(rows, mesh_cell(r, &rank->setup.mesh[axis]));
	rows_add(rows, count_cell(rank->setup.micro_batch));
	rows_add(rows, count_cell(rank->setup.sequence));
	rows_add(rows, text_or_null(rank->label));
}

static int add_table(struct report *r, struct trace *t, const struct params *p,
		     const struct rank_map *m, struct err *e)
{
	struct rank_work *work = mem_zalloc(m->count, sizeof(*work));
	struct rows *rows = report_new_rows(r, "ranks", NULL, columns, ARRAY_LEN(columns));
	struct people people = {0};
	int result = add_kernels(t, p, m, work, e);

	rows->table.kind = "rank";
	if (result == 0)
		result = people_read(t, &people, e);
	for (size_t i = 0; result == 0 && i < m->count; i++) {
		const struct rank *rank = &m->all[i];

		if (!rank_is_asked(t, p, rank) || (p->has_device && !work[i].kernels))
			continue;
		add_row(rows, r, t, &people, rank, &work[i]);
	}
	people_free(&people);
	free(work);
	rows_hide_empty(rows);
	return result < 0 ? -1 : rows_arrange(rows, p, NULL, e);
}

static int run(const struct analysis *self, struct trace *t, const struct params *p,
	       struct report *r, struct err *e)
{
	const uint32_t of_kernels = COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
				    COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE) |
				    COL_BIT(COL_STREAM);
	struct rank_map m;
	int result;

	/* One pass over the kernels for all that is asked of them from here on. */
	if (window_report(r, self, t, p, e) < 0 ||
	    trace_load(t, TRACE_KERNELS, of_kernels, e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_PROCESS, e) < 0 ||
	    rank_map_read(t, p, &m, e) < 0)
		return -1;
	rank_map_tell(&m, r);
	result = add_table(r, t, p, &m, e);
	rank_map_free(&m);
	return result;
}

const struct analysis analysis_ranks = {
	.name = "ranks",
	.title = "Ranks",
	.order = "rank",
	.summary = "which process is which rank, and how the work is shared",
	.detail =
		"A rank is told by the first range at or after the capture's beginning that\n"
		"says \"rank=N; pp=R/S dp=R/S cp=R/S ep=R/S; mbs=M seq=Q\" (--label REGEX reads\n"
		"others), else by what NCCL's ncclCommInit ranges carry, else by ranges that\n"
		"hold \"rank N\". Where nothing says, each process with kernels is one, by device\n"
		"and pid, and the answer says that this is assumed.",
	.needs = NEEDS(TRACE_KERNELS),
	.params = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_RANK | PARAM_LIMIT | PARAM_SORT,
	.run = run,
};
