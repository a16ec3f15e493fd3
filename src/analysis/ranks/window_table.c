/* From when to when is the steady state of each rank, for the CPU and for the GPU? */
#include "analysis/cell_values.h"
#include "analysis/gpu/timeline.h"
#include "analysis/ranks/rank_window.h"
#include "analysis/time_table.h"
#include "base/mem.h"

static const struct column columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pid", "PID", UNIT_ID, 0, NULL, SHOW},
	{"cpu_start_ns", "CPU from", UNIT_TIME_NS, 0, NULL, SHOW},
	{"cpu_end_ns", "CPU to", UNIT_TIME_NS, 0, NULL, SHOW},
	{"cpu_ns", "CPU", UNIT_NS, 0, NULL, SHOW},
	{"gpu_start_ns", "GPU from", UNIT_TIME_NS, 0, NULL, SHOW},
	{"gpu_end_ns", "GPU to", UNIT_TIME_NS, 0, NULL, SHOW},
	{"gpu_ns", "GPU", UNIT_NS, 0, NULL, SHOW},
	{"instance", "Instance", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"instances", "Instances", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"range", "Range", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
};

static void add_bounds(struct rows *rows, bool known, int64_t from_ns, int64_t to_ns)
{
	rows_add(rows, known ? cell_int(from_ns) : cell_null());
	rows_add(rows, known ? cell_int(to_ns) : cell_null());
	rows_add(rows, known ? cell_int(sat_sub(to_ns, from_ns)) : cell_null());
}

static void add_row(struct rows *rows, const struct trace *t, const struct rank *rank,
		    const struct rank_window *w)
{
	rows_add(rows, cell_int(rank->number));
	rows_add(rows, cell_int(process_pid(t->process_keys.keys[rank->process])));
	add_bounds(rows, true, w->cpu_from_ns, w->cpu_to_ns);
	add_bounds(rows, w->has_gpu, w->gpu_from_ns, w->gpu_to_ns);
	rows_add(rows, w->instances ? cell_int((int64_t)w->index + 1) : cell_null());
	rows_add(rows, w->instances ? cell_int((int64_t)w->instances) : cell_null());
	/* The windows are gone when the table is printed. */
	rows_add(rows, text_or_null(arena_str(rows->arena, w->anchor)));
}

static int add_table(struct report *r, const struct trace *t, const struct table_args *a,
		     const struct rank_map *m, const struct rank_windows *w, struct err *e)
{
	struct rows *rows = report_new_rows(r, "windows", NULL, columns, ARRAY_LEN(columns));
	size_t without = 0;

	rows->table.kind = "window";
	for (size_t i = 0; i < m->count; i++) {
		if (w->of_rank[i].found)
			add_row(rows, t, &m->all[i], &w->of_rank[i]);
		without += w->of_rank[i].found && !w->of_rank[i].has_gpu;
	}
	if (without)
		report_warning(
			r, "%s no GPU bounds: no GPU work launched inside the window was recorded",
			rows->table.rows == 1
				? "the rank has"
				: arena_printf(&r->arena, "%zu of %llu ranks %s", without,
					       (unsigned long long)rows->table.rows,
					       without == 1 ? "has" : "have"));
	warn_filtered_out(r, rows->table.rows, &a->scope);
	rows_hide_empty(rows);
	return rows_arrange(rows, &a->rows, NULL, e);
}

static int find_windows(const struct analysis *self, struct ops *o,
			const struct rank_window_args *a, const struct preset *preset,
			struct report *r, struct err *e)
{
	struct rank_windows w = {0};
	struct trace *t = o->trace;
	struct rank_map m;
	int result;

	if (trace_require_column(t, TRACE_KERNELS, COL_PROCESS, e) < 0 ||
	    rank_map_read(t, &a->table.scope, &m, e) < 0)
		return -1;
	result = rank_windows_find(o, a, preset, &m, true, &w, e);
	if (result == 0)
		result = rank_windows_report(&w, &m, r, self, t, &a->table, e);
	if (result == 0) {
		rank_map_tell(&m, r);
		time_window_warn(r, &o->times.faults);
		result = add_table(r, t, &a->table, &m, &w, e);
	}
	rank_windows_free(&w);
	rank_map_free(&m);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct rank_window_args *a = args;
	struct preset preset;
	struct ops o;
	int result;

	if (preset_read(&preset, a->preset, e) < 0)
		return -1;
	result = ops_open(&o, t, e);
	if (result == 0) {
		result = find_windows(self, &o, a, &preset, r, e);
		ops_close(&o);
	}
	preset_free(&preset);
	return result;
}

const struct analysis analysis_window = {
	.name = "window",
	.title = "Steady windows",
	.order = "rank",
	.summary = "each rank's representative steady-state step, on CPU and GPU",
	.detail = "A rank's window is the median, by start, of the ranges that match --anchor and "
		  "begin at or after the start of the capture: number n/2, counted from 0. The "
		  "default anchor is the preset's, \"forward chunk … backward chunk …\". Without "
		  "such ranges the window is the median step (see `gpuwhy iters`), else the whole "
		  "capture. --trim, --start and --end set the window directly; with --anchor they "
		  "select which of its ranges count. --iteration N is each rank's own step N. The "
		  "GPU bounds are those of the ops launched inside the CPU bounds.",
	.needs = NEEDS(TRACE_KERNELS),
	.options = &anchor_options,
	.steps_by_rank = true,
	.run = run,
};
