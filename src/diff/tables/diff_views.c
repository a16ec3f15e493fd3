/* What changed, by class, range, kernel or category? */
#include "diff/tables/diff_views.h"

#include "analysis/categories/categories.h"
#include "base/mem.h"
#include "base/sort.h"
#include "diff/common_mix.h"
#include "diff/tables/diff_words.h"

#include <stdlib.h>

/* Which group a leaf is in: each side's in its own, whatever they are matched with. */
struct grouping {
	enum diff_view by;
	struct arena *arena;
	struct category_maps maps;
	struct categories categories;
};

static void name_class(const struct leaf *l, struct arena *arena, struct view_row *to)
{
	if (l->class != LEAF_IDLE) {
		to->key = leaf_class_keys[l->class];
		to->words = leaf_class_words[l->class];
		return;
	}
	to->key = arena_printf(arena, "idle:%s", blame_keys[l->blame]);
	to->words = arena_printf(arena, "idle: %s", blame_names[l->blame]);
}

static int name_category(struct grouping *g, const struct leaf *l, struct view_row *to,
			 struct err *e)
{
	struct str category;

	if (l->class == LEAF_IDLE) {
		to->key = VIEW_IDLE;
		to->words = "idle";
		return 0;
	}
	if (categories_find(&g->categories, str_of(l->name), l->class == LEAF_COPY, &category, e) <
	    0)
		return -1;
	to->key = to->words = arena_str(g->arena, category).s;
	return 0;
}

static int name_group(struct grouping *g, const struct leaf *l, struct view_row *to, struct err *e)
{
	switch (g->by) {
	case VIEW_RANGE:
		to->key = l->path;
		to->words = l->path[0] ? l->path : LEAF_IN_NO_RANGE;
		return 0;
	case VIEW_KERNEL:
		to->key = l->class == LEAF_IDLE ? VIEW_IDLE : l->name;
		to->words = l->class == LEAF_IDLE ? "idle" : l->name;
		to->literal = !op_name_is_kernel(l);
		return 0;
	case VIEW_CATEGORY:
		return name_category(g, l, to, e);
	default:
		name_class(l, g->arena, to);
		return 0;
	}
}

static int by_key(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct view_row *)a)->key, ((const struct view_row *)b)->key);
}

static int by_size(const void *p, const void *q, void *ctx)
{
	const exact_ns a = exact_size(((const struct view_row *)p)->delta);
	const exact_ns b = exact_size(((const struct view_row *)q)->delta);

	(void)ctx;
	return a == b ? 0 : a > b ? -1 : 1;
}

/* Groups of one key become one; they lie together. */
static void join(struct view *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->count; i++) {
		if (kept && by_key(&v->all[kept - 1], &v->all[i], NULL) == 0) {
			struct view_row *to = &v->all[kept - 1];

			to->delta += v->all[i].delta;
			for (int side = 0; side < SIDES; side++) {
				to->ns[side] = sat_add(to->ns[side], v->all[i].ns[side]);
				to->common[side] += v->all[i].common[side];
			}
		} else {
			v->all[kept++] = v->all[i];
		}
	}
	v->count = kept;
}

static int list_leaves(struct view *v, const struct diff *d, struct grouping *g, struct err *e)
{
	v->all = arena_alloc(g->arena,
			     d->sides.of[BEFORE].leaf_count + d->sides.of[AFTER].leaf_count,
			     sizeof(*v->all));
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < d->sides.of[side].leaf_count; i++) {
			const struct side_leaf *l = &d->sides.of[side].leaves[i];
			struct view_row *to = &v->all[v->count++];

			*to = (struct view_row){.delta = l->delta};
			to->ns[side] = l->all.ns;
			to->common[side] = l->common;
			if (name_group(g, l->key, to, e) < 0)
				return -1;
		}
	}
	return 0;
}

/* Each side's column, with what it has beside the common mix, sums up to its step. */
static void round_rows(struct view *v, const struct diff *d)
{
	exact_ns *units = mem_alloc(v->count + 1, sizeof(*units));
	int64_t *ns = mem_alloc(v->count + 1, sizeof(*ns));

	for (int side = 0; side < SIDES; side++) {
		units[v->count] = d->beyond[side];
		for (size_t i = 0; i < v->count; i++)
			units[i] = v->all[i].common[side];
		exact_round(&d->sides, units, v->count + 1, ns);
		v->beyond_ns[side] = v->step_ns[side] = ns[v->count];
		for (size_t i = 0; i < v->count; i++) {
			v->all[i].step_ns[side] = ns[i];
			v->step_ns[side] += ns[i];
		}
	}
	free(units);
	free(ns);
}

static int open_categories(struct grouping *g, struct err *e)
{
	enum category_missing missing;

	if (g->by != VIEW_CATEGORY)
		return 0;
	if (category_maps_read(&g->maps, NULL, 0, e) < 0)
		return -1;
	return categories_compile(
		&g->categories,
		category_maps_find(&g->maps, str_of("default"), str_of("default"), &missing), e);
}

int view_make(struct view *ret, const struct diff *d, enum diff_view by, struct arena *arena,
	      struct err *e)
{
	struct grouping g = {.by = by, .arena = arena};
	int result = open_categories(&g, e);

	*ret = (struct view){0};
	if (result == 0)
		result = list_leaves(ret, d, &g, e);
	if (result == 0) {
		sort_stable(ret->all, ret->count, sizeof(*ret->all), by_key, NULL);
		join(ret);
		sort_stable(ret->all, ret->count, sizeof(*ret->all), by_size, NULL);
		round_rows(ret, d);
	}
	categories_free(&g.categories);
	category_maps_free(&g.maps);
	return result;
}
