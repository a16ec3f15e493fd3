/*
 * The colours of roles: those that people tell apart who see no red or no green, after Okabe and
 * Ito; for terminals of 16, 256 or all colours, light and dark.
 */
#ifndef TUI_TERMINAL_PALETTE_H
#define TUI_TERMINAL_PALETTE_H

#include "tui/canvas.h"

struct palette_entry {
	int colour, ground; /* as curses numbers them; -1: the terminal's own */
	bool bold, dim, reverse;
};

struct palette {
	struct palette_entry roles[ROLE_COUNT];
};

/* How many colours there are, 0 for none, and whether their numbers are RGB. */
void palette_make(struct palette *p, int colours, bool rgb);

#endif
