/*
 * The timeline of the longest place of each finding, made of the events near these places alone:
 * what is short enough for a page needs no index of the whole trace.
 */
#ifndef TIMELINE_STRIPS_H
#define TIMELINE_STRIPS_H

#include "report/report.h"
#include "report/strip.h"
#include "trace/trace.h"

/*
 * Of the findings of an answer, by block: in the answer's arena; NULL where a block is no finding,
 * or one without a place or anything near it. What is loaded already is used, and little else is
 * read.
 */
int strips_make(struct trace *t, struct report *answer, const struct strip *const **ret,
		struct err *e);

#endif
