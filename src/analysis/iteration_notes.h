/* What was left out when the steps of a run were found, said to people. */
#ifndef ANALYSIS_ITERATION_NOTES_H
#define ANALYSIS_ITERATION_NOTES_H

#include "analysis/iterations.h"

/* After joining: a note for each thing. */
void iteration_notes(struct report *r, const struct trace *t, const struct iterations *it);

#endif
