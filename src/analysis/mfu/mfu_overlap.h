/* Whether the times of several stages can be added up. */
#ifndef ANALYSIS_MFU_OVERLAP_H
#define ANALYSIS_MFU_OVERLAP_H

#include "analysis/mfu/mfu_stage.h"

/*
 * How many times as long as the stages take together their times are when added up, process by
 * process: what two processes do at once is no overlap. 1 where no two go on at the same time, or
 * nothing has a time.
 */
double mfu_phases_overlap(const struct mfu_phases *p);

#endif
