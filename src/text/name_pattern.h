/*
 * What people type to find a name: text that is somewhere in it, in any case; the whole name with
 * wildcards, "flash*fwd?"; or a regular expression between slashes, with an i after them where case
 * does not matter. A backslash takes a * or ? for itself.
 */
#ifndef BASE_NAME_PATTERN_H
#define BASE_NAME_PATTERN_H

#include "text/pattern.h"

/* ERR_USAGE when the text is empty, or no pattern. */
int name_pattern_compile(struct pattern **ret, struct str text, struct err *e);

#endif
