/* How do categories of work look as a page? */
#include "cli/graph.h"

#include "base/mem.h"
#include "report/chart.h"

/* Kernels in a page: it has to stay small, and result.csv has them all. */
enum { PAGE_ROWS = 400, MOST_EACH = 25, LEAST_EACH = 2 };

/* With or without what the GPUs left to the CPU, beside which all else may be too small to see. */
static void add_chart(const struct graph *g, struct report *r, const char *title, bool cpu)
{
	size_t parts = g->category_count + cpu;
	struct chart_part *part = arena_zalloc(&r->arena, parts, sizeof(*part));
	struct chart *c;

	for (size_t i = 0; i < g->category_count; i++)
		part[i] = (struct chart_part){graph_text(r, g->categories[i]), HUE_NEXT};
	if (cpu)
		part[g->category_count] =
			(struct chart_part){graph_text(r, CATEGORY_CPU), HUE_IDLE};
	c = report_new_chart(r, CHART_STACK, title, UNIT_NS, g->run_count, part, parts);
	c->picks = "kernels";
	for (size_t run = 0; run < g->run_count; run++) {
		c->labels[run] = str_of(g->runs[run].run->label);
		for (size_t i = 0; i < g->category_count; i++) {
			const struct graph_cell *cell = graph_cell(g, i, run);

			chart_item(c, run)[i] =
				mean_real(graph_time(g, run, cell->ns, cell->merged_ns));
		}
		if (cpu)
			chart_item(c, run)[g->category_count] = mean_real(graph_cpu_time(g, run));
	}
}

static const struct column columns[] = {
	{"category", "Category", UNIT_NAME, 0, "", SHOW},
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"run", "Run", UNIT_NAME, 0, "", SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "Of GPU", UNIT_PERCENT, 0, NULL, SHOW},
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

static void add_kernels(const struct graph *g, struct report *r)
{
	uint64_t each = PAGE_ROWS / (g->category_count * g->run_count);
	static const char *const of_several[] = {"run", NULL};
	const struct column *mine = columns;
	struct rows *rows;

	if (each < LEAST_EACH)
		each = LEAST_EACH;
	if (each > MOST_EACH)
		each = MOST_EACH;
	if (g->run_count == 1)
		mine = graph_columns(r, columns, ARRAY_LEN(columns), of_several);
	rows = report_new_rows(r, "kernels", "Kernels by category", mine, ARRAY_LEN(columns));
	rows->table.kind = "kernel";
	for (size_t run = 0; run < g->run_count; run++)
		add_run(g, r, rows, run, each);
}

void graph_page(const struct graph *g, struct report *r)
{
	r->title = g->title;
	graph_add_head(g, r);
	add_chart(g, r, "GPU time", false);
	add_chart(g, r, "Elapsed time", true);
	add_kernels(g, r);
	graph_add_categories(g, r, true);
}
