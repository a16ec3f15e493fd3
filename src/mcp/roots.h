/*
 * The folders whose files may be read, and nothing else: what a name leads to, links followed, is a
 * plain file below one of them, or there is no such file for who asks.
 */
#ifndef MCP_ROOTS_H
#define MCP_ROOTS_H

#include "base/err.h"
#include "base/string_list.h"

#include <stdint.h>
#include <time.h>

struct roots {
	struct string_list all; /* real paths, each for free() */
};

/* ERR_INPUT where it is no folder. */
int roots_add(struct roots *r, const char *folder, struct err *e);
void roots_free(struct roots *r);

/* The real path of a file, for free(); a name that does not begin with / is sought in each root. */
int roots_find_file(const struct roots *r, const char *name, char **ret, struct err *e);
/* The same of a trace, which the folder of a run that has one alone may stand for. */
int roots_find_trace(const struct roots *r, const char *name, char **ret, struct err *e);
/* The name by which it is shown: without its root, where there is one alone. */
const char *roots_shown(const struct roots *r, const char *real);

/* A file below the roots, while they are looked through. */
struct root_file {
	const char *path; /* real */
	const char *name; /* its last part */
	uint64_t size_bytes;
	struct timespec changed;
};

/* Hidden folders are left out, and links; false: it stopped before the end, there are too many. */
bool roots_walk(const struct roots *r, void (*visit)(void *ctx, const struct root_file *f),
		void *ctx);

#endif
