/*
 * Which category of work a kernel's name stands for. A map is an ordered list of patterns, each
 * with its category, for a model on an engine; the first pattern that is in the name decides.
 * Copies and sets are asked about only by patterns that have "CUDA mem" in them: "H|I" means
 * kernels. Maps come with the program and from files of the user's: {"engine": {"model": {"regex":
 * "category", …}}}.
 */
#ifndef ANALYSIS_CATEGORIES_H
#define ANALYSIS_CATEGORIES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "text/pattern.h"

#include <stdint.h>

/* What no pattern takes, what graphs hide, and what is left of the elapsed time. */
#define CATEGORY_MISC	STR_LIT("misc")
#define CATEGORY_MEMORY STR_LIT("memory")
#define CATEGORY_GRAPHS STR_LIT("whole CUDA graphs")
#define CATEGORY_CPU	STR_LIT("CPU(non-GPU)")

struct category_rule {
	struct str pattern, category;
	bool names_copies;
};

struct category_map {
	struct str engine, model;
	struct category_rule *rules; /* the first that matches decides */
	size_t count;
};

struct category_maps {
	struct arena arena;
	struct category_map *maps; /* in order of their first mention */
	size_t count, cap;
};

/*
 * The program's own maps and then those of the files: a map of an engine and model that are known
 * takes the place of the earlier one. ERR_INPUT that names file, engine, model and pattern when a
 * file is none, a pattern is wrong or there is too much of it.
 */
int category_maps_read(struct category_maps *ret, const char *const *paths, size_t count,
		       struct err *e);
void category_maps_free(struct category_maps *m);

/*
 * The map of engine and model, whatever their case; else the engine's default (its first map where
 * none is called so); else the default of all. *ret_missing says what there was none of.
 */
enum category_missing { MISSING_NOTHING, MISSING_MODEL, MISSING_ENGINE };
const struct category_map *category_maps_find(const struct category_maps *m, struct str engine,
					      struct str model, enum category_missing *ret_missing);
/* Appends "vllm (default), torch (eager, inductor)": every engine and its models. */
void category_maps_list(const struct category_maps *m, struct buf *b);

/* A map made ready to match. Patterns are for one thread at a time. */
struct categories {
	const struct category_map *map;
	struct pattern **patterns;
};

int categories_compile(struct categories *ret, const struct category_map *map, struct err *e);
void categories_free(struct categories *c);
/*
 * The category of a kernel's name, or else CATEGORY_MISC; where it is a copy, of "[CUDA memcpy
 * Host-to-Device]" and its like, or else CATEGORY_MEMORY. ERR_INPUT when finding out takes too
 * long.
 */
int categories_find(const struct categories *c, struct str name, bool copy, struct str *ret,
		    struct err *e);

#endif
