/* Small files that users write, read whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends what the file holds. ERR_INPUT when it is not there, is no plain file, cannot be read or
 * is larger than `most` bytes, of which no more is read.
 */
int file_read(struct buf *b, const char *path, size_t most, struct err *e);
/* The same for what the user named to be read: "-" is standard input, and pipes are waited for. */
int file_read_stream(struct buf *b, const char *path, size_t most, struct err *e);

#endif
