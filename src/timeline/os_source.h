/* Calls of the operating system's runtime as events of lanes: an id is the row of a call. */
#ifndef TIMELINE_OS_SOURCE_H
#define TIMELINE_OS_SOURCE_H

#include "timeline/lane.h"
#include "timeline/thread_rows.h"
#include "trace/calls/os_waits.h"

struct os_source {
	struct lane_source base;
	const struct events *events;
	uint8_t *wait_of_name; /* enum os_wait: the looks of calls */
	struct rows_by_thread threads;
};

/* An export without such calls has none. */
int os_source_begin(struct os_source *s, struct trace *t, struct err *e);
void os_source_free(struct os_source *s);

#endif
