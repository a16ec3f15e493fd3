/* What did each run spend on each category? */
#include "commands/categories/graph.h"

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

struct cell graph_share_cell(double part, double whole)
{
	return whole > 0 ? cell_real(100 * part / whole) : cell_null();
}

struct mean graph_time(const struct graph *g, size_t run, int64_t ns, int64_t merged_ns)
{
	return g->merge ? mean_of(merged_ns, 1) : mean_of(ns, g->runs[run].times.device_count);
}

struct mean graph_gpu_time(const struct graph *g, size_t run)
{
	const struct category_times *t = &g->runs[run].times;

	return graph_time(g, run, t->busy_ns, t->merged_ns);
}

struct mean graph_cpu_time(const struct graph *g, size_t run)
{
	struct mean gpu = graph_gpu_time(g, run);
	int64_t left_ns = sat_sub(g->runs[run].elapsed_ns, gpu.whole_ns);

	if (gpu.part) {
		left_ns = sat_sub(left_ns, 1);
		gpu.part = gpu.of - gpu.part;
	}
	return left_ns < 0 ? mean_of(0, 1) : (struct mean){left_ns, gpu.part, gpu.of};
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
static void number_categories(struct graph *g, struct strtab *names)
{
	g->line_category = arena_zalloc(&g->arena, g->run_count, sizeof(*g->line_category));
	for (size_t i = 0; i < g->run_count; i++) {
		const struct category_times *t = &g->runs[i].times;

		g->line_category[i] = arena_alloc(&g->arena, t->count, sizeof(uint32_t));
		for (size_t k = 0; k < t->count; k++)
			g->line_category[i][k] = strtab_add(names, t->lines[k].category);
		if (t->device_count > g->devices)
			g->devices = t->device_count;
	}
}

static struct ranked *rank_categories(const struct graph *g, const struct strtab *names)
{
	struct ranked *ranked = mem_zalloc(names->count, sizeof(*ranked));

	for (size_t i = 0; i < names->count; i++)
		ranked[i] = (struct ranked){(uint32_t)i, 0, names->items[i]};
	for (size_t i = 0; i < g->run_count; i++) {
		const struct category_times *t = &g->runs[i].times;

		for (size_t k = 0; k < t->count; k++)
			ranked[g->line_category[i][k]].time +=
				mean_real(graph_time(g, i, t->lines[k].ns, t->lines[k].merged_ns));
	}
	sort_stable(ranked, names->count, sizeof(*ranked), compare_ranked, NULL);
	return ranked;
}

static void renumber(struct graph *g, const struct ranked *ranked)
{
	uint32_t *place = mem_alloc(g->category_count, sizeof(*place));

	for (size_t i = 0; i < g->category_count; i++) {
		g->categories[i] = ranked[i].name;
		place[ranked[i].number] = (uint32_t)i;
	}
	for (size_t i = 0; i < g->run_count; i++) {
		for (size_t k = 0; k < g->runs[i].times.count; k++)
			g->line_category[i][k] = place[g->line_category[i][k]];
	}
	free(place);
}

static void sum_cells(struct graph *g)
{
	for (size_t i = 0; i < g->run_count; i++) {
		const struct category_times *t = &g->runs[i].times;

		for (size_t k = 0; k < t->count; k++) {
			struct graph_cell *c = &g->cells[g->line_category[i][k] * g->run_count + i];

			c->ns = sat_add(c->ns, t->lines[k].ns);
			c->merged_ns = sat_add(c->merged_ns, t->lines[k].merged_ns);
			c->instances += t->lines[k].instances;
			c->names++;
		}
	}
}

void graph_sum(struct graph *g)
{
	struct strtab names = {0};
	struct ranked *ranked;

	number_categories(g, &names);
	ranked = rank_categories(g, &names);
	g->category_count = names.count;
	g->categories = arena_alloc(&g->arena, names.count, sizeof(*g->categories));
	g->cells = arena_zalloc(&g->arena, names.count * g->run_count, sizeof(*g->cells));
	renumber(g, ranked);
	sum_cells(g);
	free(ranked);
	strtab_free(&names);
}

const char *graph_text(struct report *r, struct str s)
{
	struct buf b = {0};
	char *text;

	text_add_safe(&b, s);
	text = arena_strdup(&r->arena, b.s ? b.s : "");
	buf_free(&b);
	return text;
}

const char *graph_brief(struct report *r, struct str s)
{
	struct buf b = {0};
	char *text;

	text_add_elided(&b, str_of(graph_text(r, s)), BRIEF_WIDTH);
	text = arena_strdup(&r->arena, b.s ? b.s : "");
	buf_free(&b);
	return text;
}

void graph_free(struct graph *g)
{
	for (size_t i = 0; i < g->run_count; i++)
		category_times_free(&g->runs[i].times);
	category_maps_free(&g->maps);
	arena_free(&g->arena);
	*g = (struct graph){0};
}
