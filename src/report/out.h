/*
 * A presenter's output on its way to the sink: text gathers in `text` and leaves in large pieces.
 * Call out_poll() now and then (after each row), out_close() once at the end, whatever happened.
 */
#ifndef REPORT_OUT_H
#define REPORT_OUT_H

#include "report/present.h"

struct out {
	struct buf text;
	struct sink *sink;
};

/* Passes the text on if there is a piece of it. */
int out_poll(struct out *o, struct err *e);
/* Passes the rest on unless `status` is already -1; frees the text; returns the final status. */
int out_close(struct out *o, int status, struct err *e);

#endif
