/*
 * The two sides of a comparison: the runs before a change and those after it, each side as one. All
 * runs share kinds of steps, found by what the steps launch and how long they take.
 */
#ifndef DIFF_SIDES_H
#define DIFF_SIDES_H

#include "diff/account.h"

enum side { BEFORE, AFTER, SIDES };

/* Kinds of steps of both sides: twice as many as one run may have, for all may be new. */
enum { SIDE_KINDS_MAX = 64 };

/* In units of 1 / (steps before · steps after) ns. */
typedef __int128 exact_ns;

struct side_leaf {
	const struct leaf *key; /* of the first run that has it; its sums are that run's */
	const char
		*path; /* of its ranges those that both sides have: diff/matching/common_paths.h */
	struct leaf_sum *of_kind; /* by shared kind, of all runs */
	struct leaf_sum all;	  /* the same over all kinds */
	size_t longest_run;	  /* that has the longest of it */
	int64_t *of_run;	  /* its time in each run */
	exact_ns common; /* its time of a step in the mix of both sides: diff/common_mix.h */
	/* What it adds to the delta of the step: by another mix of kinds of steps, and else. */
	exact_ns mix, delta;
};

struct shared_kind {
	uint64_t count[SIDES]; /* of steps */
	uint64_t steps[SIDES]; /* the same as runs are weighed: see struct side_runs */
	int64_t ns[SIDES];
	uint64_t calls[SIDES];
	uint32_t launches, mode; /* see struct step_kind */
};

/* What the host does in a range that both sides have: see struct host_time. */
struct side_host {
	const char *path;
	/* What it is told by: the whole path of most of it, or, of a range that one side has alone,
	 * of what made it longer there. */
	const char *name;
	int64_t own_ns[SIDES], wait_ns[SIDES];
};

struct side_runs {
	const struct account *const *runs;
	size_t run_count;
	uint32_t **kind_of; /* by run: which of the shared kinds each kind of it is */
	uint64_t steps;	    /* of all runs */
	/*
	 * Each run counts the same, however many steps it has: its sums are taken so many times
	 * that all stand for as many steps, `weight` of them together. Runs of one length are taken
	 * once, and the weight is the number of steps.
	 */
	uint64_t weight, *times; /* by run */
	int64_t ns;		 /* of the runs so taken, as all sums of leaves, kinds and ranges */
	/* In the order of account.leaves; after these parts of some, which have lost them. */
	struct side_leaf *leaves;
	size_t leaf_count, part_count;
};

struct sides {
	struct side_runs of[SIDES];
	struct shared_kind *kinds; /* those that both sides have first, the most frequent first */
	size_t kind_count;
	struct side_host *host; /* the range that changed most first; none where a side has none */
	size_t host_count;
	struct arena arena;
};

/* The accounts must outlive it. */
void sides_make(struct sides *ret, const struct account *const *before, size_t before_count,
		const struct account *const *after, size_t after_count);
void sides_free(struct sides *s);

/*
 * In an order that does not depend on which side is which: 1: what is given second comes first.
 * Kinds and matches are looked for in that order, so that swapping the sides swaps the answer and
 * changes nothing else.
 */
int sides_compare(const struct account *const *a, size_t a_count, const struct account *const *b,
		  size_t b_count);
/* Takes what is before for what is after. */
void sides_flip(struct sides *s);

/*
 * Makes a leaf of a share of the calls of another one, by shared kind, and of their time as if all
 * calls took as long; the other one keeps the rest, so that nothing is lost. Its number is the
 * leaf_count of before. sides_reserve_parts() says how many there will be.
 */
void sides_reserve_parts(struct sides *s, enum side side, size_t count);
void sides_split_leaf(struct sides *s, enum side side, uint32_t leaf, const double *share);

/* Whether ranges tell places in its steps. */
bool side_has_ranges(const struct side_runs *s);

/* The time of a side's usual step: of all its steps' time. */
double side_step_ns(const struct side_runs *s, int64_t ns);
/* Nanoseconds of a step, after less before. */
double side_change_ns(const struct sides *s, const int64_t ns[SIDES]);

/* What launches the work of a step: each run counts the same. */
struct launch_rate {
	bool is_known; /* of all runs */
	double calls;  /* that launch kernels or graphs */
	double graphs; /* of these those that launch graphs */
};
struct launch_rate side_launches(const struct side_runs *s);

/* How much of communication runs beside something else; NAN: there is none. */
double side_comm_hidden(const struct side_runs *s);

/* For sides_make(): which shared kind each kind of a run is, ret[run][kind]; in the arena. */
uint32_t **kinds_share(struct sides *s);
/* For sides_make(): what the host does in ranges, where that is known of both sides. */
struct common_paths;
void sides_join_host(struct sides *s, const struct common_paths *paths);

#endif
