/* How do categories of work look as tables? */
#include "commands/categories/categories.h"

#include "analysis/cell_values.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column kernel_columns[] = {
	{"run", "Run", UNIT_NAME, 0, "", SHOW},
	{"category", "Category", UNIT_NAME, 0, "", SHOW},
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "% of GPU", UNIT_PERCENT, 0, NULL, SHOW},
	{"instances", "Instances", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
};

struct kernel_row {
	uint32_t run, line;
	double time;
};

struct kernel_rows {
	const struct comparison *cmp;
	struct kernel_row *rows;
};

static void make_kernel_row(const void *ctx, uint64_t i, struct cell *cells)
{
	const struct kernel_rows *k = ctx;
	const struct kernel_row *row = &k->rows[i];
	const struct comparison *cmp = k->cmp;
	const struct category_line *line = &cmp->runs[row->run].times.lines[row->line];
	struct mean time = comparison_time(cmp, row->run, line->ns, line->merged_ns);

	cells[0] = cell_text(cmp->runs[row->run].run->label);
	cells[1] = cell_str(line->category);
	cells[2] = cell_str(line->name);
	cells[3] = mean_cell(time);
	cells[4] = share_cell(row->time, mean_real(comparison_gpu_time(cmp, row->run)));
	cells[5] = cell_int((int64_t)line->instances);
}

static int compare_kernel_rows(const void *a, const void *b, void *ctx)
{
	const struct kernel_row *x = a, *y = b;

	(void)ctx;
	return x->time > y->time ? -1 : x->time < y->time;
}

static struct kernel_row *list_kernels(const struct comparison *cmp, uint64_t *ret_count)
{
	struct kernel_row *rows = mem_alloc(comparison_kernels(cmp), sizeof(*rows));
	uint64_t n = 0;
	for (uint32_t i = 0; i < cmp->run_count; i++) {
		const struct category_times *t = &cmp->runs[i].times;

		for (uint32_t k = 0; k < t->count; k++)
			rows[n++] = (struct kernel_row){
				i, k,
				mean_real(comparison_time(cmp, i, t->lines[k].ns,
							  t->lines[k].merged_ns))};
	}
	sort_stable(rows, n, sizeof(*rows), compare_kernel_rows, NULL);
	*ret_count = n;
	return rows;
}

/* All kernels of all runs, at most `limit`; 0: as many as there are. */
static void add_kernels(const struct comparison *cmp, struct report *r, uint64_t limit)
{
	static const char *const of_several[] = {"run", NULL};
	struct table *t = arena_zalloc(&r->arena, 1, sizeof(*t));
	struct kernel_rows *k = arena_zalloc(&r->arena, 1, sizeof(*k));

	k->cmp = cmp;
	*t = (struct table){
		.name = "kernels",
		.title = "Kernels",
		.kind = "kernel",
		.columns = cmp->run_count > 1
				   ? kernel_columns
				   : columns_without(r, kernel_columns, ARRAY_LEN(kernel_columns),
						     of_several),
		.column_count = ARRAY_LEN(kernel_columns),
		.row = make_kernel_row,
		.ctx = k,
	};
	k->rows = list_kernels(cmp, &t->total_rows);
	report_on_free(r, free, k->rows);
	t->rows = limit && limit < t->total_rows ? limit : t->total_rows;
	report_table(r, t);
}

struct column *columns_without(struct report *r, const struct column *all, size_t count,
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

static void add_runs(const struct comparison *cmp, struct report *r, size_t room)
{
	static const char *const of_several[] = {"gpus", "busy_sum_ns", "busy_merged_ns", NULL};
	static const char *const none[] = {NULL};
	struct rows *rows = report_new_rows(r, "runs", "Runs",
					    columns_without(r, run_columns, ARRAY_LEN(run_columns),
							    cmp->devices > 1 ? none : of_several),
					    ARRAY_LEN(run_columns));

	rows->table.kind = "run";
	for (size_t i = 0; i < fit(cmp->run_count, room); i++) {
		const struct category_run *x = &cmp->runs[i];
		double gpu_ns = mean_real(comparison_gpu_time(cmp, i));

		ROWS_ADD(rows, cell_text(x->run->label), cell_int(x->elapsed_ns),
			 mean_cell(comparison_gpu_time(cmp, i)),
			 share_cell(gpu_ns, (double)x->elapsed_ns),
			 mean_cell(comparison_cpu_time(cmp, i)),
			 cell_int((int64_t)x->times.device_count), cell_int(x->times.busy_ns),
			 cell_int(x->times.merged_ns), map_cell(r, x->map),
			 cell_text(x->run->engine), cell_text(x->run->model),
			 cell_int(x->times.window.start_ns), cell_int(x->times.window.end_ns),
			 cell_text(x->run->trace));
	}
	say_total(rows, cmp->run_count);
}

static const struct column device_columns[] = {
	{"run", "Run", UNIT_NAME, 0, "", SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"busy_ns", "Busy", UNIT_NS, 0, NULL, SHOW},
	{"busy_pct", "Busy %", UNIT_PERCENT, 0, NULL, SHOW},
};

static void add_devices(const struct comparison *cmp, struct report *r, bool human, size_t room)
{
	struct rows *rows;
	uint64_t total = 0;

	if (human && cmp->devices < 2)
		return;
	rows = REPORT_ROWS(r, "devices", "GPUs", device_columns);
	rows->table.kind = "device";
	for (size_t i = 0; i < cmp->run_count; i++) {
		const struct category_run *x = &cmp->runs[i];

		total += x->times.device_count;
		for (size_t k = 0; k < x->times.device_count && rows->table.rows < room; k++) {
			const struct category_device *d = &x->times.devices[k];

			ROWS_ADD(rows, cell_text(x->run->label), id_cell(d->device),
				 cell_int(d->busy_ns), pct_cell(d->busy_ns, x->elapsed_ns));
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

static struct str category_name(const struct comparison *cmp, size_t category)
{
	return category == cmp->category_count ? CATEGORY_CPU : cmp->categories[category];
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

static void add_category_row(const struct comparison *cmp, struct rows *rows, size_t category,
			     size_t run)
{
	bool gpu = category < cmp->category_count;
	const struct category_cell none = {0};
	const struct category_cell *c = gpu ? category_cell(cmp, category, run) : &none;
	struct mean time = category_time(cmp, category, run),
		    first = category_time(cmp, category, 0);
	double gpu_ns = mean_real(comparison_gpu_time(cmp, run));

	ROWS_ADD(rows, cell_text(cmp->runs[run].run->label), cell_str(category_name(cmp, category)),
		 mean_cell(time), share_cell(mean_real(time), (double)cmp->runs[run].elapsed_ns),
		 gpu ? share_cell(mean_real(time), gpu_ns) : cell_null(),
		 gpu ? cell_int((int64_t)c->instances) : cell_null(),
		 gpu ? cell_int((int64_t)c->names) : cell_null(),
		 gpu ? cell_int(c->ns) : cell_null(), gpu ? cell_int(c->merged_ns) : cell_null(),
		 run ? delta_ns_cell(first, time) : cell_null(),
		 run ? delta_pct_cell(first, time) : cell_null());
}

static void add_category_table(const struct comparison *cmp, struct report *r, size_t room)
{
	static const char *const of_several[] = {"run",	     "sum_ns",	  "merged_ns",
						 "delta_ns", "delta_pct", NULL};
	static const char *const of_devices[] = {"run", "delta_ns", "delta_pct", NULL};
	struct rows *rows =
		report_new_rows(r, "categories", "Categories",
				columns_without(r, category_columns, ARRAY_LEN(category_columns),
						cmp->devices > 1 ? of_devices : of_several),
				ARRAY_LEN(category_columns));
	uint64_t total = 0;

	rows->table.kind = "category";
	for (size_t run = 0; run < cmp->run_count; run++) {
		for (size_t i = 0; i <= cmp->category_count; i++) {
			if (i < cmp->category_count && !category_cell(cmp, i, run)->instances)
				continue;
			if (i < room || i == cmp->category_count)
				add_category_row(cmp, rows, i, run);
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
static size_t comparison_columns(const struct comparison *cmp, struct report *r, size_t runs,
				 struct column *columns)
{
	bool two = cmp->run_count == 2;
	size_t n = 0;

	columns[n++] = (struct column){"category", "Category", UNIT_NAME, 0, "", SHOW};
	for (size_t i = 0; i < runs; i++) {
		const char *label = brief_text(r, str_of(cmp->runs[i].run->label));

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

static void add_comparison_row(const struct comparison *cmp, struct rows *rows, size_t category,
			       size_t runs)
{
	struct mean first = category_time(cmp, category, 0);

	rows_add(rows, cell_str(category_name(cmp, category)));
	for (size_t run = 0; run < runs; run++) {
		struct mean time = category_time(cmp, category, run);

		rows_add(rows, mean_cell(time));
		if (!run)
			continue;
		ROWS_ADD(rows, delta_ns_cell(first, time), delta_pct_cell(first, time));
	}
}

static void add_comparison(const struct comparison *cmp, struct report *r, const struct room *room)
{
	size_t runs = fit(cmp->run_count, room->runs);
	struct column *columns = arena_alloc(&r->arena, 1 + 3 * runs, sizeof(*columns));
	size_t count = comparison_columns(cmp, r, runs, columns);
	const char *title = runs == cmp->run_count
				    ? "Runs side by side"
				    : arena_printf(&r->arena, "The first %zu of %zu runs", runs,
						   cmp->run_count);
	struct rows *rows = report_new_rows(r, "comparison", title, columns, count);

	rows->table.kind = "category";
	for (size_t i = 0; i <= cmp->category_count; i++) {
		if (i < room->categories || i == cmp->category_count)
			add_comparison_row(cmp, rows, i, runs);
	}
	say_total(rows, cmp->category_count + 1);
}

void comparison_add_categories(const struct comparison *cmp, struct report *r, bool human,
			       const struct room *room)
{
	add_runs(cmp, r, room->runs);
	if (cmp->run_count > 1)
		add_comparison(cmp, r, room);
	if (cmp->run_count == 1 || !human)
		add_category_table(cmp, r, room->categories);
	add_devices(cmp, r, human, room->runs);
}

void comparison_report(const struct comparison *cmp, struct report *r, bool human, uint64_t limit)
{
	const struct room room = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

	comparison_add_head(cmp, r);
	comparison_add_categories(cmp, r, human, &room);
	add_kernels(cmp, r, limit);
}
