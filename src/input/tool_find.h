/* NVIDIA's programs: in PATH, or where their installers put them. */
#ifndef INPUT_TOOL_FIND_H
#define INPUT_TOOL_FIND_H

#include "base/err.h"

struct tool {
	const char *name;	   /* "nsys" */
	const char *variable;	   /* of the environment: folders or globs, in place of the usual */
	const char *const *places; /* globs of files, or of folders that hold one of that name */
};

/* Is what the user named with --OPTION a program? ERR_USAGE if not. */
int tool_check(const struct tool *t, const char *path, const char *option, struct err *e);
/* The one of PATH, else the newest of the usual places, else NULL. Caller frees. */
char *tool_find(const struct tool *t);

extern const struct tool tool_nsys, tool_ncu;

#endif
