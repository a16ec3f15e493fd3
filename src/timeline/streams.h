/* The streams of a trace, and the ops of each in order of time. */
#ifndef TIMELINE_STREAMS_H
#define TIMELINE_STREAMS_H

#include "analysis/scope.h"
#include "timeline/lanes.h"
#include "timeline/op_source.h"

struct stream {
	uint32_t process, device; /* ID_NONE: the export does not say */
	uint32_t context, number;
	uint32_t *ids; /* of its ops; for lanes_pack() */
	size_t count;
};

struct streams {
	struct stream *all; /* by device, then process, context and number */
	size_t count;
};

/* What tells streams apart, beside their places. */
#define COLS_STREAM (COL_BIT(COL_CONTEXT) | COL_BIT(COL_STREAM))

/* Those that the scope asks about; COLS_STREAM must be loaded; `o` is walked from its beginning. */
void streams_list(struct ops *o, const struct scope *p, struct streams *ret);
void streams_free(struct streams *s);

#endif
