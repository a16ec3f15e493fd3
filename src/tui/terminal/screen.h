/*
 * The terminal, by ncurses, which no other file includes. It is given back as it was however the
 * program ends: an exit, an error, a signal, a crash.
 */
#ifndef TUI_TERMINAL_SCREEN_H
#define TUI_TERMINAL_SCREEN_H

#include "tui/terminal.h"

/* ERR_USAGE where there is no terminal, or one that cannot place a cursor. */
int screen_check(const char *command, struct err *e);
/* For screen_close(); mono: no colours, ascii: no glyph but ASCII, even where there could be. */
int screen_open(struct terminal **ret, bool ascii, bool mono, bool mouse, struct err *e);
void screen_close(struct terminal *t); /* NULL is fine */

#endif
