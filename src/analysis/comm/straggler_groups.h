/*
 * Which ranks of a class are one group, where no communicator says so, and which of their kernels
 * belong together. Nobody leaves a collective before the last has come, so that its kernels run at
 * the same time on all ranks of the group.
 */
#ifndef ANALYSIS_STRAGGLER_GROUPS_H
#define ANALYSIS_STRAGGLER_GROUPS_H

#include "analysis/comm/straggler_classes.h"

/*
 * Splits classes whose ranks are not at it at the same time, and says how many sets each has. Where
 * ranks have different numbers of kernels, those are matched from the first on, or from the last
 * where more of them run at the same time that way: a capture may begin between two ranks' calls.
 */
void straggler_groups_find(const struct comm_walk *w, struct straggler_classes *x);

#endif
