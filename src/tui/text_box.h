/* Lines of text over a view, which scroll and wrap. */
#ifndef TUI_TEXT_BOX_H
#define TUI_TEXT_BOX_H

#include "tui/app.h"

/* Safe text. A line with a tab is a label and its value; one without is bold. */
void text_box_show(struct app *a, const char *title, struct str text);

#endif
