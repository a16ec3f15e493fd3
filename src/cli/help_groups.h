/* The groups of commands in `gpuwhy --help`. */
#ifndef CLI_HELP_GROUPS_H
#define CLI_HELP_GROUPS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct help_group {
	const char *title;
	const char *commands; /* with spaces between them */
	const char *example;
};

/* The i-th, NULL after the last. */
const struct help_group *help_group_at(size_t i);
/* The one that names the command; NULL: none does. */
const struct help_group *help_group_of(const char *command);
/* Cuts the next name from *at, which begins as `commands`; false after the last. */
bool help_group_next(const char **at, struct buf *ret);

#endif
