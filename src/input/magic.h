/* How a SQLite file begins. */
#ifndef INPUT_MAGIC_H
#define INPUT_MAGIC_H

#include <stdbool.h>
#include <stddef.h>

enum { MAGIC_BYTES = 16 };

/* The terminating zero is part of the magic. */
extern const char magic_sqlite[MAGIC_BYTES];

bool magic_file_is_sqlite(const char *path);

#endif
