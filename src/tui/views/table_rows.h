/* Which rows of a table a pane shows, in which order. */
#ifndef TUI_TABLE_ROWS_H
#define TUI_TABLE_ROWS_H

#include "tui/views/table_pane.h"

/* Sorts and filters; pattern NULL: all rows. ERR_USAGE: it is none, and nothing changes. */
int table_rows_arrange(struct table_pane *p, const char *pattern, struct err *e);
/* The rows as shown, all columns, raw values, tabs between them. */
void table_rows_write(const struct table_pane *p, struct buf *b);

#endif
