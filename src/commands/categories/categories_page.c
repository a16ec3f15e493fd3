/* How do categories of work look as a page? */
#include "commands/categories/categories.h"

#include "base/mem.h"
#include "report/chart.h"
#include "report/present.h"

/* Kernels of a category in a page; result.csv has them all. */
enum { MOST_EACH = 25 };

/* What a page may have, less what an answer adds to it. */
enum { MOST_BYTES = 950000 };

static const char *chart_title(const struct comparison *cmp, struct report *r, const char *title,
			       size_t runs)
{
	return runs == cmp->run_count ? title
				      : arena_printf(&r->arena, "%s of the first %zu of %zu runs",
						     title, runs, cmp->run_count);
}

/* What the categories took that there is no room for. */
static double others_time(const struct comparison *cmp, size_t run, size_t from)
{
	double sum = 0;

	for (size_t i = from; i < cmp->category_count; i++)
		sum += mean_real(category_time(cmp, i, run));
	return sum;
}

/* Categories, then what there are more of, then what the GPUs left to the CPU. */
static struct chart_part *chart_parts(const struct comparison *cmp, struct report *r, size_t shown,
				      bool cpu, size_t *ret_count)
{
	struct chart_part *part = arena_zalloc(&r->arena, shown + 2, sizeof(*part));
	size_t n = 0;

	while (n < shown) {
		part[n] = (struct chart_part){safe_text(r, cmp->categories[n]), HUE_NEXT};
		n++;
	}
	if (shown < cmp->category_count)
		part[n++] = (struct chart_part){
			arena_printf(&r->arena, "[%zu others]", cmp->category_count - shown),
			HUE_NEXT};
	if (cpu)
		part[n++] = (struct chart_part){safe_text(r, CATEGORY_CPU), HUE_IDLE};
	*ret_count = n;
	return part;
}

/* With or without the CPU, beside which all else may be too small to see. */
static void add_chart(const struct comparison *cmp, struct report *r, const char *title, bool cpu,
		      const struct room *room)
{
	size_t runs = fit(cmp->run_count, room->runs), parts;
	size_t shown = fit(cmp->category_count, room->categories);
	const struct chart_part *part = chart_parts(cmp, r, shown, cpu, &parts);
	struct chart *c = report_new_chart(r, CHART_STACK, chart_title(cmp, r, title, runs),
					   UNIT_NS, runs, part, parts);

	c->picks = "kernels";
	for (size_t run = 0; run < runs; run++) {
		double *values = chart_item(c, run);

		c->labels[run] = str_of(cmp->runs[run].run->label);
		for (size_t i = 0; i < shown; i++)
			values[i] = mean_real(category_time(cmp, i, run));
		if (shown < cmp->category_count)
			values[shown] = others_time(cmp, run, shown);
		if (cpu)
			values[parts - 1] = mean_real(comparison_cpu_time(cmp, run));
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

static void add_row(const struct comparison *cmp, struct rows *rows, size_t run, size_t category,
		    struct str name, const struct category_cell *s)
{
	struct mean time = comparison_time(cmp, run, s->ns, s->merged_ns);
	double gpu_ns = mean_real(comparison_gpu_time(cmp, run));

	ROWS_ADD(rows, cell_str(cmp->categories[category]), cell_str(name),
		 cell_text(cmp->runs[run].run->label), mean_cell(time),
		 share_cell(mean_real(time), gpu_ns), cell_int((int64_t)s->instances));
}

/* The largest kernels of each category, and the others as one. */
static void add_run(const struct comparison *cmp, struct report *r, struct rows *rows, size_t run,
		    uint64_t each)
{
	const struct category_times *t = &cmp->runs[run].times;
	struct category_cell *others =
		arena_zalloc(&r->arena, cmp->category_count, sizeof(*others));
	uint64_t *listed = arena_zalloc(&r->arena, cmp->category_count, sizeof(*listed));

	for (size_t i = 0; i < t->count; i++) {
		const struct category_line *line = &t->lines[i];
		uint32_t category = cmp->line_category[run][i];
		struct category_cell alone = {0};

		if (listed[category]++ < each) {
			category_cell_add(&alone, line);
			add_row(cmp, rows, run, category, line->name, &alone);
		} else {
			category_cell_add(&others[category], line);
		}
	}
	for (size_t i = 0; i < cmp->category_count; i++) {
		if (others[i].names)
			add_row(cmp, rows, run, i,
				str_of(arena_printf(&r->arena, "[%llu others]",
						    (unsigned long long)others[i].names)),
				&others[i]);
	}
}

/* As many of each category as there is room for in all; of runs, those that there is room for. */
static void add_kernels(const struct comparison *cmp, struct report *r, size_t room)
{
	/* One row is for the others. */
	uint64_t each = room / (cmp->category_count * cmp->run_count);
	static const char *const of_several[] = {"run", NULL};
	const struct column *mine = columns;
	struct rows *rows;
	size_t run = 0;

	each = each > MOST_EACH ? MOST_EACH : each > 2 ? each - 1 : 1;
	if (cmp->run_count == 1)
		mine = columns_without(r, columns, ARRAY_LEN(columns), of_several);
	rows = report_new_rows(r, "kernels", "Kernels by category", mine, ARRAY_LEN(columns));
	rows->table.kind = "kernel";
	while (run < cmp->run_count && rows->table.rows < room)
		add_run(cmp, r, rows, run++, each);
	if (run == cmp->run_count && rows->table.rows <= room)
		return;
	rows->table.rows = fit(rows->table.rows, room);
	rows->table.total_rows = comparison_kernels(cmp);
	rows->table.rest = "result.csv lists all kernels";
}

static void fill_page(const struct comparison *cmp, struct report *r, const struct room *room)
{
	r->title = brief_text(r, str_of(cmp->title));
	comparison_add_head(cmp, r);
	add_chart(cmp, r, "GPU time", false, room);
	add_chart(cmp, r, "Elapsed time", true, room);
	add_kernels(cmp, r, room->kernels);
	comparison_add_categories(cmp, r, true, room);
}

static int count_bytes(void *ctx, const char *bytes, size_t len)
{
	(void)bytes;
	*(size_t *)ctx += len;
	return 0;
}

static size_t page_bytes(const struct comparison *cmp, const struct room *room)
{
	struct report r = {.command = "graph"};
	const struct style style = {0};
	size_t bytes = 0;
	struct sink sink = {count_bytes, &bytes};
	struct err never;

	fill_page(cmp, &r, room);
	present_report(presenter_find("html"), &r, &style, &sink, &never);
	report_free(&r);
	return bytes;
}

static size_t half(size_t n)
{
	return n > 1 ? n / 2 : 1;
}

/* Names may be long and runs many: what the page has room for is found by trying. */
void comparison_page(const struct comparison *cmp, struct report *r)
{
	struct room room = {CHART_LOOKS, CHART_LOOKS - 1, 450};

	while (room.kernels > 1 && page_bytes(cmp, &room) > MOST_BYTES)
		room = (struct room){half(room.runs), half(room.categories), half(room.kernels)};
	fill_page(cmp, r, &room);
}
