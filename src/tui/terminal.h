/* Where keys come from and screens go to: a terminal (screen.c), or a script (script.c). */
#ifndef TUI_TERMINAL_H
#define TUI_TERMINAL_H

#include "base/err.h"
#include "tui/canvas.h"
#include "tui/keys.h"

struct terminal;

struct terminal_kind {
	void (*size)(struct terminal *t, int *ret_cols, int *ret_rows);
	/*
	 * 1: a key; 0: there are no more; -1: *e. wait_ms: how long one is waited for, -1 for any
	 * time; when none came in it, the key has the code 0.
	 */
	int (*next)(struct terminal *t, int wait_ms, struct key_event *ret, struct err *e);
	void (*show)(struct terminal *t, const struct canvas *c);
	void (*redraw)(struct terminal *t);  /* all of it, whatever is there; may be NULL */
	void (*suspend)(struct terminal *t); /* until somebody continues us; may be NULL */
	/* Gives the terminal back and ends the program at once; NULL: nobody sits there. */
	void (*leave)(struct terminal *t);
	/* Text for the clipboard of whoever sits there; may be NULL. */
	void (*copy)(struct terminal *t, struct str text);
};

struct terminal {
	const struct terminal_kind *kind;
	bool ascii, mono; /* what it can show */
};

#endif
