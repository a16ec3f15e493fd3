/* How many lines of a terminal a text takes: what is wider than the screen wraps. */
#ifndef CLI_SCREEN_LINES_H
#define CLI_SCREEN_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed one is at the beginning of a line. */
struct screen_lines {
	size_t count;  /* lines begun */
	size_t column; /* how many columns of the last are filled */
	bool in_escape;
};

/* Adds text of which pieces may come one after another, colours included. */
void screen_lines_add(struct screen_lines *l, const char *bytes, size_t len, size_t columns);

#endif
