/*
 * The steps of a run: found by a marker that the user names, else by a range that repeats, else by
 * the period of the kernels. Each process has its own; where no source is sure enough there are
 * none.
 *
 * Of ranges inside one another the outermost that repeat and fill the time are the steps, if they
 * launch half of the kernel time, that of warm-ups aside, and most of them launch the same kernels.
 * How long each took says nothing of whether they are steps: see steady.h.
 */
#ifndef ANALYSIS_ITERATIONS_H
#define ANALYSIS_ITERATIONS_H

#include "analysis/analysis.h"
#include "analysis/steps/warm_ups.h"
#include "base/saturate.h"
#include "base/span.h"
#include "trace/calls/launch.h"
#include "trace/system/machine.h"

/* Processes whose steps are looked at side by side. */
enum { ITERATION_LANES_MAX = 64 };

enum iteration_source {
	ITER_MARKER,  /* --marker */
	ITER_RANGE,   /* an NVTX range that repeats and fills the time */
	ITER_KERNELS, /* the period of the sequence of kernels, or of graphs that hide theirs */
};

struct iteration {
	uint32_t number;	  /* counts from 0 in its process */
	uint32_t said;		  /* what its range's name counts; ID_NONE: nothing */
	int64_t start_ns, end_ns; /* on the host; steps of a process do not overlap */
	/* Its own time: from its start, or the end of the one before, to its end on host and GPU.
	 */
	int64_t from_ns, to_ns;
	int64_t gpu_start_ns, gpu_end_ns; /* first to last op launched inside; of `ops` alone */
	uint64_t ops;			  /* that were launched inside */
	uint64_t kernels;
	uint64_t usual_kernels; /* of these, those of kernels that a usual step has too */
	uint64_t launches;	/* calls that put work on a GPU; once counted */
	/* ITER_KERNELS: its first and last kernel (or graph), and the one after; ID_NONE: there is
	 * none. */
	uint32_t first_row, last_row, next_row;
};

/* The steps of one process, in order of time: all[begin .. begin + count). */
struct iteration_lane {
	uint32_t process, thread; /* ID_NONE: the export does not say, or it is no thread's */
	size_t begin, count;
	int64_t total_ns; /* of its steps, on the host */
	size_t warm_up;	  /* how many of the first begin in ranges that say so; 0, too, if all do */
};

/* A thread that has steps of its own beside those of its process's lane. */
struct iteration_thread {
	uint32_t thread;
	size_t steps;
};

struct iterations {
	struct iteration *all;
	size_t count, cap;
	struct iteration_lane *lanes;
	size_t lane_count;
	size_t main_lane; /* whose steps take the most time */
	enum iteration_source source;
	enum trace_kind kind; /* ITER_KERNELS: of the rows that steps begin and end with */
	/*
	 * 0 to 1. Kernels: how many of them agree. Ranges and marks, after joining: how many steps
	 * are like the median one.
	 */
	double confidence;
	bool counted; /* the names of the ranges count them */
	bool joined;  /* after joining: calls say which work each step launched */
	/* of all joined ops, and of those that steps launched; those of a warm-up aside */
	int64_t all_work_ns, work_ns;
	int64_t all_kernel_ns, kernel_ns; /* of kernels and whole graphs alone */
	double same_kernels; /* after joining: share of the steps that launch what a usual one does
			      */
	struct iteration_thread *apart; /* by thread; what they launch is in no step */
	size_t apart_count;
	size_t never_closed; /* ranges that would be steps, and whose end nobody knows */
	size_t cut_steps;    /* left out: the capture has only some of their launches */
	const char *name;    /* of the ranges, without their counters; NULL: kernels, or several */
	const char *what;    /* for people: "ranges 'iter N'" */
	const char *how;     /* the same with their number: "10 ranges 'iter N'" */
	struct arena arena;
};

/*
 * Finds the steps, of p->pid where that is given, with their work and their own time. ERR_INPUT,
 * marked absent, when none can be found with enough confidence; the hint says which option helps.
 */
int iterations_read(struct trace *t, const struct scope *p, struct iterations *ret, struct err *e);
/* All that looking for steps, and joining them, asks of GPU work, each table in one pass. */
int iterations_load(struct trace *t, struct err *e);
/*
 * The same for those who know who launched what: l, NULL where nobody does. Of p->device alone
 * where that is given, and without the processes that never use it; `devices` may be NULL where it
 * is not. Where several analyses ask, the trace keeps what was found.
 */
int iterations_find(struct trace *t, const struct scope *p, const struct device_map *devices,
		    const struct launches *l, struct iterations *ret, struct err *e);
/* Whether the trace keeps them: then what `ret` holds is the trace's, and not to be freed. */
bool iterations_kept(struct trace *t, const struct scope *p, struct iterations *ret);
/* After finding, for who asks: how many calls of each step launched something. */
void iterations_count_launches(struct iterations *it, const struct trace *t, const struct scope *p,
			       const struct device_map *devices, const struct launches *l);
void iterations_free(struct iterations *it);
/*
 * The step that launched what a process launched at a moment, by its number in it->all: as steps
 * are joined with their work. ID_NONE: none did.
 */
uint32_t iterations_step_at(const struct iterations *it, uint32_t process, int64_t at_ns);

/* How long a step took. */
static inline int64_t iteration_ns(const struct iteration *i)
{
	return sat_sub(i->to_ns, i->from_ns);
}

static inline struct iteration *lane_steps(const struct iterations *it,
					   const struct iteration_lane *l)
{
	return &it->all[l->begin];
}

/* The median of values, which are sorted for it. */
double sort_median(int64_t *values, size_t count);

/* For those who find steps, and join them. */
int iterations_search(struct trace *t, const struct scope *p, const struct device_map *devices,
		      const struct launches *l, struct iterations *ret, struct err *e);
void iterations_compare(struct iterations *it);
struct iteration_lane *iterations_add_lane(struct iterations *it, uint32_t process,
					   uint32_t thread);
struct iteration *iterations_add(struct iterations *it, int64_t start_ns, int64_t end_ns);
/* A thread that has steps, chosen for a lane or not. */
void iterations_add_thread(struct iterations *it, uint32_t thread, size_t steps);
/* Once all lanes are known: puts `how` together, and keeps of the threads those without a lane. */
void iterations_describe(struct iterations *it);
/* Whether a thread has steps of its own that are not listed. */
bool iterations_is_apart(const struct iterations *it, uint32_t thread);
/* ERR_INPUT, marked absent: there are more than ITERATION_LANES_MAX. */
int iterations_too_many(const struct trace *t, size_t processes, struct err *e);
/* Some of the kernels that the scope has: when each was launched, and the time it stands for. */
struct sampled_kernel {
	int64_t at_ns;
	double ns;
	uint32_t thread;
};
struct kernel_sample {
	struct sampled_kernel *all; /* for free() */
	size_t count;
};
void kernel_sample_make(const struct trace *t, const struct scope *p, const struct launches *l,
			const struct warm_ups *w, struct kernel_sample *ret);
/* Kernel time of all, and of what steps launched, estimated from a sample. */
struct iteration_sample {
	double all_ns, ns;
};
struct iteration_sample iterations_sample(struct iterations *it, const struct trace *t,
					  const struct kernel_sample *sample);
/* After finding: which work each step launched. As iterations_find(). */
void iterations_join(struct iterations *it, const struct trace *t, const struct scope *p,
		     const struct device_map *devices, const struct launches *l,
		     const struct warm_ups *w);
/* Steps told by kernels begin on the host where their first kernel is launched. */
void iterations_move_to_host(struct iterations *it, const struct iteration_lane *lane,
			     const struct launches *l);
/*
 * The host runs ahead: while it is in a step, the GPU may still be in the one before. A step's own
 * time begins when the one before is done, so that no time is in two steps, and its waits are.
 * Leaves out steps that the capture cuts; l: NULL where nobody knows who launched what.
 */
void iterations_find_own_time(struct iterations *it, struct iteration_lane *lane,
			      const struct launches *l);
/* Counts each lane's steps of a warm-up. */
void iterations_mark_warm_ups(struct iterations *it, const struct warm_ups *w);
/*
 * Steps follow one another: how much of the time from the first to the last they take at least.
 * What repeats with other things between is an op inside of steps that have no range, unless it is
 * counted. Where it is known what they launch, see iterations.c.
 */
static inline double iterations_least_filled(bool counted)
{
	return counted ? 0.25 : 0.7;
}

/*
 * What may be steps by its ranges, or what the marker names: the outermost first, then what takes
 * the most time. `by_work`: what they launch will decide, and their times need not be alike.
 */
struct range_steps;
int range_steps_open(struct range_steps **ret, struct trace *t, const struct scope *p, size_t least,
		     bool by_work, struct err *e);
/* The next of them, on the host; false: there are no more. */
bool range_steps_next(struct range_steps *s, struct iterations *ret);
void range_steps_close(struct range_steps *s);
/* Steps from one mark to the next; which names match is known. */
void iterations_find_marks(const struct trace *t, const struct scope *p, const bool *matches,
			   size_t least, struct iterations *ret);
int iterations_find_kernels(struct trace *t, const struct scope *p, const struct launches *l,
			    struct iterations *ret, struct err *e);

#endif
