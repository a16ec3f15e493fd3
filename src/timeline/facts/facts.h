/*
 * All that is known of one event of a timeline, as data: whoever shows it draws it. What answers
 * need of the whole trace is made once, when the first is asked for; each takes a few milliseconds
 * then.
 */
#ifndef TIMELINE_FACTS_FACTS_H
#define TIMELINE_FACTS_FACTS_H

#include "analysis/categories/categories.h"
#include "analysis/counters/ncu_study.h"
#include "analysis/kernels/kernel_metrics.h"
#include "analysis/metrics/metric_sums.h"
#include "analysis/steps/iterations.h"
#include "timeline/facts/alike.h"
#include "timeline/facts/launched.h"
#include "timeline/facts/occupancy.h"
#include "timeline/facts/range_sums.h"
#include "trace/code/call_lines.h"
#include "trace/ranges/innermost.h"

/* The CUDA call that launched an op. */
struct launch_fact {
	bool is_known;
	struct str call;    /* "cudaLaunchKernel" */
	const char *thread; /* "python3 421" */
	struct span span;
	int64_t queue_ns; /* from its end to the op's start; negative: the op began before that */
};

/* The step that launched it. */
struct step_fact {
	bool is_known;
	uint32_t number;
	size_t of; /* how many steps its process has */
};

/* What the counters of the GPU say while it ran, and while those of its name ran. */
struct counter_fact {
	struct metric_average own; /* samples: those that lie in it; few say nothing */
	bool has_all;
	struct cell all[KERNEL_METRICS]; /* as kernel_metric_columns */
};

struct event_facts {
	const struct track *track;
	struct lane_event event;
	struct str name;	       /* whole */
	const char *class;	       /* of its track's lanes */
	struct str category;	       /* of an op, see `gpuwhy categories`; empty: none */
	const char *thread;	       /* whose event it is; NULL: nobody's */
	const struct durations *alike; /* of those of its name, until the next is asked for */
	size_t longer;		       /* of these */
	struct step_fact step;
	struct launch_fact launch;    /* of an op */
	struct launched launched;     /* by a call */
	int64_t launched_queue_ns;    /* from the call's end to the start of the first of them */
	struct str launched_name;     /* of the first of them */
	struct str line;	      /* of your code that made the call; empty: nobody knows */
	bool line_is_sampled;	      /* a sample in the call says it, no backtrace */
	struct str path;	      /* ranges around it, and its own: "step 3 / forward" */
	const struct range_sum *work; /* of a range; NULL: none, or nobody knows */
	struct launch_shape shape;    /* of a kernel */
	struct occupancy occupancy;   /* theoretical, of a kernel */
	int64_t bytes;		      /* that a copy or memset moves; INT_NONE */
	struct counter_fact counters; /* of a kernel; own.samples 0: there are none */
	const struct ncu_group *ncu;  /* what ncu measured of its name; NULL: nothing */
	struct arena arena;	      /* what of it is text of its own */
};

/* What answers need. */
struct facts {
	struct track_part *part;
	struct alike alike;
	bool is_joined; /* calls say who launched what */
	struct attribution of;
	struct innermost innermost; /* ranges of of.forest */
	struct range_sum *sums;	    /* by range; NULL: not made */
	struct iterations steps;    /* none: count 0 */
	struct call_lines lines;
	struct host_names names;
	struct machine machine;
	const char **thread_labels; /* by thread, as they are asked for */
	size_t thread_count;
	struct category_maps maps;
	struct categories categories;
	struct kernel_metrics metrics;
	bool has_metrics;
	struct ncu_study ncu; /* not joined: there is no profile */
};

/*
 * All tracks must have been added to the set, which outlives it, as does the profile of Nsight
 * Compute; NULL: there is none.
 */
int facts_open(struct facts **ret, struct track_part *part, const struct ncu_report *ncu,
	       struct err *e);
void facts_close(struct facts *f); /* NULL is fine */

/* For event_facts_free() whether this fails or not. The names in it live as long as the trace. */
int facts_find(struct facts *f, const struct track *track, const struct lane_event *e,
	       struct event_facts *ret, struct err *e_ret);
void event_facts_free(struct event_facts *x);

/* For the files of this folder. */

/* Of a thread by its number; NULL: nobody knows. */
const char *facts_thread(struct facts *f, uint32_t thread);
/* Of an op: its shape, bytes, category and counters. */
int facts_find_op(struct facts *f, struct event_facts *x, struct err *e);
/* Of an op: its launch; of a call: what it launched; of both the line, step and path. */
void facts_find_op_launch(struct facts *f, struct event_facts *x);
void facts_find_call(struct facts *f, struct event_facts *x);
/* Of a range of of.forest: its work, step and path. */
void facts_find_range(struct facts *f, struct event_facts *x, uint32_t range);
void facts_set_step(const struct facts *f, struct event_facts *x, uint32_t thread, int64_t at_ns);

/* Appends "iteration 3 / forward": the ranges around one and its own; of hundreds the innermost. */
void facts_add_path(struct buf *b, const struct facts *f, uint32_t range);
/* The same of an op; nothing where it was launched outside any range. */
void facts_add_op_path(struct buf *b, const struct facts *f, enum trace_kind kind, uint32_t row);

#endif
