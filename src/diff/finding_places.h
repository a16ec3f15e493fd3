/*
 * A finding as those of several runs are compared: by its id and where it is. One that is in
 * several ranges is one in each, as what is new in a range is news though the rest is as it was.
 */
#ifndef DIFF_FINDING_PLACES_H
#define DIFF_FINDING_PLACES_H

#include "diff/run_facts.h"
#include "report/finding.h"

/* Of what is in no range, in a program that has some. */
#define FINDING_OUTSIDE "outside any NVTX range"

/* How many run_findings_add() adds at most. */
size_t run_findings_most(const struct finding *f);
/* Texts are in the arena; to->findings has room. */
void run_findings_add(struct run_facts *to, const struct finding *f, struct arena *arena);

#endif
