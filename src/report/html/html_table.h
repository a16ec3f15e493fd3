/* A table in a page. */
#ifndef REPORT_HTML_TABLE_H
#define REPORT_HTML_TABLE_H

#include "report/out.h"

/* The first rows of it, and how many there are if that is not all. */
int html_add_table(struct out *o, const struct table *t, const char *id, struct err *e);

#endif
