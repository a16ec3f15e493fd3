/*
 * The GPU work that each NVTX range launched, apart from what ranges inside it did, and what was
 * launched outside of all. The window and the device of the question count; its process does not:
 * a range, a thread and a process each tell whose they are, so that the work is summed up once for
 * all processes.
 */
#ifndef ANALYSIS_RANGE_WORK_H
#define ANALYSIS_RANGE_WORK_H

#include "analysis/gpu/gpu_work.h"
#include "trace/ranges/attribution.h"

/* How long each range lasted on the host, and how much of that in none of those inside it. */
struct range_walls {
	int64_t *wall_ns; /* by index in the forest, inside the window; DURATION_NONE: not in it */
	int64_t *self_ns; /* without the union of its direct children */
};

void range_walls_make(const struct range_forest *f, const struct scope *p, struct range_walls *ret);
void range_walls_free(struct range_walls *w);

struct gpu_sum {
	int64_t ns;
	uint64_t ops;
	int64_t kernel_ns; /* kernels alone */
	uint64_t kernels;
};

/* The ops of one range: there are fewer than 2^32 in all. */
struct range_sum {
	struct span span; /* first start to last end; ends before it starts: no ops */
	int64_t ns, kernel_ns;
	uint32_t ops, kernels;
};

struct range_work {
	struct range_sum *of_range; /* by index in the forest */
	struct gpu_sum *outside;    /* by thread: the call was made outside every range */
	size_t thread_count;
	struct gpu_sum *no_call; /* by process, the last of none: the call is not in the trace */
	size_t process_count;
	bool shared; /* it is the trace's */
};

/* Sums up, or finds what was summed up for the same window and device. */
int range_work_make(struct trace *t, const struct attribution *a, const struct scope *p,
		    struct range_work *ret, struct err *e);
void range_work_free(struct range_work *w);

#endif
