/* Which ranges of a path are on both sides? */
#include "diff/matching/common_paths.h"

#include "base/mem.h"
#include "diff/step_paths.h"

#include <string.h>

static const char between[] = " / "; /* the names of a path */

/* What each side has: paths, and those that lead to them. */
struct search {
	struct common_paths *to;
	struct strtab has[SIDES];
	struct arena *arena;
};

static void add_run(struct strtab *paths, const struct account *a)
{
	for (size_t i = 0; i < a->leaf_count; i++)
		strtab_add(paths, str_of(a->leaves[i].path));
	for (size_t i = 0; i < a->host_count; i++)
		strtab_add(paths, str_of(a->host[i].path));
}

/* The next name of a path, which is its n-th, and what follows it: nothing follows the last that
 * a path may have. */
static struct str next_name(const char **at, size_t n)
{
	const char *begin = *at, *end = n + 1 < STEP_PATH_RANGES ? strstr(begin, between) : NULL;
	const size_t len = end ? (size_t)(end - begin) : strlen(begin);

	*at = end ? end + strlen(between) : begin + len;
	return (struct str){begin, len};
}

/* The names of a path that the other side has in the same ranges, as far as these are common. */
static void add_common(struct buf *b, const char *path, const struct strtab *other)
{
	const char *at = path;

	for (size_t n = 0; *at; n++) {
		const struct str name = next_name(&at, n);
		const size_t had = b->len;

		buf_adds(b, had ? between : "");
		buf_addstr(b, name);
		if (strtab_find(other, buf_str(b)) == STRTAB_NONE)
			buf_shorten(b, had);
	}
}

static const char *find_common(const struct search *x, enum side side, const char *path)
{
	SCOPED_BUF b = {0};

	/* What lies between steps is no part of one, whatever the other side has there. */
	if (strcmp(path, LEAF_BETWEEN) == 0)
		return path;
	/* Nor is it to be taken apart, where names may be empty, if there is nothing to take. */
	if (strtab_find(&x->to->paths[!side], str_of(path)) != STRTAB_NONE)
		return path;
	add_common(&b, path, &x->has[!side]);
	return b.len == strlen(path) ? path : arena_strdup(x->arena, b.len ? b.s : "");
}

static void add_prefixes(struct search *x, enum side side, const char *path)
{
	const char *at = path;

	for (size_t n = 0; *at; n++) {
		const struct str name = next_name(&at, n);

		strtab_add(&x->has[side], (struct str){path, (size_t)(name.s + name.len - path)});
	}
}

static void find_all(struct search *x)
{
	for (int side = 0; side < SIDES; side++) {
		const struct strtab *paths = &x->to->paths[side];

		for (size_t i = 0; i < paths->count; i++)
			x->to->common[side][i] = find_common(x, (enum side)side, paths->items[i].s);
	}
}

void common_paths_make(struct common_paths *ret, const struct sides *s, struct arena *arena)
{
	struct search x = {.to = ret, .arena = arena};

	*ret = (struct common_paths){0};
	for (int side = 0; side < SIDES; side++) {
		struct strtab *paths = &ret->paths[side];

		for (size_t r = 0; r < s->of[side].run_count; r++)
			add_run(paths, s->of[side].runs[r]);
		ret->common[side] = arena_alloc(arena, paths->count, sizeof(char *));
		for (size_t i = 0; i < paths->count; i++)
			add_prefixes(&x, (enum side)side, paths->items[i].s);
	}
	find_all(&x);
	/* "loop / forward" is "forward" beside a side without the loop: that is its "forward", too.
	 */
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < ret->paths[side].count; i++)
			add_prefixes(&x, (enum side)side, ret->common[side][i]);
	}
	find_all(&x);
	strtab_free(&x.has[BEFORE]);
	strtab_free(&x.has[AFTER]);
}

void common_paths_free(struct common_paths *c)
{
	strtab_free(&c->paths[BEFORE]);
	strtab_free(&c->paths[AFTER]);
}

const char *common_path_of(const struct common_paths *c, enum side side, const char *path)
{
	const uint32_t number = strtab_find(&c->paths[side], str_of(path));

	return number == STRTAB_NONE ? path : c->common[side][number];
}
