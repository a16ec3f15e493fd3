/*
 * Compressed files. A format is a constant with a few functions over one stream of bytes; all of
 * reading, writing and refusing is common to the formats.
 */
#ifndef INPUT_UNPACK_H
#define INPUT_UNPACK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A step takes from `in`, puts into `out` and moves both along. */
struct unpack_step {
	unsigned char *in;
	size_t in_left;
	unsigned char *out;
	size_t out_room;
	bool complete; /* kept by the format: the stream may end here */
};

struct unpack_format {
	const char *name;
	const char *magic; /* how such a file begins */
	size_t magic_len;
	void *(*open)(void); /* NULL when memory is short */
	/* Returns NULL, or what is wrong with the stream. */
	const char *(*step)(void *state, struct unpack_step *s);
	void (*close)(void *state);
};

extern const struct unpack_format unpack_gzip;
extern const struct unpack_format unpack_zstd;

/* The format of a file that begins with these bytes, or NULL. */
const struct unpack_format *unpack_recognise(const void *head, size_t len);
/* A cache_make_fn; `format` is a struct unpack_format. */
int unpack_file(const char *source, const char *out, const void *format, struct err *e);

/* How a SQLite file begins. */
enum { MAGIC_BYTES = 16 };

/* The terminating zero is part of the magic. */
extern const char magic_sqlite[MAGIC_BYTES];

bool magic_file_is_sqlite(const char *path);

#endif
