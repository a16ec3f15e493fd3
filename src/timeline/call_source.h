/* CUDA calls as events of lanes: an id is the row of a call. */
#ifndef TIMELINE_CALL_SOURCE_H
#define TIMELINE_CALL_SOURCE_H

#include "timeline/lane.h"
#include "timeline/thread_rows.h"
#include "trace/calls/call_class.h"
#include "trace/calls/calls.h"

struct call_source {
	struct lane_source base;
	struct calls calls;
	struct call_classes classes; /* which are the looks of calls */
	struct rows_by_thread threads;
};

/* An export without calls has none. */
int call_source_begin(struct call_source *s, struct trace *t, struct err *e);
void call_source_free(struct call_source *s);

#endif
