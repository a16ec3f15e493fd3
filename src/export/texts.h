/*
 * The texts of a timeline, by number: names, categories, paths of ranges. Writers say each once, or
 * make it ready once, however many events have it. Paths are put together when they are asked for:
 * a hostile trace has more of them than memory.
 */
#ifndef EXPORT_TEXTS_H
#define EXPORT_TEXTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "trace/ranges/range_paths.h"

struct texts {
	struct text {
		const char *s; /* NULL: a path */
		size_t len;    /* or its number */
	} * all;
	size_t count, cap;
	struct arena arena;
	const struct range_paths *paths;
	const struct strtab *path_names;
};

/* The bytes must live on. */
uint32_t texts_add(struct texts *t, struct str s);
/* The bytes are copied. */
uint32_t texts_add_copy(struct texts *t, struct str s);
uint32_t texts_add_path(struct texts *t, uint32_t path);
/* The text, in `scratch` where it has to be put together. */
struct str texts_get(const struct texts *t, uint32_t number, struct buf *scratch);
void texts_free(struct texts *t);

#endif
