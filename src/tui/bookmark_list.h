/* Bookmarks on the screen: set one, list them, go to one. */
#ifndef TUI_BOOKMARK_LIST_H
#define TUI_BOOKMARK_LIST_H

#include "tui/app.h"

/* Here, with what the view knows of it. */
int bookmark_set(struct app *a, struct err *e);
void bookmark_list_show(struct app *a);
/* To the next one in time, or the one before; after the last comes the first. */
int bookmark_cycle(struct app *a, bool back, struct err *e);

#endif
