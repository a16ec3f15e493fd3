/* The keys of a trace as pictures: tables as boxes that lead to the tables, keys as lines. */
#ifndef CLI_SCHEMA_DRAWING_H
#define CLI_SCHEMA_DRAWING_H

#include "base/buf.h"
#include "commands/schema/schema_map.h"

/* One table between those that refer to it and those that it refers to; nothing without keys. */
void schema_draw_table(struct buf *b, const struct schema_map *m, size_t table);
/* All tables that have rows and keys, but for enumerations. */
void schema_draw_all(struct buf *b, const struct schema_map *m);

#endif
