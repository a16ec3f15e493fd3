/* Threads and streams that are called so. */
#ifndef ANALYSIS_SEARCH_PLACES_H
#define ANALYSIS_SEARCH_PLACES_H

#include "analysis/analysis.h"
#include "base/pattern.h"
#include "trace/machine.h"

enum {
	PLACE_THREADS = 1 << 0,
	PLACE_STREAMS = 1 << 1,
};

/* A table of them, where there are any. */
int search_places_report(struct report *r, struct trace *t, const struct params *p, unsigned places,
			 struct pattern *pattern, const struct people *people, struct err *e);

#endif
