/* Which columns people see of a table whose columns may all be empty. */
#ifndef ANALYSIS_SHOWN_COLUMNS_H
#define ANALYSIS_SHOWN_COLUMNS_H

#include "report/report.h"

/* A copy of the columns in the report's arena, to be changed before they are shown. */
struct column *columns_copy(struct report *r, const struct column *columns, size_t count);
/* People need no column in which no row has anything; `columns` are the table's own. */
void columns_hide_empty(const struct rows *rows, struct column *columns);

#endif
