/*
 * Which kernels are worth a close look by Nsight Compute, and which of their launches: those that
 * take the most time, each at a launch in the middle of the steady part of the run. Nsight Compute
 * runs the program again and counts launches from its start; so do we.
 */
#ifndef ANALYSIS_KERNEL_CHOICE_H
#define ANALYSIS_KERNEL_CHOICE_H

#include "analysis/analysis.h"

struct kernel_question {
	size_t top;		/* how many kernels */
	uint64_t launches;	/* of each, at least 1 */
	const char *range;	/* only what is launched inside; or NULL */
	const char *phase;	/* the same; or NULL */
	const struct params *p; /* window, device, process, phase map */
};

/* A push/pop range as the trace has it; no name: none was asked for. */
struct kernel_range {
	struct str domain, name;
};

struct chosen_kernel {
	struct str name;   /* as the trace has it */
	char *pattern;	   /* see analysis/kernel_pattern.h */
	int64_t total_ns;  /* of all its launches in what was asked for */
	uint64_t launches; /* so many */
	struct kernel_range range;
	/* Launches of its name in its process, and in ranges called so, before the one to look at;
	 */
	uint64_t skip;
	uint64_t count; /* and how many from there on */
};

/* All of them by one run of the program, where they are close enough together: count 0: not. */
struct kernels_at_once {
	struct kernel_range range;
	uint64_t skip, count; /* launches of any of them */
};

struct kernel_choice {
	struct arena arena;
	struct chosen_kernel *all; /* by total time */
	size_t count;
	struct kernels_at_once at_once;
	int64_t kernel_ns;  /* of all kernels in what was asked for */
	uint64_t names;	    /* that these have */
	uint64_t processes; /* that launched the chosen ones */
	const char *steady; /* what the steady part is; NULL: there is none to be seen */
};

/* More launches than that are looked at one kernel at a time. */
enum { KERNELS_AT_ONCE = 64 };

/* ERR_INPUT when there is no such kernel. Is freed whether this fails or not. */
int kernel_choice_make(struct kernel_choice *ret, struct trace *t, const struct kernel_question *q,
		       struct err *e);
void kernel_choice_free(struct kernel_choice *c);

#endif
