/*
 * The warm steps of a run: those after the warm-up, in which code is loaded, memory is first
 * allocated and kernels are chosen. Advice about a run is advice about them.
 */
#ifndef ANALYSIS_STEADY_H
#define ANALYSIS_STEADY_H

#include "analysis/steps/iterations.h"

struct steady {
	/* From the first warm step to the last, of any process. */
	int64_t from_ns, to_ns;
	const char *how;	/* for people: "warm steps 2 to 10 of 10 'iter N'" */
	const char *chart;	/* for people: a bar for each step, or for several */
	struct cold_steps cold; /* of the process whose steps take the most time */
	struct warm_steps warm; /* of that, too, in the arena */
};

/*
 * How many steps of a process come before the warm ones: a stretch at its start whose steps take
 * over twice as long as nearly all that follow, or stand out from steps that hardly differ. Modes
 * that come again are no warm-up.
 */
size_t steady_count_cold(const struct iteration *steps, size_t count);
/* The same of all processes, which are in step: what is cold in one is in all. */
size_t steady_cold_steps(const struct iterations *it);
/* How long the usual one of some steps takes. */
double steady_median_ns(const struct iteration *steps, size_t count);

/*
 * How much of the time from the first of some steps to the last they take, 0 to 1, with what
 * usually lies between two of them: the rest are pauses.
 */
double steady_filled(const struct warm_steps *steps);

/* ERR_INPUT, marked absent: a run without steps has no warm ones. */
int steady_find(struct trace *t, const struct scope *p, struct arena *arena, struct steady *ret,
		struct err *e);

/*
 * The whole steps inside p's window, warm or not, for who asks about a window that somebody chose.
 * ERR_INPUT, marked absent, as steady_find().
 */
int steady_steps(struct trace *t, const struct scope *p, struct arena *arena,
		 struct warm_steps *ret, struct err *e);

#endif
