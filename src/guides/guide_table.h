/* Tables of a guide. */
#ifndef GUIDES_GUIDE_TABLE_H
#define GUIDES_GUIDE_TABLE_H

#include "base/buf.h"

/* Appends a table, the first row of which has the titles. The last column wraps; where too little
 * room is left for it, the cells of a row go below one another. */
void guide_add_table(struct buf *b, struct str rows, size_t width);

#endif
