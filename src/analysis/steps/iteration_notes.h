/* What was left out when the steps of a run were found, said to people. */
#ifndef ANALYSIS_ITERATION_NOTES_H
#define ANALYSIS_ITERATION_NOTES_H

#include "analysis/steps/iteration_stats.h"

/* After joining: a note for each thing. */
void iteration_notes(struct report *r, const struct trace *t, const struct iterations *it);
/* Time that is in no step, where it is worth saying; stats are by lane. */
void iteration_note_between(struct report *r, const struct trace *t, const struct iterations *it,
			    const struct iteration_stats *stats);

#endif
