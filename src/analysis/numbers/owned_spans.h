/* When something of a thread, process or other owner goes on: by owner, in order, none touching the
 * next. */
#ifndef ANALYSIS_OWNED_SPANS_H
#define ANALYSIS_OWNED_SPANS_H

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

struct owned_span {
	uint64_t owner;
	struct span time;
};

struct owned_spans {
	struct owned_span *all;
	size_t count, cap;
};

/* In any order; those of one owner may lie over each other. */
void owned_spans_add(struct owned_spans *s, uint64_t owner, struct span time);
/* Before any is asked for: orders and joins them. */
void owned_spans_join(struct owned_spans *s);
/* Whether some of an owner's time lies in one, for an instant or longer. */
bool owned_spans_overlap(const struct owned_spans *s, uint64_t owner, struct span time);
void owned_spans_free(struct owned_spans *s);

#endif
