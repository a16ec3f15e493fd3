/* What is different in names that are shown alike. */
#ifndef REPORT_TELL_APART_H
#define REPORT_TELL_APART_H

#include "base/arena.h"
#include "base/str.h"

/*
 * For each of the names, which are different, a text that no other of them has: words that are not
 * in all of them, "float" or "nocast, 4", with a number where words do not suffice, "#2". One of
 * them may be "". The texts live in the arena and are plain ASCII.
 */
void tell_apart(const struct str *names, size_t count, struct arena *a, const char **ret);

#endif
