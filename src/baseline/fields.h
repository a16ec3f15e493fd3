/*
 * Members of a JSON document that may have been cut off or written by anybody: each is of the type
 * and in the bounds that it should be, or the document is refused, with what is wrong in it.
 */
#ifndef BASELINE_FIELDS_H
#define BASELINE_FIELDS_H

#include "base/arena.h"
#include "text/json_read.h"

struct fields {
	const char *file; /* for messages */
	struct arena *arena;
	struct err *e;
};

/* "'FILE' is damaged, or no baseline: …" */
int fields_refuse(const struct fields *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What to do about a file that is damaged: -1, as err_hint(). */
int fields_hint(const struct fields *f);

/* `keys` has a space between two: the object has all of these, and no others. */
int fields_check_keys(const struct fields *f, const struct json *object, const char *keys);
/* A text without a zero in it, in the arena; `most` bytes. */
int fields_text(const struct fields *f, const struct json *object, const char *key, size_t most,
		const char **ret);
/* "" or "2026-11-15" */
int fields_date(const struct fields *f, const struct json *object, const char *key,
		const char **ret);
int fields_whole(const struct fields *f, const struct json *object, const char *key, int64_t least,
		 int64_t most, int64_t *ret);
int fields_bool(const struct fields *f, const struct json *object, const char *key, bool *ret);
/* An array of `least` to `most` elements. */
int fields_array(const struct fields *f, const struct json *object, const char *key, size_t least,
		 size_t most, const struct json **ret);
/* As many whole numbers from 0 on as the array should have. */
int fields_numbers(const struct fields *f, const struct json *array, size_t count, int64_t *ret);

#endif
