/*
 * Which phase of the program a range's name stands for: as a file of the user's says, or guessed
 * from names that many programs use.
 */
#ifndef ANALYSIS_PHASE_MAP_H
#define ANALYSIS_PHASE_MAP_H

#include "base/arena.h"
#include "base/err.h"
#include "text/pattern.h"

#include <stdint.h>

#define PHASE_NONE UINT32_MAX

struct phase_pattern {
	struct pattern *pattern;
	uint32_t phase;
};

struct phase_map {
	struct arena arena;
	struct str *names; /* of phases, in the order of the file */
	size_t count;
	struct phase_pattern *patterns; /* by precedence */
	size_t pattern_count, pattern_cap;
	bool guessed;
};

/*
 * Reads {"phase": ["pattern", …] or "pattern", …}; a pattern is text to be found in any case, or a
 * regular expression after "re:". ERR_INPUT or ERR_USAGE with the file's name when it is not that.
 * path NULL: the built-in map.
 */
int phase_map_read(struct phase_map *ret, const char *path, struct err *e);
void phase_map_free(struct phase_map *m);

/* The number of a phase; ERR_USAGE, with those that there are, where none is called so. */
int phase_map_number(const struct phase_map *m, const char *phase, uint32_t *ret, struct err *e);

/*
 * The phase of a name, or PHASE_NONE: the first in the file that matches. Guessing, a name that
 * more than one phase claims belongs to none.
 */
int phase_map_find(const struct phase_map *m, struct str name, uint32_t *ret, struct err *e);

#endif
