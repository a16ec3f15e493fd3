/*
 * The terminal as it was, whatever ends the program. From restore_begin() on a signal that ends us,
 * a crash and exit() give it back first; signals then have their usual effect.
 */
#ifndef TUI_TERMINAL_RESTORE_H
#define TUI_TERMINAL_RESTORE_H

#include <stdbool.h>

void restore_begin(void);
/* Somebody else has given it back. */
void restore_end(void);
/* While we are stopped it is the shell's. */
void restore_pause(void);
void restore_resume(void);
/* Whether whoever sat there has gone away. */
bool restore_lost_terminal(void);

#endif
