/*
 * Where the time of a run's steps went. Every nanosecond of a step belongs to one leaf: what the
 * device that bounds the step did then, or what the host did while that device was idle, in which
 * range. The leaves of a run sum up to its steps, to the nanosecond. An account needs no trace any
 * more: many runs are compared, and one trace at a time is open.
 */
#ifndef DIFF_ACCOUNT_H
#define DIFF_ACCOUNT_H

#include "analysis/gpu/gaps.h"
#include "base/buf.h"
#include "base/span.h"
#include "diff/run_facts.h"
#include "diff/waits/run_waits.h"

enum leaf_class {
	LEAF_COMPUTE,
	LEAF_COMM, /* communication with nothing to compute beside it */
	LEAF_COPY, /* a copy with neither */
	LEAF_IDLE,
	LEAF_CLASSES,
};

/* What a leaf has in all steps of a kind. */
struct leaf_sum {
	int64_t ns;	   /* of the steps' time: exposed, or idle */
	int64_t work_ns;   /* of its ops that begin in the steps, hidden or not */
	int64_t offset_ns; /* from the steps' beginnings to those of its ops, summed up */
	uint64_t calls;	   /* these ops */
	/* From the beginning of the usual step of its kind to its first op there, at least 1; 0:
	 * none is there, or an earlier gpuwhy kept it. */
	int64_t first_ns;
	int64_t longest_ns;    /* of its time at a stretch, */
	int64_t longest_at_ns; /* and where that begins: the place to look at */
};

struct leaf {
	enum leaf_class class;
	enum blame blame; /* idle: what the host did; BLAMES: it is work */
	const char *path; /* of ranges inside the step: "forward / attn"; "": in none */
	const char *name; /* of the kernel or copy; "": it is idle */
	const char *grid; /* "8x1x4"; "": not known, or no kernel */
	struct leaf_sum *of_kind;
};

/* What happens after a step and before the next one, in no range. */
#define LEAF_BETWEEN "(between steps)"
/* What people are told of a leaf whose path is empty. */
#define LEAF_IN_NO_RANGE "(in no range)"

struct account_step {
	int64_t start_ns, ns;
	uint32_t number, kind;
};

/* Steps that launch the same and take about as long. */
struct step_kind {
	uint32_t launches; /* which sort of step by what it launches: counts from 0 */
	uint32_t mode;	   /* of these by how long it takes: 0 the usual one */
	uint64_t steps;
	int64_t ns;
	uint64_t calls; /* ops that begin in them */
};

/* What the thread of the steps does in a range, outside of calls in which it waits for the GPU. */
struct host_time {
	const char *path;
	int64_t own_ns;	 /* of all steps, without the ranges inside it */
	int64_t wait_ns; /* in such calls */
};

/* A GPU op of a step. */
struct step_op {
	uint32_t leaf;	      /* number of account.leaves */
	uint32_t lane;	      /* its stream: 0 the busiest one of the step */
	int64_t start_ns, ns; /* from the step's beginning on */
};

/* The step of the most frequent kind whose time is the median. */
struct usual_step {
	size_t step;	     /* number of account.steps */
	struct step_op *ops; /* by start; of more than USUAL_OPS the longest */
	size_t op_count, all_ops;
	uint32_t lanes;
};

enum { USUAL_OPS = 4000, USUAL_LANES = 8 };

/*
 * How far steps reach: what lies between one and the next belongs to it or not. Of one run by
 * itself that is found; two sides are compared alike.
 */
enum step_reach {
	REACH_OWN,  /* they are parts of a loop, such as `forward`: nothing between is theirs */
	REACH_NEXT, /* what usually lies there, but no pauses: what comes once or twice and is
		     * longer than a step, such as an evaluation */
	REACH_ALL,  /* to the next step: what comes again and again is no pause */
	STEP_REACHES,
};
/* Of so many steps it is known what usually lies between two. */
enum { ENOUGH_STEPS = 3 };
/* "own", "next", "all": stable. */
extern const char *const step_reach_words[STEP_REACHES];

struct account {
	struct arena arena;
	const char *name;     /* of the run, for people: that of its folder or file */
	const char *path;     /* that it was read from, as somebody called it; NULL: none */
	struct span captured; /* in UTC; SPAN_NONE: not known; no part of a baseline */
	int64_t rank;	      /* that the capture says it is of; -1: none; no part of a baseline */
	int64_t device;	      /* whose time it is; -1: not known, or somebody named it */
	size_t ranks;	      /* of the run, a capture each, of which this bounds it; 1 */
	struct account_step *steps;
	size_t step_count;
	struct step_kind *kinds; /* the most frequent first */
	size_t kind_count;
	struct leaf *leaves; /* by class, path, name, grid, blame */
	size_t leaf_count;
	struct host_time *host; /* by path */
	size_t host_count;
	bool is_kept;	 /* read from a baseline: when anything began is not known */
	bool is_window;	 /* no steps were found: it is one sample, the window */
	const char *how; /* for people: "30 ranges 'step N'" */
	/* "prefill" or "decode", where ranges are named for it, and steps have none of it; NULL:
	 * nothing is; no part of a baseline. */
	const char *outside;
	size_t cold;	  /* steps of the warm-up that were cut */
	int64_t *cold_ns; /* of each; NULL: not known */
	size_t partial;	  /* steps that were left out, as only some of their time is known */
	enum step_reach reach;
	size_t pauses;	   /* between steps, which were left out */
	int64_t pauses_ns; /* of these */
	/* Calls that launch kernels or graphs, of all steps; of these those that launch graphs. -1:
	 * not known, or an earlier gpuwhy kept it. */
	int64_t launches, graph_launches;
	struct run_facts facts;
	struct run_waits waits;
	/* For whoever asks what costs time in them, while the capture is open; no part of a
	 * baseline. */
	struct span window; /* from the first step to the last, on the capture's clock */
	const struct step_parts *parts; /* see diff/part_findings.h */
	const struct usual_step *usual; /* NULL: nobody asked; no part of a baseline */
};

/* What is known before of how far steps reach. */
enum asked_reach {
	ASKED_NOTHING,
	ASKED_OWN,
	ASKED_WHOLE, /* REACH_NEXT or REACH_ALL */
	ASKED_ALL,
};

struct account_question {
	struct scope scope; /* what of the capture: window, device, process, --marker */
	enum asked_reach reach;
	bool with_findings; /* asks what costs time in it, too */
	bool with_ops;	    /* … and for the ops of its usual step */
};

/* For account_free() whether this fails or not. `name` is copied. */
int account_read(struct account *ret, struct trace *t, const struct account_question *q,
		 const char *name, struct err *e);
/*
 * What costs time in its steps, and who waits for whom, in place of what is known of that: asked of
 * a trace that may hold more than its capture, all ranks of the run, say, with the clock that
 * `window` and `parts` are on. What cannot be told is left out.
 */
int account_ask_findings(struct account *a, struct trace *t, const struct account_question *q,
			 struct span window, const struct step_parts *parts, struct err *e);
void account_free(struct account *a);

int leaf_compare(const struct leaf *a, const struct leaf *b);
/* Whether the longest stretch is now that of `by`. */
bool leaf_sum_add(struct leaf_sum *to, const struct leaf_sum *by);
/* What all steps have of a leaf. */
struct leaf_sum leaf_total(const struct account *a, const struct leaf *l);
/* Whether communication takes any time of its steps with nothing else to do. */
bool account_communicates(const struct account *a);
/* How many steps tell what lies between two, up to ENOUGH_STEPS: those that are left out, too. */
size_t account_steps_to_tell(const struct account *a);
/* The time of all steps. */
int64_t account_ns(const struct account *a);
/* Of its mean step. */
static inline double account_step_ns(const struct account *a)
{
	return (double)account_ns(a) / (double)a->step_count;
}

/* "compute", "exposed_comm", "exposed_copy", "idle": stable. */
extern const char *const leaf_class_keys[LEAF_CLASSES];
extern const char *const leaf_class_words[LEAF_CLASSES];

/* What the GPU op of a leaf is called: in tables and sentences, in rules, and in maps. */

/* Names of kernels are shortened; those of copies and graphs are short, or end with what matters.
 */
bool op_name_is_kernel(const struct leaf *l);
/* The name of a leaf that is not idle, so shortened. */
void op_name_add_short(struct buf *b, const struct leaf *l);

/* The same, no longer than a sentence has room for two. */
void op_name_add_brief(struct buf *b, const struct leaf *l);

/* Whatever people may call an op by; each is found in other tables. */
enum op_alias {
	OP_ALIAS_WHOLE,
	OP_ALIAS_SHORT,	    /* "gemm"; of a copy "memcpy D2H" */
	OP_ALIAS_DIRECTION, /* of a copy, without its kinds of memory */
	OP_ALIASES,
};
/* False: it has none of that sort, and nothing is added. */
bool op_name_add_alias(struct buf *b, const struct leaf *l, enum op_alias alias);

#endif
