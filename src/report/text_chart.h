/* A chart in a terminal: stacks only, a line for each bar. */
#ifndef REPORT_TEXT_CHART_H
#define REPORT_TEXT_CHART_H

#include "report/chart.h"
#include "report/present.h"

/* Whether anything of it is shown: on a terminal, where its parts can be told apart. */
bool text_shows_chart(const struct chart *c, const struct style *style);
void text_add_chart(struct buf *b, const struct chart *c, const struct style *style);

#endif
