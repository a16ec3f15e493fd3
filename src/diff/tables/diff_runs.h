/* The runs of a comparison and their steps, as tables. */
#ifndef DIFF_TABLES_DIFF_RUNS_H
#define DIFF_TABLES_DIFF_RUNS_H

#include "diff/diff.h"
#include "report/report.h"

extern const char *const side_names[SIDES];

void diff_add_runs(struct report *r, const struct diff *d);
/* Those of the warm-up, too, which were cut. */
void diff_add_steps(struct report *r, const struct diff *d);

/* The shared kind of a run's step. */
uint32_t diff_step_kind(const struct diff *d, enum side side, size_t run, size_t step);
/* The run of a side whose mean step is the median one; of pairs the one of the pair whose change is
 * the median one. */
size_t diff_usual_run(const struct diff *d, enum side side);

#endif
