/*
 * Which kernels are worth a close look by Nsight Compute, and which of their launches: those that
 * take the most time, each at a launch in the middle of the warm part of the run. Nsight Compute
 * runs the program again and counts launches from its start; so do we.
 */
#ifndef ANALYSIS_KERNEL_CHOICE_H
#define ANALYSIS_KERNEL_CHOICE_H

#include "analysis/analysis.h"

struct kernel_question {
	size_t top;	     /* how many kernels */
	uint64_t launches;   /* of each, at least 1 */
	const char *range;   /* only what is launched inside; or NULL */
	const char *phase;   /* the same; or NULL */
	struct str function; /* only kernels whose own name this is; empty: any */
	bool function_is_regex;
	bool each;	       /* a run for each kernel, also where one would do for several */
	const struct scope *p; /* window, device, process, phase map */
};

/* A push/pop range as the trace has it; no name: none was asked for. */
struct kernel_range {
	struct str domain, name;
};

struct chosen_kernel {
	struct str name;   /* as the trace has it */
	char *pattern;	   /* see analysis/counters/kernel_pattern.h */
	int64_t total_ns;  /* of all its launches in what was asked for */
	uint64_t launches; /* so many */
	uint64_t number;   /* of the one to profile among all of its process, from 0 */
};

/* What one run of the program shows: kernels of which launches are close together. */
struct profiling_run {
	uint32_t *kernels; /* numbers of chosen ones, the first decides where it begins */
	size_t kernel_count;
	struct kernel_range range;
	/*
	 * Launches that a pattern of theirs finds, in one process and in ranges called so: skipped,
	 * then profiled.
	 */
	uint64_t skip, count;
};

struct kernel_choice {
	struct arena arena;
	struct chosen_kernel *all; /* by total time */
	size_t count;
	struct profiling_run *runs;
	size_t run_count;
	int64_t kernel_ns;   /* of all kernels in what was asked for */
	uint64_t names;	     /* that these have */
	uint64_t comm_names; /* of them, those that communicate: they are not chosen */
	int64_t comm_ns;     /* their time */
	uint64_t processes;  /* that launched the chosen ones */
	const char *steady;  /* what the warm part is; NULL: there is none to be seen */
	size_t steady_count; /* of the chosen ones, those that are launched in it */
};

/* Launches that one run is worth, unless more of one kernel are asked for: ncu repeats each. */
enum { PROFILING_RUN_LAUNCHES = 64 };

/* ERR_INPUT when there is no such kernel. Is freed whether this fails or not. */
int kernel_choice_make(struct kernel_choice *ret, struct trace *t, const struct kernel_question *q,
		       struct err *e);
void kernel_choice_free(struct kernel_choice *c);

#endif
