/*
 * Stretches of time that are nobody's rows: what was derived from events. There may be as many as
 * of these: 13 bytes each, and 4 more where they stand for something. An end too far from its start
 * for 32 bits is an overflow value.
 */
#ifndef TIMELINE_SPAN_SOURCE_H
#define TIMELINE_SPAN_SOURCE_H

#include "base/overflow_values.h"
#include "timeline/lane.h"

struct derived_span {
	int64_t start_ns, end_ns;
	uint32_t of; /* what it stands for, as whoever made it says */
	uint8_t class;
};

/* Ids are numbers of spans. A zeroed one is empty. */
struct span_source {
	struct lane_source base;
	int64_t *start_ns;
	uint32_t *length;
	uint8_t *class;
	uint32_t *of; /* NULL: 0 for all */
	struct overflow_values far_ends;
	size_t count, cap;
	uint32_t *lane_of; /* by derived_span.of, where its maker chose lanes; NULL */
	size_t lanes, lane_cap;
};

void span_source_begin(struct span_source *s);
/* There will be so many. */
void span_source_reserve(struct span_source *s, size_t count);
void span_source_add(struct span_source *s, struct derived_span span);
/* The last one ends then; there must be one. */
void span_source_extend(struct span_source *s, int64_t end_ns);
struct derived_span span_source_at(const struct span_source *s, size_t i);
void span_source_free(struct span_source *s);

#endif
