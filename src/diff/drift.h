/*
 * Kernels with the same name, grid and range path outside of what changed are controls: where they
 * all take longer by the same share, the clock of the GPU differs, and no code is to blame.
 */
#ifndef DIFF_DRIFT_H
#define DIFF_DRIFT_H

#include "diff/diff.h"

/* Once the rows are made. */
struct drift drift_find(const struct diff *d);
/* Whether the controls agree so well, and differ so much from before, that it is the clock. */
bool drift_is_clear(const struct drift *d);

#endif
