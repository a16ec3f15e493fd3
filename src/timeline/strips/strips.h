/*
 * The timeline of the longest place of each finding, made of the events near these places alone:
 * what is short enough for a page needs no index of the whole trace.
 */
#ifndef TIMELINE_STRIPS_H
#define TIMELINE_STRIPS_H

#include "report/report.h"
#include "trace/trace.h"

/*
 * Gives the findings of an answer their strips, which live in its arena; one without a place, or
 * with nothing near it, gets none. What is loaded already is used, and little else is read.
 */
int strips_make(struct trace *t, struct report *answer, struct err *e);

#endif
