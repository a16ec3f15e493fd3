/*
 * A profile of Nsight Compute looked at as a whole: its kernels by name, and, where there is a
 * trace, which of its kernels they are. Reports are made from it; it lives as long as they do.
 */
#ifndef ANALYSIS_NCU_STUDY_H
#define ANALYSIS_NCU_STUDY_H

#include "analysis/analysis.h"
#include "analysis/counters/ncu_join.h"
#include "ncu/ncu.h"

struct ncu_study {
	const struct ncu_report *ncu;
	struct ncu_groups groups; /* by name */
	bool joined;		  /* there is a trace */
	struct ncu_join join;
};

/* `t` may be NULL: then times are what ncu measured. */
int ncu_study_make(struct ncu_study *s, const struct ncu_report *ncu, struct trace *t,
		   const struct scope *p, struct err *e);
void ncu_study_free(struct ncu_study *s);

/*
 * The time of a group: of its kernel in the run where there is a trace, else what ncu measured. NAN
 * where the trace's kernel is not known.
 */
double ncu_study_time(const struct ncu_study *s, size_t group);
/* What all of these are part of: all kernels' time in the run, or all that ncu measured. */
double ncu_study_whole(const struct ncu_study *s);

/*
 * Heads a report: the trace's window, or that there is none, what was measured, and what share of
 * the run that is. `title` is constant.
 */
int ncu_study_head(const struct ncu_study *s, const char *title, struct trace *t,
		   const struct scope *p, struct report *r, struct err *e);

/*
 * Adds a table of kernels, or of each launch, and what ncu's rules say as findings, the most gain
 * first; at most `limit` rows, 0 for all.
 */
void ncu_kernels_add(const struct ncu_study *s, uint64_t limit, bool each_launch, struct report *r);
void ncu_rules_add(const struct ncu_study *s, struct report *r);

/*
 * What ncu measured of a kernel of the trace; NULL: nothing that is sure to be of it. Launches of
 * other sizes say nothing of those that the run has.
 */
const struct ncu_group *ncu_study_find(const struct ncu_study *s, struct str kernel);

/* A cell of a number; null where it is unknown. */
static inline struct cell known_cell(double x)
{
	return x - x == 0 ? cell_real(x) : cell_null();
}
/* A cell of what is done in a second. */
static inline struct cell rate_cell(double amount, double ns)
{
	return ns > 0 ? known_cell(amount / ns * 1e9) : cell_null();
}

/*
 * Whether what Nsight Compute measured of a kernel speaks of the run: a launch of another size does
 * other work. Decided here for all who carry figures over to a trace.
 */

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
/* Warns where that is not about all of it; `consequence` ends the sentence. */
void ncu_grids_warn(const struct ncu_grids *g, struct report *r, const char *consequence);

/* Nsight Compute may have measured on another GPU than the run was on. */

/*
 * Warns where the GPUs that kernels ran on in the window are not those that were measured, or not
 * all of them, by their names; of what has none nobody knows.
 */
int ncu_devices_warn(const struct ncu_report *ncu, struct trace *t, const struct scope *p,
		     struct report *r, struct err *e);

#endif
