/*
 * A strip: the timeline around one place of a finding, small enough for a page. Rows of the host
 * lie above those of the GPU. Whoever makes it knows events; whoever draws it knows only this.
 */
#ifndef REPORT_STRIP_H
#define REPORT_STRIP_H

#include "base/span.h"
#include "base/str.h"

#include <stddef.h>

/* Events: those of one row that are wide enough for a name. */
enum { STRIP_CELLS = 100, STRIP_ROWS = 8, STRIP_EVENTS = 10 };

enum strip_kind {
	STRIP_RANGES, /* of one depth */
	STRIP_CALLS,  /* CUDA calls */
	STRIP_OS,     /* calls of the operating system's runtime */
	STRIP_GPU,    /* what the GPU did: it computes, communicates, copies, or is idle */
	STRIP_STREAM,
};

/* What goes on. Of ranges it tells neighbours apart, and nothing else: it is below
 * STRIP_TINTS. */
enum strip_class {
	STRIP_COMPUTE,
	STRIP_COMM,
	STRIP_COPY,
	STRIP_LAUNCH,
	STRIP_WAIT,
	STRIP_MEMORY,
	STRIP_CODE,
	STRIP_OTHER,
	STRIP_CLASSES,
};
enum { STRIP_TINTS = 6 };

struct strip_cell {
	unsigned char class;   /* that has most of its busy time */
	unsigned char eighths; /* of its time that is busy; 0: nothing goes on in it */
};

struct strip_event {
	struct span time; /* as far as it lies in the window */
	struct str name;  /* as the trace has it */
};

struct strip_row {
	enum strip_kind kind;
	const char *label;
	int64_t busy_ns;		      /* in the window */
	struct strip_cell cells[STRIP_CELLS]; /* of equal length; together they are the window */
	struct strip_event events[STRIP_EVENTS];
	size_t event_count;
};

struct strip {
	struct span window, place; /* the place may reach beyond a window that is a part of it */
	const char *thread;	   /* whose the host's rows are; NULL: there are none */
	struct strip_row rows[STRIP_ROWS];
	size_t row_count;
};

#endif
