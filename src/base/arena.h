/*
 * Memory that is given back all at once. A trace and a report each live in one. Large blocks get
 * a mapping of their own, so that freeing the arena returns them to the system.
 * Not thread-safe: allocate before the parallel part.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *next;
	size_t left;
};

/* A zeroed struct arena is empty and valid. Memory is not cleared. Aligned to 16. */
void *arena_alloc(struct arena *a, size_t count, size_t size);
void *arena_zalloc(struct arena *a, size_t count, size_t size);
char *arena_strdup(struct arena *a, const char *s);
/* A copy of the bytes, with a terminating zero that is not counted. */
struct str arena_str(struct arena *a, struct str s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Gives back one array early. A small one, which shares its block with others, stays. */
void arena_drop(struct arena *a, void *p);
void arena_free(struct arena *a);

#endif
