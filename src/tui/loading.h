/* Work that may take long: it is done beside the screen, which shows how far it is. */
#ifndef TUI_LOADING_H
#define TUI_LOADING_H

#include "tui/app.h"

typedef int loading_work(struct app *a, void *ctx, struct err *e);

/*
 * Does the work, and returns what it does. On a terminal a bar is there after a moment, and whoever
 * does not want to wait leaves the program with q: nothing that is read can be given up halfway.
 */
int loading_run(struct app *a, const char *what, loading_work *work, void *ctx, struct err *e);

#endif
