/*
 * Which leaves of one side are which of the other. Kernels are matched within a range path: by name
 * and grid; by name; by names that mean the same; by grid, number of calls and place; by their
 * order in the step. What is left between those that match was replaced: several kernels by one, or
 * one by several. A match that is wrong moves time between rows and never loses any: every leaf is
 * in exactly one row.
 */
#ifndef DIFF_MATCH_H
#define DIFF_MATCH_H

#include "base/err.h"
#include "diff/sides.h"

enum match_how {
	MATCH_SAME,  /* the same ranges of those that both sides have, name and grid; or blame */
	MATCH_GRID,  /* another grid, or several */
	MATCH_NAME,  /* names that mean the same: another tile, template argument, architecture */
	MATCH_RANGE, /* the same kernel in another range */
	MATCH_ORDER, /* other names, but the same place in the step, grid and number of calls */
	MATCH_MAP,   /* the user says so */
	MATCH_BLOCK, /* one or more took the place of one or more */
	MATCH_NEW,   /* on the side after alone */
	MATCH_GONE,  /* on the side before alone */
	MATCHES,
};

struct match {
	enum match_how how;
	double sure;		 /* 0 to 1 */
	uint32_t *leaves[SIDES]; /* numbers of side_leaf */
	size_t count[SIDES];
};

struct matches {
	struct match *all;
	size_t count, cap;
	size_t compared; /* pairs of leaves: the work of the search */
	struct arena arena;
};

/*
 * Of leaves, in all: a second's work. Those of one name that are beyond are one row together, and
 * what has other names is new and gone.
 */
enum { MATCH_PAIRS_MAX = 1 << 24 };

/* Kernels that somebody says are the same: pairs of names, before and after. */
struct match_map {
	struct str *names[SIDES];
	size_t count, cap;
	struct arena arena;
};

/* A file: {"name before": "name after", …}. For match_map_free() whether this fails or not. */
int match_map_read(struct match_map *ret, const char *path, struct err *e);
void match_map_free(struct match_map *m);
/* Whether a name of a map is that of a leaf: whole, or as it is shown. */
bool match_map_is(const struct leaf *l, struct str name);

/* Why a pair of the map matched nothing; NULL: it did. */
const char *match_map_idle(const struct match_map *map, size_t pair, const struct matches *m,
			   const struct sides *s);

/* Leaves of which a part matches something else are split. `map` may be NULL. */
void matches_find(struct matches *ret, struct sides *s, const struct match_map *map);
/* As sides_flip(). */
void matches_flip(struct matches *m);
void match_map_flip(struct match_map *m);
void matches_free(struct matches *m);

/* "same", "grid", …: stable; and for people. */
extern const char *const match_keys[MATCHES], *const match_words[MATCHES];

#endif
