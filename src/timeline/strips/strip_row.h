/*
 * A row of a strip that is being made: stretches of time are added by their starts, and what
 * overlaps an earlier one counts from that one's end on, so that its time is that of the union.
 */
#ifndef TIMELINE_STRIP_ROW_H
#define TIMELINE_STRIP_ROW_H

#include "report/strip.h"
#include "timeline/span_source.h"

struct strip_line {
	struct span window;
	struct span_source spans; /* in the window; `of` is what whoever adds them says */
	int64_t reached_ns;	  /* by then all so far have ended */
};

void strip_line_begin(struct strip_line *l, struct span window);
void strip_line_add(struct strip_line *l, struct span time, uint8_t class, uint32_t of);
int64_t strip_line_busy(const struct strip_line *l);
/* What an event is called, by its `of`; empty: nothing. */
typedef struct str strip_name_fn(const void *ctx, uint32_t of);
/* Frees the line. `name` may be NULL: nothing has one. */
void strip_line_end(struct strip_line *l, struct strip_row *ret, strip_name_fn *name,
		    const void *ctx);

#endif
