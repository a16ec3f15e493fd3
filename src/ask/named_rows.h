/* Which rows of a table are called what a question says? */
#ifndef ASK_NAMED_ROWS_H
#define ASK_NAMED_ROWS_H

#include "ask/chosen_rows.h"

/* Keeps the rows that are meant by names, or by words that are in names; all, where none is. */
void rows_keep_named(struct chosen_rows *r, const struct topic *topic, const struct question *q);
/* The column that says who a row is; -1: none does. */
int rows_name_column(const struct table *t);

#endif
