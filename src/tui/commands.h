/* What is typed after a colon: goto, trim, search, write, … */
#ifndef TUI_COMMANDS_H
#define TUI_COMMANDS_H

#include "tui/app.h"

/* Asks for one. */
void commands_ask(struct app *a);
/* Does one. */
int commands_run(struct app *a, const char *line, struct err *e);

#endif
