/* Memory in use, as values of lanes. */
#ifndef TIMELINE_MEMORY_TRACKS_H
#define TIMELINE_MEMORY_TRACKS_H

#include "analysis/gpu/memory_series.h"
#include "timeline/values.h"

/* One kind of memory of a GPU; ids are numbers of its changes. */
struct memory_line {
	struct value_source base;
	const struct memory_series *of; /* bytes are what is in use from the change on */
	int64_t end_ns;			/* of the last one: that of the last op */
};

struct memory_lines {
	struct memory_changes changes;
	struct memory_line *all;
	size_t count;
};

void memory_lines_free(struct memory_lines *m);

#endif
