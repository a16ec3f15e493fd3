/* How do categories of work look as a page? */
#include "commands/categories/graph.h"

#include "base/mem.h"
#include "report/chart.h"
#include "report/present.h"

/* Kernels of a category in a page; result.csv has them all. */
enum { MOST_EACH = 25 };

/* What a page may have, less what an answer adds to it. */
enum { MOST_BYTES = 950000 };

static const char *chart_title(const struct graph *g, struct report *r, const char *title,
			       size_t runs)
{
	return runs == g->run_count ? title
				    : arena_printf(&r->arena, "%s of the first %zu of %zu runs",
						   title, runs, g->run_count);
}

/* What the categories took that there is no room for. */
static double others_time(const struct graph *g, size_t run, size_t from)
{
	double sum = 0;

	for (size_t i = from; i < g->category_count; i++) {
		const struct graph_cell *cell = graph_cell(g, i, run);

		sum += mean_real(graph_time(g, run, cell->ns, cell->merged_ns));
	}
	return sum;
}

/* Categories, then what there are more of, then what the GPUs left to the CPU. */
static struct chart_part *chart_parts(const struct graph *g, struct report *r, size_t shown,
				      bool cpu, size_t *ret_count)
{
	struct chart_part *part = arena_zalloc(&r->arena, shown + 2, sizeof(*part));
	size_t n = 0;

	while (n < shown) {
		part[n] = (struct chart_part){graph_text(r, g->categories[n]), HUE_NEXT};
		n++;
	}
	if (shown < g->category_count)
		part[n++] = (struct chart_part){
			arena_printf(&r->arena, "[%zu others]", g->category_count - shown),
			HUE_NEXT};
	if (cpu)
		part[n++] = (struct chart_part){graph_text(r, CATEGORY_CPU), HUE_IDLE};
	*ret_count = n;
	return part;
}

/* With or without the CPU, beside which all else may be too small to see. */
static void add_chart(const struct graph *g, struct report *r, const char *title, bool cpu,
		      const struct graph_room *room)
{
	size_t runs = graph_fit(g->run_count, room->runs), parts;
	size_t shown = graph_fit(g->category_count, room->categories);
	const struct chart_part *part = chart_parts(g, r, shown, cpu, &parts);
	struct chart *c = report_new_chart(r, CHART_STACK, chart_title(g, r, title, runs), UNIT_NS,
					   runs, part, parts);

	c->picks = "kernels";
	for (size_t run = 0; run < runs; run++) {
		double *values = chart_item(c, run);

		c->labels[run] = str_of(g->runs[run].run->label);
		for (size_t i = 0; i < shown; i++) {
			const struct graph_cell *cell = graph_cell(g, i, run);

			values[i] = mean_real(graph_time(g, run, cell->ns, cell->merged_ns));
		}
		if (shown < g->category_count)
			values[shown] = others_time(g, run, shown);
		if (cpu)
			values[parts - 1] = mean_real(graph_cpu_time(g, run));
	}
}

static const struct column columns[] = {
	{"category", "Category", UNIT_NAME, 0, "", SHOW},
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"run", "Run", UNIT_NAME, 0, "", SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "% of GPU", UNIT_PERCENT, 0, NULL, SHOW},
	{"instances", "Instances", UNIT_COUNT, 0, NULL, SHOW},
};

struct row_sum {
	int64_t ns, merged_ns;
	uint64_t instances, names;
};

static void add_row(const struct graph *g, struct rows *rows, size_t run, size_t category,
		    struct str name, const struct row_sum *s)
{
	struct mean time = graph_time(g, run, s->ns, s->merged_ns);
	double gpu_ns = mean_real(graph_gpu_time(g, run));

	rows_add(rows, cell_str(g->categories[category]));
	rows_add(rows, cell_str(name));
	rows_add(rows, cell_text(g->runs[run].run->label));
	rows_add(rows, mean_cell(time));
	rows_add(rows, graph_share_cell(mean_real(time), gpu_ns));
	rows_add(rows, cell_int((int64_t)s->instances));
}

/* The largest kernels of each category, and the others as one. */
static void add_run(const struct graph *g, struct report *r, struct rows *rows, size_t run,
		    uint64_t each)
{
	const struct category_times *t = &g->runs[run].times;
	struct row_sum *others = arena_zalloc(&r->arena, g->category_count, sizeof(*others));
	uint64_t *listed = arena_zalloc(&r->arena, g->category_count, sizeof(*listed));

	for (size_t i = 0; i < t->count; i++) {
		const struct category_line *line = &t->lines[i];
		uint32_t category = g->line_category[run][i];
		struct row_sum *o = &others[category];

		if (listed[category]++ < each) {
			add_row(g, rows, run, category, line->name,
				&(struct row_sum){line->ns, line->merged_ns, line->instances, 1});
			continue;
		}
		*o = (struct row_sum){sat_add(o->ns, line->ns),
				      sat_add(o->merged_ns, line->merged_ns),
				      o->instances + line->instances, o->names + 1};
	}
	for (size_t i = 0; i < g->category_count; i++) {
		if (others[i].names)
			add_row(g, rows, run, i,
				str_of(arena_printf(&r->arena, "[%llu others]",
						    (unsigned long long)others[i].names)),
				&others[i]);
	}
}

static uint64_t all_kernels(const struct graph *g)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->run_count; i++)
		n += g->runs[i].times.count;
	return n;
}

/* As many of each category as there is room for in all; of runs, those that there is room for. */
static void add_kernels(const struct graph *g, struct report *r, size_t room)
{
	/* One row is for the others. */
	uint64_t each = room / (g->category_count * g->run_count);
	static const char *const of_several[] = {"run", NULL};
	const struct column *mine = columns;
	struct rows *rows;
	size_t run = 0;

	each = each > MOST_EACH ? MOST_EACH : each > 2 ? each - 1 : 1;
	if (g->run_count == 1)
		mine = graph_columns(r, columns, ARRAY_LEN(columns), of_several);
	rows = report_new_rows(r, "kernels", "Kernels by category", mine, ARRAY_LEN(columns));
	rows->table.kind = "kernel";
	while (run < g->run_count && rows->table.rows < room)
		add_run(g, r, rows, run++, each);
	if (run == g->run_count && rows->table.rows <= room)
		return;
	rows->table.rows = graph_fit(rows->table.rows, room);
	rows->table.total_rows = all_kernels(g);
	rows->table.rest = "result.csv lists all kernels";
}

static void fill(const struct graph *g, struct report *r, const struct graph_room *room)
{
	r->title = graph_brief(r, str_of(g->title));
	graph_add_head(g, r);
	add_chart(g, r, "GPU time", false, room);
	add_chart(g, r, "Elapsed time", true, room);
	add_kernels(g, r, room->kernels);
	graph_add_categories(g, r, true, room);
}

static int count_bytes(void *ctx, const char *bytes, size_t len)
{
	(void)bytes;
	*(size_t *)ctx += len;
	return 0;
}

static size_t page_bytes(const struct graph *g, const struct graph_room *room)
{
	struct report r = {.command = "graph"};
	const struct style style = {0};
	size_t bytes = 0;
	struct sink sink = {count_bytes, &bytes};
	struct err never;

	fill(g, &r, room);
	presenter_find("html")->report(&r, &style, &sink, &never);
	report_free(&r);
	return bytes;
}

static size_t half(size_t n)
{
	return n > 1 ? n / 2 : 1;
}

/* Names may be long and runs many: what the page has room for is found by trying. */
void graph_page(const struct graph *g, struct report *r)
{
	struct graph_room room = {CHART_LOOKS, CHART_LOOKS - 1, 450};

	while (room.kernels > 1 && page_bytes(g, &room) > MOST_BYTES)
		room = (struct graph_room){half(room.runs), half(room.categories),
					   half(room.kernels)};
	fill(g, r, &room);
}
