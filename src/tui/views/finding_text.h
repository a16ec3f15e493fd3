/* A finding on the screen, and the way from it to the time where it is seen. */
#ifndef TUI_FINDING_TEXT_H
#define TUI_FINDING_TEXT_H

#include "report/finding.h"
#include "tui/app.h"

void finding_text_draw(const struct finding *f, struct canvas *c, struct area area);
/* The timeline, with the evidence selected and some time around it. */
int finding_show(struct app *a, struct span evidence, struct err *e);

#endif
