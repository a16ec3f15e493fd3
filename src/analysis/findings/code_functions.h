/* Your code in what a finding is about: its functions or lines, the one with the most time first.
 */
#ifndef ANALYSIS_CODE_FUNCTIONS_H
#define ANALYSIS_CODE_FUNCTIONS_H

#include "analysis/findings/explain.h"

/* As many as a finding tells of. */
enum { CODE_PLACES_SHOWN = FINDING_CODE / 2 };

/* Which times are asked about. */
struct code_choice {
	const struct code_sums *sums;
	const struct time_total *rows; /* of these causes and ranges; or, where it is NULL: */
	uint32_t first, last, also;    /* of all of these causes */
	bool by_line;		       /* each line by itself, else functions */
};

/* What one has of the time, and which stack of it has most. */
struct function_time {
	uint32_t place, frame; /* frame: the line of it that has most */
	uint32_t stack;
	int64_t ns, frame_ns, stack_ns;
};

struct function_times {
	struct function_time *all;
	size_t count; /* 0: nobody knows */
	int64_t ns;   /* of all that is asked about, be its code known or not */
};

struct function_times code_functions(const struct explain *x, const struct code_choice *c);
void code_functions_free(struct function_times *f);

/* Whether the frame says more than the finding does without it. */
bool code_frame_says(const struct explain *x, uint32_t frame);
/* Adds it to the finding's places. */
void code_place_add(struct explain *x, struct finding *f, bool calls,
		    const struct function_time *one, int64_t whole_ns);

#endif
