/*
 * What each process did on each GPU, in every instant of the window: compute, communicate, both,
 * copy with neither, or nothing; and of each communication kernel how long nothing was computed
 * beside it. The parts of a GPU sum up to the window, to the nanosecond.
 */
#ifndef ANALYSIS_COMM_WALK_H
#define ANALYSIS_COMM_WALK_H

#include "analysis/gpu/process_gpus.h"
#include "analysis/gpu/timeline.h"

enum comm_part {
	PART_COMPUTE, /* and no communication */
	PART_BOTH,
	PART_COMM,
	PART_COPY, /* and neither */
	PART_IDLE,
	COMM_PARTS,
};

/* Moments of a process at which the parts so far are kept, in order of time. */
struct comm_marks {
	uint32_t process; /* ID_NONE: of each */
	size_t count;
	int64_t *at_ns;
};

/* What is asked beside the window. */
struct comm_question {
	uint32_t process; /* whose work alone, or ID_NONE */
	const struct comm_marks *marks;
	size_t mark_count;
};

/* A process on a GPU, with its own work alone. */
struct comm_gpu {
	int64_t ns[COMM_PARTS];
	const struct comm_marks *marks; /* or NULL */
	int64_t (*kept)[COMM_PARTS];	/* by mark */
	size_t kept_count;
	uint64_t ops;
	uint64_t kernels;	      /* that communicate */
	int64_t now_ns;		      /* how far it is known */
	int64_t until_ns[OP_CLASSES]; /* latest end of what began */
	uint32_t stalled; /* the last kernel that ended with no compute beside it, which may have
			     waited for it; KERNEL_NONE */
	uint32_t *open;	  /* kernels that communicate and have not ended: a heap */
	size_t open_count, open_cap;
};

enum { COMM_PLACE_MAX = INT32_MAX };
#define KERNEL_NONE UINT32_MAX

struct comm_kernel {
	int64_t start_ns, end_ns; /* its part in the window */
	int64_t exposed_ns;
	int64_t idle_ns;  /* before it, with neither compute nor a copy on the GPU */
	int64_t stall_ns; /* by its end, since this GPU computed, which it did again at once then;
			     else 0 */
	uint32_t row;	  /* in the kernel events */
	uint32_t gpu : 31;
	uint32_t whole : 1; /* all of it lies in the window */
};

struct comm_walk {
	struct timeline window; /* and the devices, without their times */
	uint32_t process;	/* that was asked for, or ID_NONE */
	struct process_gpus gpus;
	struct comm_gpu *at; /* by GPU */
	size_t at_cap;
	struct comm_kernel *kernels; /* by start */
	size_t kernel_count, kernel_cap;
	struct op_faults faults;
	uint64_t ops;
	uint64_t moments; /* that are kept, of all GPUs */
};

/*
 * Walks all GPU work that p and q leave. ERR_INPUT when there is none, or too much to keep. Whoever
 * asks frees it, also after an error; the marks stay the caller's.
 */
int comm_walk_make(struct trace *t, const struct scope *p, const struct comm_question *q,
		   struct comm_walk *ret, struct err *e);
/*
 * The kernels that communicate in the whole capture, with the GPUs they are on, and nothing else:
 * no parts, no exposure. There may be none. p says no more than what communicates.
 */
int comm_walk_list(struct trace *t, const struct scope *p, struct comm_walk *ret, struct err *e);
void comm_walk_free(struct comm_walk *w);

/* Whether a GPU is one that was asked for; it may have done nothing in the window. */
static inline bool comm_walk_has(const struct comm_walk *w, uint32_t gpu)
{
	const struct process_gpu *x = &w->gpus.all[gpu];

	return x->wanted && (w->process == ID_NONE || x->process == w->process);
}

static inline int64_t comm_kernel_ns(const struct comm_kernel *k)
{
	return k->end_ns - k->start_ns;
}

/* Communication kernels by the NVTX range that launched them. */

/* Adds the table; ERR_INPUT where the trace has no ranges, or no calls to join them by. */
int comm_ranges_report(struct report *r, struct trace *t, const struct comm_walk *w,
		       const struct row_choice *c, bool no_fold, struct err *e);

#endif
