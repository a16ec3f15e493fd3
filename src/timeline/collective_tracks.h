/* Collectives on each GPU: its communication kernels, each by what it is and how much it moves. */
#ifndef TIMELINE_COLLECTIVE_TRACKS_H
#define TIMELINE_COLLECTIVE_TRACKS_H

#include "timeline/span_source.h"

struct collective_spans {
	struct span_source *of_gpu; /* by partition; `of` is a name, the class its type */
	size_t gpu_count;
	const char **names; /* "AllReduce 4.19 MB"; each once */
	size_t name_count, name_cap;
};

void collective_spans_free(struct collective_spans *c);

#endif
