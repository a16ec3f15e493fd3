/* The answer of an analysis of the registry, about the scope that the screen is about. */
#ifndef TUI_ANSWER_H
#define TUI_ANSWER_H

#include "analysis/analysis.h"
#include "tui/app.h"

struct answer {
	const struct analysis *analysis;
	void *args; /* which the report refers to */
	struct report report;
};

/* For answer_free() whether this fails or not. */
int answer_make(struct answer *ret, struct app *a, const char *analysis, struct err *e);
void answer_free(struct answer *a);
/* Its heading, which says about which window it is; "" where it has none. */
const char *answer_heading(const struct answer *a);

#endif
