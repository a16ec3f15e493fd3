/*
 * Stretches of a thread's time in which it launches GPU work that no range of the program names:
 * outside any NVTX range, or in one that is too coarse. A stretch ends where a range begins or
 * ends, a step begins, or kernels show another part of a training step. Stretches at the same
 * place (after and before the same ranges, inside the same one, in the same part of a step) are
 * one row.
 */
#ifndef ANALYSIS_STRETCHES_H
#define ANALYSIS_STRETCHES_H

#include "analysis/steps/iterations.h"
#include "analysis/suggest/launched.h"
#include "analysis/suggest/user_ranges.h"

enum step_place { STEPS_UNKNOWN, STEP_INSIDE, STEP_BEFORE_ALL, STEP_OUTSIDE };

/* Of a step, as kernels show it. */
enum step_part {
	PART_FIRST, /* before what follows; the forward pass, if it is training */
	PART_BACKWARD,
	PART_AFTER_BACKWARD, /* after PyTorch's autograd thread launched something */
	PART_OPTIMIZER,
	PART_COPY_IN, /* programs without PyTorch: copies from the host, and to it */
	PART_COPY_OUT,
};

/* What stretches of one row have in common. Ranges are paths; RANGE_NONE: there is none. */
struct stretch_place {
	uint32_t group; /* of threads: the same one of each process */
	bool coarse;	/* `inside` is a range that is too coarse; else no range is around it */
	uint32_t inside, after, before;
	uint32_t beside; /* a thread without ranges: that of the process's main thread meanwhile */
	enum step_place step;
	enum step_part part;
};

struct stretch_row {
	struct stretch_place place;
	struct gpu_sum gpu;
	uint64_t count;	       /* stretches */
	uint32_t thread;       /* of the first */
	uint32_t thread_count; /* different ones */
	struct span first;     /* on the host: first call's start to last call's end */
	int64_t host_ns;       /* of all, likewise */
	uint64_t steps;	       /* stretches in steps, and how long after the start of these */
	int64_t offset_ns;     /* they begin, summed up */
};

/* One of them, for those who ask what the thread did meanwhile. */
struct stretch {
	uint32_t row, thread;
	struct span host;
};

struct stretches {
	struct stretch_row *rows; /* in order of their first stretch, thread by thread */
	size_t count, cap;
	uint32_t *row_of_launch; /* ROW_NONE: it is in a range that says what it is */
	struct stretch *all;
	size_t stretch_count, stretch_cap;
	uint32_t *main_thread; /* by process: with most time in ranges, else with most GPU work */
	struct gpu_sum in_ranges; /* those that are too coarse, too */
};

#define ROW_NONE UINT32_MAX

/* `steps` without any where there are none. */
void stretches_find(const struct launched *l, const struct user_ranges *u,
		    const struct iterations *steps, struct stretches *ret);
void stretches_free(struct stretches *s);

#endif
