/* A comparison as pictures: charts whose numbers also stand in its tables. */
#ifndef DIFF_CHARTS_DIFF_CHARTS_H
#define DIFF_CHARTS_DIFF_CHARTS_H

#include "diff/diff.h"
#include "report/report.h"

/* As diff_report() asks for them, under headings of their own. */
int diff_add_charts(struct report *r, const struct diff *d, double tolerance, struct err *e);
/* The usual steps of both sides above one another; nothing where accounts have no ops. */
void diff_add_ribbons(struct report *r, const struct diff *d);

#endif
