/*
 * What starts LLM programs, and what a profiler must know of it: presets by launcher, each a short
 * entry of data.
 */
#ifndef CAPTURE_LAUNCHERS_H
#define CAPTURE_LAUNCHERS_H

#include "base/err.h"

#include <stddef.h>

enum { LAUNCHER_FLAGS = 4, LAUNCHER_VARIABLES = 4 };

struct launcher {
	const char *name;
	const char *flags[LAUNCHER_FLAGS + 1];	       /* of nsys profile, on top of the usual */
	const char *variables[LAUNCHER_VARIABLES + 1]; /* "NAME=value" */
	const char *inside; /* the profiler starts behind this program and its options; or NULL */
	const char *output; /* at the end of the report's name, where there are several; or NULL */
	const char *expect; /* for people: what comes out, and what is good to know */
};

/* NULL after the last. */
const struct launcher *launcher_at(size_t i);
/* ERR_USAGE that names those that there are. */
int launcher_find(const char *name, const struct launcher **ret, struct err *e);

/*
 * Where in the command the profiled program begins: behind srun and its options for `slurm`, else
 * 0. ERR_USAGE when the command does not begin with what the launcher is, or has no program.
 */
int launcher_program_at(const struct launcher *l, const char *const *argv, size_t argc,
			size_t *ret_at, struct err *e);

#endif
