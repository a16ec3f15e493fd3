/*
 * The paths of push/pop ranges: the names of the ranges around one and its own. Ranges with the
 * same names above them have one path, whatever their thread.
 */
#ifndef TRACE_RANGE_PATHS_H
#define TRACE_RANGE_PATHS_H

#include "base/buf.h"
#include "trace/ranges/ranges.h"

struct range_path {
	uint32_t parent; /* RANGE_NONE: none; parents come before their children */
	uint32_t name;	 /* as the caller numbers them */
	uint32_t depth;	 /* from 0 */
};

struct range_paths {
	struct range_path *all;
	size_t count, cap;
	uint32_t *of_range; /* by index in the forest; RANGE_NONE: left out */
};

/*
 * A range's name, or NAME_NONE to leave it out: whatever is inside it then has a path that begins
 * with its own name.
 */
typedef uint32_t range_path_name(const void *ctx, const struct range *r);

void range_paths_make(const struct range_forest *f, range_path_name *name, const void *ctx,
		      struct range_paths *ret);
/* One more, which gets the next number; for those who number paths themselves. */
void range_paths_add(struct range_paths *p, uint32_t parent, uint32_t name);
void range_paths_free(struct range_paths *p);

/* A name for people: the default domain has none, and its colon says nothing. */
struct str range_name_shown(struct str name);

/* "step / forward / attn", outermost first; of hundreds of levels the innermost. */
void range_path_add(struct buf *b, const struct range_paths *p, const struct strtab *names,
		    uint32_t path);

#endif
