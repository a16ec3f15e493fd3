/* How do categories of work look as tables? */
#include "commands/categories/graph.h"

#include "analysis/cell_values.h"
#include "base/mem.h"

struct column *graph_columns(struct report *r, const struct column *all, size_t count,
			     const char *const *hidden)
{
	struct column *columns = arena_alloc(&r->arena, count, sizeof(*columns));

	memcpy(columns, all, count * sizeof(*columns));
	for (; *hidden; hidden++) {
		for (size_t i = 0; i < count; i++) {
			if (strcmp(columns[i].key, *hidden) == 0)
				columns[i].show = MACHINE_ONLY;
		}
	}
	return columns;
}

static const struct column run_columns[] = {
	{"run", "Run", UNIT_NAME, 0, "", SHOW},
	{"elapsed_ns", "Elapsed", UNIT_NS, 0, NULL, SHOW},
	{"gpu_ns", "GPU time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "GPU %", UNIT_PERCENT, 0, NULL, SHOW},
	{"cpu_ns", "CPU(non-GPU)", UNIT_NS, 0, NULL, SHOW},
	{"gpus", "GPUs", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"busy_sum_ns", "Sum over GPUs", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"busy_merged_ns", "GPUs merged", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"map", "Map", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"engine", "Engine", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"model", "Model", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"window_start_ns", "From", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"window_end_ns", "To", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"trace", "Trace", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
};

static struct cell map_cell(struct report *r, const struct category_map *m)
{
	return cell_text(
		arena_printf(&r->arena, "%.*s/%.*s", STR_FMT(m->engine), STR_FMT(m->model)));
}

/* A table of fewer rows than there are. */
static void say_total(struct rows *rows, uint64_t total)
{
	rows->table.total_rows = total;
	rows->table.rest = "--format csv lists all";
}

static void add_runs(const struct graph *g, struct report *r, size_t room)
{
	static const char *const of_several[] = {"gpus", "busy_sum_ns", "busy_merged_ns", NULL};
	static const char *const none[] = {NULL};
	struct rows *rows = report_new_rows(r, "runs", "Runs",
					    graph_columns(r, run_columns, ARRAY_LEN(run_columns),
							  g->devices > 1 ? none : of_several),
					    ARRAY_LEN(run_columns));

	rows->table.kind = "run";
	for (size_t i = 0; i < graph_fit(g->run_count, room); i++) {
		const struct graph_run *x = &g->runs[i];
		double gpu_ns = mean_real(graph_gpu_time(g, i));

		rows_add(rows, cell_text(x->run->label));
		rows_add(rows, cell_int(x->elapsed_ns));
		rows_add(rows, mean_cell(graph_gpu_time(g, i)));
		rows_add(rows, graph_share_cell(gpu_ns, (double)x->elapsed_ns));
		rows_add(rows, mean_cell(graph_cpu_time(g, i)));
		rows_add(rows, cell_int((int64_t)x->times.device_count));
		rows_add(rows, cell_int(x->times.busy_ns));
		rows_add(rows, cell_int(x->times.merged_ns));
		rows_add(rows, map_cell(r, x->map));
		rows_add(rows, cell_text(x->run->engine));
		rows_add(rows, cell_text(x->run->model));
		rows_add(rows, cell_int(x->times.window.start_ns));
		rows_add(rows, cell_int(x->times.window.end_ns));
		rows_add(rows, cell_text(x->run->trace));
	}
	say_total(rows, g->run_count);
}

static const struct column device_columns[] = {
	{"run", "Run", UNIT_NAME, 0, "", SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"busy_ns", "Busy", UNIT_NS, 0, NULL, SHOW},
	{"busy_pct", "Busy %", UNIT_PERCENT, 0, NULL, SHOW},
};

static void add_devices(const struct graph *g, struct report *r, bool human, size_t room)
{
	struct rows *rows;
	uint64_t total = 0;

	if (human && g->devices < 2)
		return;
	rows = report_new_rows(r, "devices", "GPUs", device_columns, ARRAY_LEN(device_columns));
	rows->table.kind = "device";
	for (size_t i = 0; i < g->run_count; i++) {
		const struct graph_run *x = &g->runs[i];

		total += x->times.device_count;
		for (size_t k = 0; k < x->times.device_count && rows->table.rows < room; k++) {
			const struct category_device *d = &x->times.devices[k];

			rows_add(rows, cell_text(x->run->label));
			rows_add(rows, id_cell(d->device));
			rows_add(rows, cell_int(d->busy_ns));
			rows_add(rows, pct_cell(d->busy_ns, x->elapsed_ns));
		}
	}
	say_total(rows, total);
}

static const struct column category_columns[] = {
	{"run", "Run", UNIT_NAME, 0, "", SHOW},
	{"category", "Category", UNIT_NAME, 0, "", SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"pct", "% of elapsed", UNIT_PERCENT, 0, NULL, SHOW},
	{"gpu_pct", "% of GPU", UNIT_PERCENT, 0, NULL, SHOW},
	{"instances", "Instances", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"names", "Kernels", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"sum_ns", "Sum over GPUs", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"merged_ns", "GPUs merged", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"delta_ns", "vs first", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"delta_pct", "vs first %", UNIT_CHANGE, 0, NULL, SHOW},
};

/* Category `category_count` is what the GPU left to the CPU. */
static struct mean category_time(const struct graph *g, size_t category, size_t run)
{
	const struct graph_cell *c;

	if (category == g->category_count)
		return graph_cpu_time(g, run);
	c = graph_cell(g, category, run);
	return graph_time(g, run, c->ns, c->merged_ns);
}

static struct str category_name(const struct graph *g, size_t category)
{
	return category == g->category_count ? CATEGORY_CPU : g->categories[category];
}

static struct cell delta_ns_cell(struct mean first, struct mean other)
{
	if (!first.part && !other.part)
		return cell_int(sat_sub(other.whole_ns, first.whole_ns));
	return cell_real(mean_real(other) - mean_real(first));
}

static struct cell delta_pct_cell(struct mean first, struct mean other)
{
	double from = mean_real(first);

	return from > 0 ? cell_real(100 * (mean_real(other) - from) / from) : cell_null();
}

static void add_category_row(const struct graph *g, struct rows *rows, size_t category, size_t run)
{
	bool gpu = category < g->category_count;
	const struct graph_cell none = {0};
	const struct graph_cell *c = gpu ? graph_cell(g, category, run) : &none;
	struct mean time = category_time(g, category, run), first = category_time(g, category, 0);
	double gpu_ns = mean_real(graph_gpu_time(g, run));

	rows_add(rows, cell_text(g->runs[run].run->label));
	rows_add(rows, cell_str(category_name(g, category)));
	rows_add(rows, mean_cell(time));
	rows_add(rows, graph_share_cell(mean_real(time), (double)g->runs[run].elapsed_ns));
	rows_add(rows, gpu ? graph_share_cell(mean_real(time), gpu_ns) : cell_null());
	rows_add(rows, gpu ? cell_int((int64_t)c->instances) : cell_null());
	rows_add(rows, gpu ? cell_int((int64_t)c->names) : cell_null());
	rows_add(rows, gpu ? cell_int(c->ns) : cell_null());
	rows_add(rows, gpu ? cell_int(c->merged_ns) : cell_null());
	rows_add(rows, run ? delta_ns_cell(first, time) : cell_null());
	rows_add(rows, run ? delta_pct_cell(first, time) : cell_null());
}

static void add_category_table(const struct graph *g, struct report *r, size_t room)
{
	static const char *const of_several[] = {"run",	     "sum_ns",	  "merged_ns",
						 "delta_ns", "delta_pct", NULL};
	static const char *const of_devices[] = {"run", "delta_ns", "delta_pct", NULL};
	struct rows *rows =
		report_new_rows(r, "categories", "Categories",
				graph_columns(r, category_columns, ARRAY_LEN(category_columns),
					      g->devices > 1 ? of_devices : of_several),
				ARRAY_LEN(category_columns));
	uint64_t total = 0;

	rows->table.kind = "category";
	for (size_t run = 0; run < g->run_count; run++) {
		for (size_t i = 0; i <= g->category_count; i++) {
			if (i < g->category_count && !graph_cell(g, i, run)->instances)
				continue;
			if (i < room || i == g->category_count)
				add_category_row(g, rows, i, run);
			total++;
		}
	}
	say_total(rows, total);
}

static struct column run_column(struct report *r, const char *key, size_t run, const char *title,
				enum unit unit, enum column_show show)
{
	return (struct column){.key = arena_printf(&r->arena, "run_%zu_%s", run + 1, key),
			       .title = title,
			       .unit = unit,
			       .show = show};
}

/* The runs side by side: each has its time and, but for the first, what that is more or less. */
static size_t comparison_columns(const struct graph *g, struct report *r, size_t runs,
				 struct column *columns)
{
	bool two = g->run_count == 2;
	size_t n = 0;

	columns[n++] = (struct column){"category", "Category", UNIT_NAME, 0, "", SHOW};
	for (size_t i = 0; i < runs; i++) {
		const char *label = graph_brief(r, str_of(g->runs[i].run->label));

		columns[n++] = run_column(r, "ns", i, label, UNIT_NS, i ? SHOW_PREFERRED : SHOW);
		if (!i)
			continue;
		columns[n++] =
			run_column(r, "delta_ns", i,
				   two ? "Difference" : arena_printf(&r->arena, "%s −", label),
				   UNIT_CHANGE_NS, two ? SHOW : MACHINE_ONLY);
		columns[n++] = run_column(r, "delta_pct", i, "vs first", UNIT_CHANGE, SHOW_IF_ALL);
	}
	return n;
}

static void add_comparison_row(const struct graph *g, struct rows *rows, size_t category,
			       size_t runs)
{
	struct mean first = category_time(g, category, 0);

	rows_add(rows, cell_str(category_name(g, category)));
	for (size_t run = 0; run < runs; run++) {
		struct mean time = category_time(g, category, run);

		rows_add(rows, mean_cell(time));
		if (!run)
			continue;
		rows_add(rows, delta_ns_cell(first, time));
		rows_add(rows, delta_pct_cell(first, time));
	}
}

static void add_comparison(const struct graph *g, struct report *r, const struct graph_room *room)
{
	size_t runs = graph_fit(g->run_count, room->runs);
	struct column *columns = arena_alloc(&r->arena, 1 + 3 * runs, sizeof(*columns));
	size_t count = comparison_columns(g, r, runs, columns);
	const char *title =
		runs == g->run_count
			? "Runs side by side"
			: arena_printf(&r->arena, "The first %zu of %zu runs", runs, g->run_count);
	struct rows *rows = report_new_rows(r, "comparison", title, columns, count);

	rows->table.kind = "category";
	for (size_t i = 0; i <= g->category_count; i++) {
		if (i < room->categories || i == g->category_count)
			add_comparison_row(g, rows, i, runs);
	}
	say_total(rows, g->category_count + 1);
}

void graph_add_categories(const struct graph *g, struct report *r, bool human,
			  const struct graph_room *room)
{
	add_runs(g, r, room->runs);
	if (g->run_count > 1)
		add_comparison(g, r, room);
	if (g->run_count == 1 || !human)
		add_category_table(g, r, room->categories);
	add_devices(g, r, human, room->runs);
}

void graph_report(const struct graph *g, struct report *r, bool human, uint64_t limit)
{
	const struct graph_room room = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

	graph_add_head(g, r);
	graph_add_categories(g, r, human, &room);
	graph_add_kernels(g, r, limit);
}
