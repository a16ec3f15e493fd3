/* NVTX ranges as events of lanes: an id is the number of a range in its forest. */
#ifndef TIMELINE_RANGE_SOURCE_H
#define TIMELINE_RANGE_SOURCE_H

#include "timeline/lane.h"
#include "trace/ranges/ranges.h"

struct range_source {
	struct lane_source base;
	struct range_forest forest;
	const uint32_t *name_of_row;
	struct folded_names folded; /* ranges of one name, but for its counter, look alike */
	uint8_t *classes;	    /* by folded name */
};

/* An export without ranges has none. */
int range_source_begin(struct range_source *s, struct trace *t, enum forest_kind kind,
		       struct err *e);
/* What range `i` of the forest is called, and its class. */
struct str range_source_name(const struct range_source *s, const struct trace *t, uint32_t i);
uint8_t range_source_class(const struct range_source *s, uint32_t i);
/* Ranges of a thread lie together: behind the last of those that begin there. */
size_t range_source_thread_end(const struct range_source *s, size_t begin);
void range_source_free(struct range_source *s);

#endif
