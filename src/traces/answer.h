/* The answer of an analysis of the registry about a capture. */
#ifndef TRACES_ANSWER_H
#define TRACES_ANSWER_H

#include "analysis/analysis.h"
#include "traces/traces.h"

struct answer {
	const struct analysis *analysis;
	void *args; /* which the report refers to */
	struct report report;
};

/*
 * About what is asked about the capture, or about a window on the shared clock where one is given.
 * For answer_free() whether this fails or not.
 */
int answer_make(struct answer *ret, const struct capture *of, const char *analysis,
		const struct span *window, struct err *e);
void answer_free(struct answer *a);
/* Its heading, which says about which window it is; "" where it has none. */
const char *answer_heading(const struct answer *a);

#endif
