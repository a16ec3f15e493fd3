/* CUDA calls as events of lanes: an id is the row of a call. */
#ifndef TIMELINE_CALL_SOURCE_H
#define TIMELINE_CALL_SOURCE_H

#include "timeline/lane.h"
#include "trace/calls/call_class.h"
#include "trace/calls/calls.h"

/* The calls of one thread. */
struct thread_rows {
	uint32_t thread; /* ID_NONE: the export does not say */
	uint32_t *ids;	 /* NULL: all of them, as they lie */
	size_t count;
};

struct call_source {
	struct lane_source base;
	struct calls calls;
	struct call_classes classes; /* which are the looks of calls */
	struct thread_rows *threads;
	size_t thread_count;
};

/* An export without calls has none. */
int call_source_begin(struct call_source *s, struct trace *t, struct err *e);
void call_source_free(struct call_source *s);

#endif
