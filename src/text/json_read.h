/*
 * Small JSON documents that users write: settings, maps. Objects keep the order of the file.
 * jansson is known to json_read.c alone.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

enum { JSON_LARGEST_BYTES = 1 << 20 };

/* A value of a document, which owns it; the document itself is one and owns all of them. */
struct json;

enum json_kind {
	JSON_KIND_NULL,
	JSON_KIND_BOOL,
	JSON_KIND_NUMBER,
	JSON_KIND_TEXT,
	JSON_KIND_ARRAY,
	JSON_KIND_OBJECT,
};

/*
 * ERR_INPUT that names file, line and column when the file is no JSON, or larger than
 * JSON_LARGEST_BYTES; what file_read_stream() says when it cannot be read. A key that comes twice
 * in an object is such an error too.
 */
int json_read_file(struct json **ret, const char *path, struct err *e);
/* The same for text; `name` stands for the file in messages. */
int json_read_text(struct json **ret, struct str text, const char *name, struct err *e);
void json_read_free(struct json *document); /* NULL is fine */

enum json_kind json_read_kind(const struct json *v);
/* "null", "a number", "an array": for messages. */
const char *json_read_kind_name(const struct json *v);
/* Empty where it is no text. May hold any byte, zeros too. */
struct str json_read_string(const struct json *v);
/* 0 where it is no number. */
double json_read_number(const struct json *v);
/* Whether it is a whole number, 3.0 too, that fits. */
bool json_read_whole(const struct json *v, int64_t *ret);
bool json_read_is_true(const struct json *v);
/* The value of a key; NULL where there is none, or this is no object. */
const struct json *json_read_member(const struct json *object, const char *key);

/* Elements of an array, 0 for anything else. */
size_t json_read_length(const struct json *v);
const struct json *json_read_element(const struct json *v, size_t i);

struct json_member {
	struct str key;
	const struct json *value;
	void *cursor;
};

/* Walks through an object: begin with a zeroed struct; false after the last member. */
bool json_read_next(const struct json *object, struct json_member *m);

#endif
