/*
 * What a writer has made ready to be copied, by number: names in quotes, args of a shape. A hostile
 * trace has more of it than memory: what is beyond a bound is made anew each time.
 */
#ifndef EXPORT_READY_H
#define EXPORT_READY_H

#include "base/arena.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

enum { READY_BYTES = 64 << 20 };

struct ready {
	struct str *all; /* s NULL: not made yet */
	size_t count, cap;
	size_t bytes;
	struct arena arena;
};

static inline bool ready_has(const struct ready *r, uint32_t number)
{
	return number < r->count && r->all[number].s;
}

/* Keeps a copy, which is returned. */
static inline struct str ready_keep_always(struct ready *r, uint32_t number, struct str made)
{
	MEM_GROW(r->all, r->cap, (size_t)number + 1);
	while (r->count <= number)
		r->all[r->count++] = (struct str){NULL, 0};
	r->bytes += made.len;
	return r->all[number] = arena_str(&r->arena, made);
}

/* The same where there is room; else it is `made`, to be used before the next is made. */
static inline struct str ready_keep(struct ready *r, uint32_t number, struct str made)
{
	return r->bytes + made.len > READY_BYTES ? made : ready_keep_always(r, number, made);
}

static inline void ready_free(struct ready *r)
{
	free(r->all);
	arena_free(&r->arena);
	*r = (struct ready){0};
}

#endif
