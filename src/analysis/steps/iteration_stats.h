/* How long the steps of a process usually take, whether they get slower, and why some took longer.
 */
#ifndef ANALYSIS_ITERATION_STATS_H
#define ANALYSIS_ITERATION_STATS_H

#include "analysis/steps/iteration_times.h"

/* What a step's time is made of: work, and idle time by what the host did. */
enum {
	STEP_COMPUTE,
	STEP_COMM,
	STEP_COPY,
	STEP_IDLE, /* + enum blame */
	STEP_PARTS = STEP_IDLE + BLAMES,
};

struct iteration_stats {
	size_t count;
	double p50_ns, p90_ns;
	int64_t min_ns, max_ns;
	double limit_ns; /* a step that took longer is an outlier */
	size_t outliers;
	bool has_trend;		    /* it is clear */
	double trend_pct;	    /* of the median, from one step to the next */
	int64_t between_ns;	    /* in none of the steps, from the first to the last */
	int64_t longest_between_ns; /* of these the longest at a time, and */
	uint32_t longest_after;	    /* the step it follows, by number, */
	int64_t longest_at_ns;	    /* and where it begins */
	double part_p50_ns[STEP_PARTS];
	double kernels_p50;
};

/* Of count steps and their times. */
void iteration_stats_make(const struct iteration *steps, const struct step_time *times,
			  size_t count, struct iteration_stats *ret);

int64_t step_part_ns(const struct step_time *t, int part);

/* The part that a step has most too much of. */
int step_culprit(const struct step_time *t, const struct iteration_stats *s);
/* The same for people: "idle +12.3 ms: allocating or loading code (cudaMalloc)". */
const char *step_cause(const struct iteration_times *x, const struct iteration *step,
		       const struct step_time *t, const struct iteration_stats *s,
		       struct arena *arena);

/* After joining: a note for each thing that was left out when the steps were found. */
void iteration_notes(struct report *r, const struct trace *t, const struct iterations *it);
/* Time that is in no step, where it is worth saying; stats are by lane. */
void iteration_note_between(struct report *r, const struct trace *t, const struct iterations *it,
			    const struct iteration_stats *stats);

#endif
