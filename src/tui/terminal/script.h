/*
 * Keys from a file, and a screen that nobody sees: how tests run. A line holds names of keys with
 * spaces between them, and "text" that is typed; one that begins with a colon is typed with an
 * Enter after it; "save FILE" and "save-looks FILE" keep the screen as it is then; # begins a
 * comment.
 */
#ifndef TUI_TERMINAL_SCRIPT_H
#define TUI_TERMINAL_SCRIPT_H

#include "tui/terminal.h"

/* Reads all of it: a name that no key has is ERR_USAGE, with its line. For script_close(). */
int script_open(struct terminal **ret, const char *path, int cols, int rows, struct err *e);
void script_close(struct terminal *t); /* NULL is fine */

#endif
