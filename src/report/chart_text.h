/* Labels and values of a chart, for presenters. */
#ifndef REPORT_CHART_TEXT_H
#define REPORT_CHART_TEXT_H

#include "base/buf.h"
#include "report/chart.h"

/* An item's label, safe to show; a kernel's is shortened. */
void chart_add_label(struct buf *b, const struct chart *c, size_t item);
/* A value with its unit, for people. */
void chart_add_value(struct buf *b, const struct chart *c, double value);
/* What can be drawn of a value: 0 for what is not finite, and nothing beyond 10¹⁸ either way. */
double chart_drawable(double value);
/* The drawable values of an item that are not negative, summed. */
double chart_item_total(const struct chart *c, size_t item);

#endif
