/* Stretches of time that are nobody's rows: what was derived from events. */
#ifndef TIMELINE_SPAN_SOURCE_H
#define TIMELINE_SPAN_SOURCE_H

#include "timeline/lane.h"

struct derived_span {
	int64_t start_ns, end_ns;
	uint32_t of; /* what it stands for, as whoever made it says */
	uint8_t class;
};

/* Ids are numbers of spans. A zeroed one is empty. */
struct span_source {
	struct lane_source base;
	struct derived_span *all;
	size_t count, cap;
	uint32_t *lane_of; /* by derived_span.of, where its maker chose lanes; NULL */
	size_t lanes, lane_cap;
};

void span_source_begin(struct span_source *s);
void span_source_add(struct span_source *s, struct derived_span span);
void span_source_free(struct span_source *s);

#endif
