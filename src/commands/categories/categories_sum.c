/* What did each run spend on each category? */
#include "commands/categories/categories.h"

#include "base/mem.h"
#include "base/sort.h"
#include "text/strtab.h"
#include "text/text.h"

#include <stdlib.h>

enum { BRIEF_WIDTH = 100 };

static struct mean mean_of(int64_t total_ns, uint64_t of)
{
	return (struct mean){total_ns / (int64_t)of, (uint64_t)(total_ns % (int64_t)of), of};
}

double mean_real(struct mean m)
{
	return (double)m.whole_ns + (double)m.part / (double)m.of;
}

struct cell mean_cell(struct mean m)
{
	return m.part ? cell_real(mean_real(m)) : cell_int(m.whole_ns);
}

struct cell share_cell(double part, double whole)
{
	return whole > 0 ? cell_real(100 * part / whole) : cell_null();
}

struct mean comparison_time(const struct comparison *cmp, size_t run, int64_t ns, int64_t merged_ns)
{
	return cmp->merge ? mean_of(merged_ns, 1) : mean_of(ns, cmp->runs[run].times.device_count);
}

struct mean comparison_gpu_time(const struct comparison *cmp, size_t run)
{
	const struct category_times *t = &cmp->runs[run].times;

	return comparison_time(cmp, run, t->busy_ns, t->merged_ns);
}

struct mean comparison_cpu_time(const struct comparison *cmp, size_t run)
{
	struct mean gpu = comparison_gpu_time(cmp, run);
	int64_t left_ns = sat_sub(cmp->runs[run].elapsed_ns, gpu.whole_ns);

	if (gpu.part) {
		left_ns = sat_sub(left_ns, 1);
		gpu.part = gpu.of - gpu.part;
	}
	return left_ns < 0 ? mean_of(0, 1) : (struct mean){left_ns, gpu.part, gpu.of};
}

struct mean category_time(const struct comparison *cmp, size_t category, size_t run)
{
	const struct category_cell *c;

	if (category == cmp->category_count)
		return comparison_cpu_time(cmp, run);
	c = category_cell(cmp, category, run);
	return comparison_time(cmp, run, c->ns, c->merged_ns);
}

uint64_t comparison_kernels(const struct comparison *cmp)
{
	uint64_t n = 0;

	for (size_t i = 0; i < cmp->run_count; i++)
		n += cmp->runs[i].times.count;
	return n;
}

struct ranked {
	uint32_t number;
	double time;
	struct str name;
};

static int compare_ranked(const void *a, const void *b, void *ctx)
{
	const struct ranked *x = a, *y = b;

	(void)ctx;
	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return str_cmp(x->name, y->name);
}

/* Numbers categories as they are met. */
static void number_categories(struct comparison *cmp, struct strtab *names)
{
	cmp->line_category = arena_zalloc(&cmp->arena, cmp->run_count, sizeof(*cmp->line_category));
	for (size_t i = 0; i < cmp->run_count; i++) {
		const struct category_times *t = &cmp->runs[i].times;

		cmp->line_category[i] = arena_alloc(&cmp->arena, t->count, sizeof(uint32_t));
		for (size_t k = 0; k < t->count; k++)
			cmp->line_category[i][k] = strtab_add(names, t->lines[k].category);
		if (t->device_count > cmp->devices)
			cmp->devices = t->device_count;
	}
}

static struct ranked *rank_categories(const struct comparison *cmp, const struct strtab *names)
{
	struct ranked *ranked = mem_zalloc(names->count, sizeof(*ranked));

	for (size_t i = 0; i < names->count; i++)
		ranked[i] = (struct ranked){(uint32_t)i, 0, names->items[i]};
	for (size_t i = 0; i < cmp->run_count; i++) {
		const struct category_times *t = &cmp->runs[i].times;

		for (size_t k = 0; k < t->count; k++)
			ranked[cmp->line_category[i][k]].time += mean_real(
				comparison_time(cmp, i, t->lines[k].ns, t->lines[k].merged_ns));
	}
	sort_stable(ranked, names->count, sizeof(*ranked), compare_ranked, NULL);
	return ranked;
}

static void renumber(struct comparison *cmp, const struct ranked *ranked)
{
	uint32_t *place = mem_alloc(cmp->category_count, sizeof(*place));

	for (size_t i = 0; i < cmp->category_count; i++) {
		cmp->categories[i] = ranked[i].name;
		place[ranked[i].number] = (uint32_t)i;
	}
	for (size_t i = 0; i < cmp->run_count; i++) {
		for (size_t k = 0; k < cmp->runs[i].times.count; k++)
			cmp->line_category[i][k] = place[cmp->line_category[i][k]];
	}
	free(place);
}

void category_cell_add(struct category_cell *c, const struct category_line *line)
{
	c->ns = sat_add(c->ns, line->ns);
	c->merged_ns = sat_add(c->merged_ns, line->merged_ns);
	c->instances += line->instances;
	c->names++;
}

static void sum_cells(struct comparison *cmp)
{
	for (size_t i = 0; i < cmp->run_count; i++) {
		const struct category_times *t = &cmp->runs[i].times;

		for (size_t k = 0; k < t->count; k++)
			category_cell_add(
				&cmp->cells[cmp->line_category[i][k] * cmp->run_count + i],
				&t->lines[k]);
	}
}

void comparison_sum(struct comparison *cmp)
{
	struct strtab names = {0};
	struct ranked *ranked;

	number_categories(cmp, &names);
	ranked = rank_categories(cmp, &names);
	cmp->category_count = names.count;
	cmp->categories = arena_alloc(&cmp->arena, names.count, sizeof(*cmp->categories));
	cmp->cells = arena_zalloc(&cmp->arena, names.count * cmp->run_count, sizeof(*cmp->cells));
	renumber(cmp, ranked);
	sum_cells(cmp);
	free(ranked);
	strtab_free(&names);
}

const char *safe_text(struct report *r, struct str s)
{
	struct buf b = {0};

	text_add_safe(&b, s);
	return report_take_text(r, &b);
}

const char *brief_text(struct report *r, struct str s)
{
	struct buf b = {0};

	text_add_elided(&b, str_of(safe_text(r, s)), BRIEF_WIDTH);
	return report_take_text(r, &b);
}

void comparison_free(struct comparison *cmp)
{
	for (size_t i = 0; i < cmp->run_count; i++)
		category_times_free(&cmp->runs[i].times);
	category_maps_free(&cmp->maps);
	arena_free(&cmp->arena);
	*cmp = (struct comparison){0};
}
