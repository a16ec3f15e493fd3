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
/* The same where text without wildcards is the whole name, too. */
int name_pattern_compile_whole(struct pattern **ret, struct str text, struct err *e);
/* Whether it is a regular expression between slashes: "/api/chat" is none. */
bool name_pattern_is_regex(struct str text);

#endif
