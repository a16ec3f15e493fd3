/* Which kinds of work took the GPUs' time? */
#include "analysis/categories/category_times.h"
#include "analysis/cell_values.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "commands/report/report_parts.h"

#include <stdlib.h>

static const struct analysis measured = {
	.name = "categories",
	.title = "Categories",
	.detail = "Kernels are assigned to categories by their names, as the default map of "
		  "`gpuwhy categories` does; in every instant a GPU counts as busy with the op "
		  "that started first, so categories add up to busy time.",
	.options = &window_options,
};

static const struct column columns[] = {
	{"category", "Category", UNIT_NAME, 0, "", SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "% of GPU", UNIT_PERCENT, 0, NULL, SHOW},
	{"instances", "Instances", UNIT_COUNT, 0, NULL, SHOW},
	{"kernels", "Kernels", UNIT_COUNT, 0, NULL, SHOW},
};

struct category_sum {
	struct str name;
	int64_t ns;
	uint64_t instances, kernels;
};

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct category_sum *x = a, *y = b;

	(void)ctx;
	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* In order of time; the caller frees them. */
static struct category_sum *sum_up(const struct category_times *t, struct strtab *names)
{
	struct category_sum *sums = mem_zalloc(t->count + 1, sizeof(*sums));

	for (size_t i = 0; i < t->count; i++) {
		const struct category_line *line = &t->lines[i];
		struct category_sum *s = &sums[strtab_add(names, line->category)];

		s->name = line->category;
		s->ns = sat_add(s->ns, line->ns);
		s->instances += line->instances;
		s->kernels++;
	}
	sort_stable(sums, names->count, sizeof(*sums), by_time, NULL);
	return sums;
}

static void add_rows(struct report *r, const struct category_times *t)
{
	struct rows *rows = REPORT_ROWS(r, "categories", NULL, columns);
	struct strtab names = {0};
	struct category_sum *sums = sum_up(t, &names);

	rows->table.kind = "category";
	rows->table.sorted_by = "time_ns";
	for (size_t i = 0; i < names.count; i++)
		ROWS_ADD(rows, cell_str(arena_str(&r->arena, sums[i].name)), cell_int(sums[i].ns),
			 pct_cell(sums[i].ns, t->busy_ns), cell_int((int64_t)sums[i].instances),
			 cell_int((int64_t)sums[i].kernels));
	strtab_free(&names);
	free(sums);
}

static int measure(struct parts *p, struct report *r, const struct category_maps *maps,
		   struct err *e)
{
	enum category_missing ignored;
	struct category_times times;
	struct categories c;
	int result;

	if (categories_compile(
		    &c, category_maps_find(maps, STR_LIT("default"), STR_LIT("default"), &ignored),
		    e) < 0)
		return -1;
	result = category_times_measure(p->trace, &c, &p->scope, &times, e);
	categories_free(&c);
	if (result < 0)
		return -1;
	result = window_report(r, &measured, p->trace, &p->scope, NULL, e);
	if (result == 0)
		add_rows(r, &times);
	category_times_free(&times);
	return result;
}

int parts_make_categories(struct parts *p, struct err *e)
{
	struct part *part = &p->all[PART_CATEGORIES];
	struct category_maps maps;
	int result;

	part->analysis = &measured;
	part->report.command = measured.name;
	if (category_maps_read(&maps, NULL, 0, e) < 0)
		return -1;
	result = measure(p, &part->report, &maps, e);
	category_maps_free(&maps);
	part->made = result == 0;
	return result == 0 ? 0 : part_absent(p, part, true, e);
}
