/*
 * Whether what Nsight Compute measured of a kernel speaks of the run: a launch of another size does
 * other work. Decided here for all who carry figures over to a trace.
 */
#ifndef ANALYSIS_NCU_GRIDS_H
#define ANALYSIS_NCU_GRIDS_H

#include "analysis/counters/ncu_study.h"

/* Whether the run has any grid and block that ncu saw of the group, as far as anybody knows. */
bool ncu_grids_speak(const struct ncu_study *s, size_t group);
/*
 * The time of a group that gains are counted in: ncu_study_time(), NAN also where grids do not
 * speak.
 */
double ncu_grids_time(const struct ncu_study *s, size_t group);
/* Of the group's kernel in the run, the share with a grid and block that ncu saw; null: unknown. */
struct cell ncu_grids_cell(const struct ncu_study *s, size_t group);

/* Times in the run of groups that some figure is about. Begins with zeros. */
struct ncu_grids {
	int64_t of_ns;
	int64_t seen_ns;   /* with a grid and block that ncu saw */
	int64_t unsaid_ns; /* the trace or the profile does not say which they have */
	size_t unseen;	   /* groups of which ncu saw no grid that the run has */
};

void ncu_grids_add(struct ncu_grids *g, const struct ncu_study *s, size_t group);
/* Warns where that is not about all of it; `elsewhere` says what is made of the rest. */
void ncu_grids_warn(const struct ncu_grids *g, struct report *r, const char *elsewhere);

#endif
