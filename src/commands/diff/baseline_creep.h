/* Small regressions add up: each of them passes, and the baseline follows. */
#ifndef COMMANDS_DIFF_BASELINE_CREEP_H
#define COMMANDS_DIFF_BASELINE_CREEP_H

#include "baseline/baseline.h"
#include "report/report.h"

/* Warns where runs surely became slower from day to day, by more than the tolerance in all, and
 * says by how much several accepted changes have made the step longer. */
void baseline_warn_creep(struct report *r, const char *name, const struct baseline *b,
			 double tolerance);

#endif
