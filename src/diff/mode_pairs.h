/*
 * Two modes of steps that launch the same, in two runs: which is which? How far apart the modes of
 * one run are says nothing of that, and they may be told by what the host does, hidden behind the
 * GPU's work, so that neither is clearly the slower one.
 */
#ifndef DIFF_MODE_PAIRS_H
#define DIFF_MODE_PAIRS_H

#include "diff/account.h"

enum { MODES = 2 };

/* In order of how long steps take, the faster first; NULL: the run has one mode. */
struct modes_of_run {
	const struct step_kind *of[MODES];
};

/*
 * Whether the faster mode of one run is the slower one of the other: only where that makes notably
 * less change in all, that by another mix of the two included. Which run is which does not matter.
 */
bool modes_are_crossed(const struct modes_of_run *a, const struct modes_of_run *b);

/* Of steps that launch what those of a kind of the run do. */
struct modes_of_run modes_of_kind(const struct account *a, size_t kind);

#endif
