/* Where programs are. */
#ifndef INPUT_PROGRAM_H
#define INPUT_PROGRAM_H

#include "base/err.h"

#include <stdbool.h>

/* A regular file that this user may execute. */
bool program_is_one(const char *path);
/*
 * What execvp() would run for the word: itself when it has a slash, else the first of PATH; caller
 * frees. ERR_USAGE that says what is there instead when there is none.
 */
int program_find(const char *word, char **ret_path, struct err *e);
/* The same where not having it is no error: NULL, and of PATH only absolute folders. */
char *program_find_absolute(const char *name);

#endif
