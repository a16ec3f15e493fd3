/*
 * JSON that people read, too: a member or element on each line, indented by two. Keys are NULL in
 * arrays. Whoever opens something closes it.
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/buf.h"

#include <stdint.h>

enum { JSON_WRITE_DEEPEST = 16 };

struct json_writer {
	struct buf *out;
	int depth;
	bool has_members[JSON_WRITE_DEEPEST];
};

void json_write_open(struct json_writer *w, const char *key, char bracket); /* '{' or '[' */
void json_write_close(struct json_writer *w, char bracket);		    /* '}' or ']' */
void json_write_str(struct json_writer *w, const char *key, struct str s);
/* NULL becomes null. */
void json_write_text(struct json_writer *w, const char *key, const char *s);
void json_write_int(struct json_writer *w, const char *key, int64_t n);
void json_write_real(struct json_writer *w, const char *key, double x); /* null unless finite */
void json_write_bool(struct json_writer *w, const char *key, bool b);
/* An array of numbers, on one line. */
void json_write_ints(struct json_writer *w, const char *key, const int64_t *n, size_t count);
void json_write_reals(struct json_writer *w, const char *key, const double *x, size_t count);
void json_write_null(struct json_writer *w, const char *key);

#endif
