/* Work that may take long: it is done beside the screen, which shows how far it is. */
#ifndef TUI_LOADING_H
#define TUI_LOADING_H

#include "tui/app.h"

typedef int loading_work(struct app *a, void *ctx, struct err *e);

/*
 * Does the work, and returns what it does. On a terminal a bar is there after a moment; Escape
 * gives up what is being read, which then fails as if it could not be read, and q leaves the
 * program.
 */
int loading_run(struct app *a, const char *what, loading_work *work, void *ctx, struct err *e);

/* The same for what goes on while a view is there already: the bar is in the status line. */
int loading_run_below(struct app *a, const char *what, loading_work *work, void *ctx,
		      struct err *e);
/* For trace_set_stop(): whether somebody has given it up. */
bool loading_is_given_up(void);

#endif
