/* Where programs are. */
#ifndef INPUT_PROGRAM_H
#define INPUT_PROGRAM_H

#include "base/err.h"

/*
 * What execvp() would run for the word: itself when it has a slash, else the first of PATH; caller
 * frees. ERR_USAGE that says what is there instead when there is none.
 */
int program_find(const char *word, char **ret_path, struct err *e);
/* The same where not having it is no error: NULL, and of PATH only absolute folders. */
char *program_find_absolute(const char *name);

/* NVIDIA's programs: in PATH, or where their installers put them. */
struct tool {
	const char *name;     /* "nsys" */
	const char *variable; /* of the environment: what to search in place of the usual places */
	const char *places; /* folders that hold one of that name, files or globs; : between them */
};

/* Is what the user named with --OPTION a program? ERR_USAGE if not. */
int tool_check(const struct tool *t, const char *path, const char *option, struct err *e);
/* The one of PATH, else the newest of the usual places, else NULL. Caller frees. */
char *tool_find(const struct tool *t);

extern const struct tool tool_nsys, tool_ncu;

#endif
