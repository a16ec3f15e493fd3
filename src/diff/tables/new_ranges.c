/* Which range does one side have alone? */
#include "base/mem.h"
#include "base/sort.h"
#include "diff/step_paths.h"
#include "diff/tables/diff_words.h"
#include "text/units.h"

#include <stdlib.h>
#include <string.h>

static const double worth_a_word = 0.005; /* of a step */

/* What both sides have in a path, without the ranges inside it. */
struct path_time {
	const char *path;
	bool has[SIDES];
	int64_t ns[SIDES];
};

struct path_times {
	struct path_time *all; /* by path: ranges inside one come after it, before any that begins
				  otherwise */
	size_t count, cap;
};

static int by_path(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct path_time *)a)->path, ((const struct path_time *)b)->path);
}

static void join(struct path_times *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct path_time *last = kept ? &t->all[kept - 1] : NULL;

		if (!last || by_path(last, &t->all[i], NULL) != 0) {
			t->all[kept++] = t->all[i];
			continue;
		}
		for (int side = 0; side < SIDES; side++) {
			last->has[side] |= t->all[i].has[side];
			last->ns[side] = sat_add(last->ns[side], t->all[i].ns[side]);
		}
	}
	t->count = kept;
}

static void add_path(struct path_times *t, const char *path, enum side side, int64_t ns)
{
	struct path_time *p;

	MEM_GROW(t->all, t->cap, t->count + 1);
	p = &t->all[t->count++];
	*p = (struct path_time){.path = path};
	p->has[side] = true;
	p->ns[side] = ns;
}

/* Ranges around a path may have no time of their own: all of it is in ranges inside them. */
static void add_around(struct path_times *t, const char *path, enum side side, struct arena *arena)
{
	const char *end = path;

	for (int i = 1; i < STEP_PATH_RANGES && (end = strstr(end, " / ")); i++, end += 3)
		add_path(t, arena_str(arena, (struct str){path, (size_t)(end - path)}).s, side, 0);
}

static struct path_times list_paths(const struct sides *s, struct arena *arena)
{
	struct path_times t = {0};

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < s->of[side].leaf_count; i++) {
			const struct side_leaf *l = &s->of[side].leaves[i];

			add_path(&t, l->key->path, (enum side)side, l->all.ns);
			add_around(&t, l->key->path, (enum side)side, arena);
		}
	}
	sort_stable(t.all, t.count, sizeof(*t.all), by_path, NULL);
	join(&t);
	return t;
}

static bool is_range(const char *path)
{
	return path[0] && strcmp(path, LEAF_BETWEEN) != 0;
}

/* The time of a range with those inside it; 0 where the other side has any of them. */
static int64_t new_ns(const struct path_times *t, size_t at, enum side side)
{
	const char *path = t->all[at].path;
	const size_t len = strlen(path);
	int64_t ns = 0;

	for (size_t i = at; i < t->count && strncmp(t->all[i].path, path, len) == 0; i++) {
		/* "forward (x)" comes between "forward" and "forward / attn". */
		if (!step_path_is_in(t->all[i].path, path))
			continue;
		if (t->all[i].has[!side])
			return 0;
		ns = sat_add(ns, t->all[i].ns[side]);
	}
	return ns;
}

/* A capture without ranges lacks them all: that says nothing of the program. */
static bool has_ranges(const struct path_times *t, enum side side)
{
	for (size_t i = 0; i < t->count; i++) {
		if (t->all[i].has[side] && is_range(t->all[i].path))
			return true;
	}
	return false;
}

bool diff_add_new_range(struct buf *b, const struct diff *d, enum side side)
{
	const struct side_runs *s = &d->sides.of[side];
	struct arena arena = {0};
	struct path_times t = list_paths(&d->sides, &arena);
	const bool has_both = has_ranges(&t, BEFORE) && has_ranges(&t, AFTER);
	const char *found = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < t.count && has_both; i++) {
		const int64_t ns = is_range(t.all[i].path) ? new_ns(&t, i, side) : 0;

		if (ns > most) {
			most = ns;
			found = t.all[i].path;
		}
	}
	if (found && (double)most >= worth_a_word * (double)s->ns) {
		buf_adds(b, side == AFTER ? "New range " : "Range ");
		diff_add_path(b, found);
		buf_adds(b, side == AFTER ? ": " : " is gone: ");
	} else {
		found = NULL;
	}
	free(t.all);
	arena_free(&arena);
	if (!found)
		return false;
	units_add_ns(b, side_step_ns(s, most));
	buf_addf(b, " %s.", diff_of_what(d));
	return true;
}
