/* Bytes that are compressed on their way to a sink. */
#ifndef INPUT_PACK_H
#define INPUT_PACK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sink.h"

struct packer;

/* NULL when memory is short. What is written to *ret reaches `out` as a gzip stream. */
struct packer *gzip_pack_open(struct sink *out, struct sink *ret);
/* Writes the rest: -1 with errno set when `out` does not take it. */
int gzip_pack_finish(struct packer *p);
void gzip_pack_close(struct packer *p); /* NULL is fine */

/* Appends bytes as a gzip stream; false: memory is short. */
bool gzip_add(struct buf *b, struct str bytes);

/*
 * Makes the zstd file `out` of a file. May leave anything there when it fails, or an
 * interrupt is held: ERR_SYSTEM.
 */
int zstd_pack_file(const char *source, const char *out, struct err *e);

#endif
