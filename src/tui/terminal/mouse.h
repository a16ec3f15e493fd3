/*
 * What the mouse did, as terminals tell it in SGR's way ("0;12;7M"), which has no last column. What
 * curses knows of it depends on what it knows of the terminal, which over ssh is often too little.
 */
#ifndef TUI_TERMINAL_MOUSE_H
#define TUI_TERMINAL_MOUSE_H

#include "tui/keys.h"

struct mouse {
	int64_t clicked_ns; /* when the button was last pressed, and where */
	int row, col;
};

/* The terminal begins, or ends, to tell. */
#define MOUSE_BEGIN "\033[?1002h\033[?1006h"
#define MOUSE_END   "\033[?1006l\033[?1002l"
/* What each message begins with. */
#define MOUSE_PREFIX "\033[<"

/* What stands behind the prefix, up to the M or m; false: it is for nobody. */
bool mouse_parse(struct mouse *m, const char *text, int64_t now_ns, struct key_event *ret);

#endif
