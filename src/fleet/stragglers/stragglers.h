/*
 * Ranks, several of them, nodes, rails and communicators that make a job's steps longer: who, by
 * how much, why and when. Nothing is named that chance may explain, that costs less than 1 % of a
 * step, or that is finer than the clocks are sure of.
 */
#ifndef FLEET_STRAGGLERS_H
#define FLEET_STRAGGLERS_H

#include "analysis/replay/replay.h"
#include "base/arena.h"
#include "fleet/job/instances.h"

/* Who is slow. */
enum straggler_kind {
	STRAGGLER_RANK,
	STRAGGLER_SET,		/* ranks that nothing joins but that all of them are late */
	STRAGGLER_NODE,		/* all its ranks */
	STRAGGLER_RAIL,		/* the ranks at the same place of their nodes */
	STRAGGLER_STAGE,	/* all ranks of a stage of a pipeline, or of several stages */
	STRAGGLER_COMMUNICATOR, /* its transfers */
	STRAGGLER_KINDS,
};

enum straggler_cause {
	SLOW_BY_HOST,	 /* its GPU is idle: the host is late */
	SLOW_BY_DATA,	 /* the same, in a range that loads data */
	SLOW_BY_CLOCK,	 /* all its kernels take longer */
	SLOW_BY_KERNELS, /* it computes more, or something else */
	SLOW_BY_MORE,	 /* of a stage: it launches more of the same kernels */
	SLOW_BY_COPIES,
	SLOW_BY_NETWORK, /* its transfers take longer */
	SLOW_BY_WHAT,
	STRAGGLER_CAUSES,
};

enum straggler_pattern {
	PATTERN_PERSISTENT, /* in nearly all steps */
	PATTERN_STRETCH,    /* in nearly all from one on, to one, or both */
	PATTERN_GROWING,
	PATTERN_PERIODIC,
	PATTERN_NOW_AND_THEN,
};

/* A stretch that begins before the first step, or ends after the last. */
#define STRETCH_OPEN UINT32_MAX

struct straggler {
	enum straggler_kind kind;
	uint32_t number;     /* the member, node, place, role or class; of a set its first member */
	const uint32_t *who; /* its members, in order */
	uint32_t members;
	uint32_t example;	/* the one that is the latest by itself */
	struct straggler *each; /* of a set: by `who`, why and when each rank is late; else NULL */

	double saved_ns; /* of a step, were it like the others */
	double step_ns;
	double late_ns; /* of a step: its own delays beyond the usual ones */
	/*
	 * It shares its GPU with other ranks, to which its being late leaves more of it. What is
	 * saved lies between these bounds; saved_ns is their middle, which is a convention and no
	 * measurement: whoever reads it is to see the bounds, too.
	 */
	bool shares_gpu;
	double saved_least_ns, saved_most_ns;
	uint64_t last, of; /* steps with most of the delays: those it is the slowest in, and all; of
			      a communicator its transfers: the slow ones, and all */

	enum straggler_cause cause;
	const char *path;     /* of ranges: where; "": not known */
	const char *code;     /* a function or line; "" */
	const char *kernel;   /* the one that differs most; "" */
	double cause_ns;      /* of a step: what the cause accounts for */
	double slower;	      /* SLOW_BY_CLOCK: kernels take so many times as long when it is late;
				 SLOW_BY_MORE: there are so many times as many */
	bool slower_at_times; /* than in its own other steps */

	/* Of stages alone. */
	uint32_t stages; /* that it is */
	double work_ns,
		others_ns;	  /* of a step: what it has to do, and what the other stages have */
	const double *by_step_ns; /* how much more that is, by step; NAN: not known */
	bool is_estimate; /* exchanges of stages cannot be replayed: what is saved is the middle of
			     what it has to do more than the next one, and than the usual one */
	const int64_t *lag_ns; /* by stop of the replay: what it would be, were these like the
				  others */
	bool of_longest;       /* how these are shorter; see analysis/replay/replay.h */

	enum straggler_pattern pattern;
	uint32_t period;       /* in steps */
	uint32_t since, until; /* the first and the last step of a stretch, or STRETCH_OPEN */
	const bool *late;      /* by step: whether it is late in it */
	size_t late_steps;     /* these */
	double late_step_ns;   /* of such a step: its delays */
};

/* Why nobody can tell whether one that costs something is slow. */
enum straggler_doubt {
	DOUBT_CHANCE,	/* it is late so seldom, or there are so few steps */
	DOUBT_IN_TURN,	/* others are as late as that in other steps */
	DOUBT_OTHERS,	/* others are later in the same steps */
	DOUBT_NO_CAUSE, /* it is the latest, but has nothing that takes so much longer */
};

/* What is known of the job when stragglers are looked for, and what was found. */
struct stragglers {
	const struct job *job;
	const struct instances *x;
	struct replay replay;
	struct span window;  /* of the job's time: what all windows have in common */
	uint32_t first_step; /* numbers of steps in it */
	size_t steps;
	int64_t *step_shift;	 /* by member: what it counts more than the job */
	double step_ns;		 /* the usual one */
	uint32_t *step_of;	 /* by visit: counts from first_step; UINT32_MAX: none */
	double *late_ns;	 /* by member and step: its own delays beyond the usual ones */
	int64_t *usual_late_ns;	 /* by member: what it is late by in its usual step */
	struct straggler *alone; /* by member: when it is late; `members` is 0: nobody asked */
	uint32_t *latest;      /* by step: the members with the longest of these, that first … */
	uint32_t latest_count; /* … so many of each */
	bool *was_in;	       /* by member and step: it was in some collective of it */
	int64_t *wait_ns;      /* by visit: of all others for the last */
	uint32_t *last;	       /* by visit: who came last; UINT32_MAX: nobody can tell */
	struct straggler *all; /* the one that costs most first */
	size_t count;
	/*
	 * A stage with more to do than the others, which is nobody's being late: what is saved is
	 * what a step would be shorter, had all stages as much to do. `members` is 0: there is
	 * none.
	 */
	struct straggler unbalanced;
	/*
	 * Where nobody is named: who costs most nevertheless. `members` is 0 where nobody costs
	 * anything.
	 */
	struct straggler doubtful;
	enum straggler_doubt doubt;
	/*
	 * Where that is nobody: who is late for certain, and shares its GPU with ranks that would
	 * compute so much longer, were it on time, that nobody knows whether it costs anything.
	 */
	struct straggler unpriced;
	bool groups_misfit; /* which ranks share collectives is not known; see job/misfits.h */
	/*
	 * Nobody is looked for: clocks are known to whole steps only, or not at all of ranks that
	 * send to each other, so that who waits for whom in which step is a guess, and what a rank
	 * waits for others looks like a delay of its own.
	 */
	bool in_doubt;
	struct arena arena; /* of what stragglers point to */
};

void stragglers_find(const struct job *j, const struct instances *x, struct stragglers *ret);
void stragglers_free(struct stragglers *s);

/* When it is late; then, as that is known, why. */
void straggler_find_pattern(struct stragglers *s, struct straggler *g);
void straggler_explain(struct stragglers *s, struct straggler *g);
/* The same of one that is part of a group: it is held against who is outside that. */
void straggler_explain_of(const struct stragglers *s, const struct straggler *group,
			  struct straggler *one);

/*
 * What the stages of a pipeline have to do in a step: the time in which a rank of it computes,
 * copies or stands still, and does not wait for others.
 */
struct stage {
	uint32_t number; /* in the pipeline */
	uint32_t
		member; /* the one in the middle by work: what is said of the stage is that one's */
	uint32_t members;	 /* it has */
	double work_ns;		 /* of a step, of those that all stages have */
	double ns[MEMBER_TIMES]; /* where that step goes */
	double *by_step;	 /* the same of each, by step; NAN: not known */
};

struct stages {
	struct stage *all; /* by role */
	uint32_t count;	   /* 0: there is no pipeline, or nothing is known of its steps */
	size_t steps;	   /* that all have */
};

void stages_measure(const struct stragglers *s, struct stages *ret);
void stages_free(struct stages *x);

/* Whether people say "they" of it. */
static inline bool straggler_is_plural(const struct straggler *g)
{
	return g->each || g->stages > 1;
}

/* Whether a member belongs to what is slow. */
bool straggler_has(const struct straggler *g, uint32_t member);
/* Steps of a member's window; at least 1. */
double member_steps(const struct part_member *m);

#endif
