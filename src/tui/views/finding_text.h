/* A finding on the screen, and the way from it to the time where it is seen. */
#ifndef TUI_FINDING_TEXT_H
#define TUI_FINDING_TEXT_H

#include "report/finding.h"
#include "tui/app.h"

void finding_text_draw(const struct finding *f, struct canvas *c, struct area area);
/*
 * The timeline, with a place of a finding selected and some time around it; its number is that
 * among the findings that have places.
 */
int finding_show(struct app *a, struct span evidence, size_t number, struct err *e);

#endif
