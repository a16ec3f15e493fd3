/* The keys of the view that is shown, over it. */
#ifndef TUI_HELP_H
#define TUI_HELP_H

#include "tui/app.h"

void help_show(struct app *a);

#endif
