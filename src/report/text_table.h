/* Tables for a terminal. */
#ifndef REPORT_TEXT_TABLE_H
#define REPORT_TEXT_TABLE_H

#include "report/out.h"

/* Title, header, rows and what was cut; or, for a table of facts, one line per fact. */
int text_add_table(struct out *o, const struct table *t, const struct style *style, struct err *e);

#endif
