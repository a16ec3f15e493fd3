/* How long does each range take? */
#include "gate/range_times.h"

#include "base/mem.h"
#include "base/sort.h"
#include "diff/step_paths.h"

#include <stdlib.h>

/* What a leaf takes is added to one range. */
static void add_to(struct range_times *t, struct str path, const struct side_leaf *l,
		   const struct side_runs *s, size_t first)
{
	const size_t known = t->paths.count;
	const size_t at = strtab_keep(&t->paths, &t->arena, path) * t->runs;

	if (t->paths.count > known) {
		MEM_GROW(t->means, t->cap, at + t->runs);
		memset(t->means + at, 0, t->runs * sizeof(*t->means));
	}
	for (size_t r = 0; r < s->run_count; r++)
		t->means[at + first + r] += (double)l->of_run[r] / (double)s->runs[r]->step_count;
}

/* The range that it is in and all around that. */
static void add_leaf(struct range_times *t, const struct side_leaf *l, const struct side_runs *s,
		     size_t first)
{
	const char *path = l->key->path[0] ? l->key->path : LEAF_IN_NO_RANGE, *end = path;

	for (int i = 1; i < STEP_PATH_RANGES && (end = strstr(end, " / ")); i++, end += 3)
		add_to(t, (struct str){path, (size_t)(end - path)}, l, s, first);
	add_to(t, str_of(path), l, s, first);
}

static int by_text(const void *a, const void *b, void *ctx)
{
	const struct strtab *paths = ctx;

	return strcmp(paths->items[*(const uint32_t *)a].s, paths->items[*(const uint32_t *)b].s);
}

void range_times_make(struct range_times *ret, const struct sides *s)
{
	*ret = (struct range_times){.runs = s->of[BEFORE].run_count + s->of[AFTER].run_count};
	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *runs = &s->of[side];

		for (size_t i = 0; i < runs->leaf_count; i++)
			add_leaf(ret, &runs->leaves[i], runs, side ? s->of[BEFORE].run_count : 0);
	}
	ret->sorted = mem_alloc(ret->paths.count, sizeof(*ret->sorted));
	for (uint32_t i = 0; i < ret->paths.count; i++)
		ret->sorted[i] = i;
	sort_stable(ret->sorted, ret->paths.count, sizeof(*ret->sorted), by_text, &ret->paths);
}

void range_times_free(struct range_times *t)
{
	strtab_free(&t->paths);
	free(t->means);
	free(t->sorted);
	arena_free(&t->arena);
	*t = (struct range_times){0};
}
