/*
 * What questions have in common: which part of the trace they are about (the scope), and which rows
 * of the answer are shown. Each is a struct and the tables of options that set it.
 */
#ifndef ANALYSIS_SCOPE_H
#define ANALYSIS_SCOPE_H

#include "base/span.h"
#include "options/option.h"
#include "trace/trace.h"

/* Which stretch of the capture an answer is about, unless somebody names a window. */
enum span_choice {
	SPAN_DEFAULT, /* the analysis decides */
	SPAN_WARM,    /* the warm steps; without steps the next */
	SPAN_GPU,     /* from the first GPU work to the last; without any the next */
	SPAN_ALL,     /* the whole capture */
};

/* Steps at the start that are slower than the warm ones. */
struct cold_steps {
	size_t count;
	int64_t from_ns, to_ns;
	int64_t more_ns; /* that they took, beyond as many warm ones */
};

/* The warm steps of the process whose steps take the most time. */
struct warm_steps {
	const struct span
		*all; /* in order: the own time of each, see analysis/steps/iterations.h */
	size_t count;
	const char *name; /* of their ranges, without counters; NULL: kernels repeat, or several */
};

struct scope {
	bool has_trim;
	int64_t from_ns, to_ns;
	enum span_choice span; /* --span */
	/* What analysis_run() made a trim of; SPAN_DEFAULT: has_trim is what somebody asked for. */
	enum span_choice chosen;
	struct span whole; /* SPAN_ALL: the capture, where the export tells its length or not */
	const char *chosen_words; /* for people: "all 15 steps 'step N'"; may be NULL */
	const char *steps_chart;  /* how long each step took; NULL: there are none */
	struct cold_steps cold;	  /* before the window, where it is the warm steps */
	struct warm_steps warm;	  /* in it, where it is they */
	bool in_iteration;	  /* has_trim is the time of step `iteration` */
	bool has_iteration;	  /* analysis_run() makes it a trim, unless each rank has its own */
	uint64_t iteration;
	const char *marker; /* a pattern that names steps, or NULL */
	bool once_will_do;  /* of a marker: one range is a step where there are no more */
	bool by_kernels;    /* steps are repetitions of kernels, whatever ranges there are */
	bool has_device;
	uint32_t device;
	bool has_pid;
	uint32_t pid;
	bool has_process; /* one by its number: two hosts may have processes of one pid */
	uint32_t process;
	bool has_rank;
	uint32_t rank;
	const char *label;     /* a pattern of the ranges that name ranks, or NULL */
	const char *phase_map; /* a file that says which ranges are which phase, or NULL */
	bool host_only;	       /* what ranges launched on GPUs is not asked for */
};

/* Whether the window is that of --trim. */
static inline bool scope_is_trimmed(const struct scope *s)
{
	return s->has_trim && !s->chosen && !s->in_iteration;
}

/* Whether somebody asked for less than the whole capture. */
static inline bool scope_is_part(const struct scope *s)
{
	return s->has_trim || s->has_iteration || s->span == SPAN_WARM || s->span == SPAN_GPU;
}

/*
 * The one test of --pid, --device and of one process by its number: whether something of the
 * process (a number in the trace, ID_NONE: nobody's) is asked about, on that GPU
 * (trace/system/machine.h).
 */
static inline bool scope_has_process(const struct scope *s, const struct trace *t, uint32_t process)
{
	if (s->has_process && process != s->process)
		return false;
	return !s->has_pid || (process < t->process_keys.count &&
			       process_pid(t->process_keys.keys[process]) == s->pid);
}

static inline bool scope_has_place(const struct scope *s, const struct trace *t, uint32_t process,
				   uint32_t gpu)
{
	return (!s->has_device || gpu == s->device) && scope_has_process(s, t, process);
}

/* The same of a thread, by its number, or by its key: it may have none. */
static inline bool scope_has_thread_key(const struct scope *s, uint64_t key)
{
	return !s->has_pid || process_pid(key >> 24) == s->pid;
}

static inline bool scope_has_thread(const struct scope *s, const struct trace *t, uint32_t thread)
{
	return !s->has_pid || (thread < t->thread_keys.count &&
			       scope_has_thread_key(s, t->thread_keys.keys[thread]));
}

/* --trim, --iteration, --marker; and where steps are the question, --marker alone is one. */
extern const struct option_group window_options, step_window_options;
/* --device, --pid */
extern const struct option_group filter_options;
/* --rank, --label */
extern const struct option_group rank_options;
/* --phase-map */
extern const struct option_group phase_options;
/* Windows and filters. */
extern const struct option_group scope_options, step_scope_options;

/*
 * --device and --pid name something of the trace, or there is no answer: ERR_INPUT when no GPU work
 * is of p->device, or no event of p->pid, with those that there are.
 */
int filters_check(struct trace *t, const struct scope *p, struct err *e);

/* The scope among the arguments; NULL: these options say none. */
struct scope *args_scope(const struct option_group *g, void *args);

/*
 * Puts the time of step s->iteration into s->from_ns and to_ns: its own time on GPU and host, or,
 * for questions about the host alone, the host's. Several processes: from the first that begins to
 * the last that ends; with s->pid or s->rank that one's alone. A note says so. ERR_INPUT when there
 * is no such step. Steps are found by analysis/steps/, which has this function.
 */
struct report;
int iteration_window(struct trace *t, struct scope *s, bool host_alone, struct report *r,
		     struct err *e);

/*
 * Chooses the window where neither --trim nor --iteration sets one: s->span, or else `otherwise`.
 * SPAN_ALL is no trim: everything counts. ERR_INPUT, marked absent, when --span warm is asked for
 * and there are no steps. Of analysis/steps/, too.
 */
int default_window(struct trace *t, struct scope *s, enum span_choice otherwise, struct report *r,
		   struct err *e);

/* How rows are grouped. */
enum group_by {
	BY_NONE,
	BY_DEVICE,
	BY_PROCESS,
	BY_STREAM,
	BY_RANK,
	BY_NVTX,
	BY_ITERATION,
	BY_LINE, /* of source code */
};

#define OPT_BY(args, member, words) OPT_WORD("by", args, member, words, "group rows by this")

/* Which rows of a table are shown. */
struct row_choice {
	uint64_t limit;	  /* 0: all */
	bool has_limit;	  /* somebody said so */
	const char *sort; /* a column's key, or NULL */
};

/* --limit; --limit and --sort */
extern const struct option_group limit_options, row_options;

/* What most answers that are a table take: a scope and rows. */
struct table_args {
	struct scope scope;
	struct row_choice rows;
};
extern const struct option_group table_options;
/* The same where steps are the question: --marker needs no --iteration. */
extern const struct option_group step_table_options;

/* The same, grouped. */
struct grouped_args {
	struct table_args table;
	enum group_by by;
	bool metrics; /* of kernels: with the GPU's counters */
};
/* By line: that which launched them. Of kernels also with counters. */
extern const struct option_group grouped_options, kernel_options;
/* The same for what is on the host: --by process alone; of calls also by line, or by that alone. */
extern const struct option_group by_process_options, call_options, by_line_options;

/* --comm: kernels that communicate; the trace is told when it is opened. */
struct comm_args {
	const char *comm; /* a pattern, or NULL */
};
extern const struct option_group comm_options;

/* What answers about the GPUs' activity take. */
struct activity_args {
	struct scope scope;
	struct row_choice rows; /* without --sort */
	struct comm_args comm;
};
extern const struct option_group activity_options;

/* --no-fold */
struct fold_args {
	bool no_fold; /* names that differ only by a counter are several */
};
extern const struct option_group fold_options;

#endif
