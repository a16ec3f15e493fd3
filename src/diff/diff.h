/*
 * What changed between two sides: rows of matched leaves whose deltas sum up to the delta of the
 * step, exactly. Time of a row is that of all steps; n steps before and m after make the delta of a
 * step (after · n − before · m) / (n · m), and the numerators are whole numbers.
 */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "diff/comparable.h"
#include "diff/matching/match.h"
#include "diff/sides.h"
#include "statistics/compare.h"

/* Why a matched row takes longer: its parts sum up to its change. */
enum delta_part { PART_CALLS, PART_DURATION, PART_EXPOSED, DELTA_PARTS };

struct diff_row {
	const struct match *match;
	/* That has most of it, or, in a range that the side has alone, what made it longer; NULL:
	 * there is none. */
	const struct leaf *leaf[SIDES];
	const char *path[SIDES]; /* of these ranges those that both sides have; or NULL */
	struct leaf_sum sum[SIDES];
	size_t longest_run[SIDES]; /* that has the longest of it */
	exact_ns common[SIDES];	   /* in the mix of kinds of steps that both sides have in common */
	exact_ns delta;		   /* between these: without what another mix makes of it */
	exact_ns mix;		   /* that */
	int64_t step_ns[SIDES];	   /* the common ones as whole nanoseconds, that sum up */
	bool has_parts;
	double parts[DELTA_PARTS];
	int64_t part_ns[DELTA_PARTS]; /* the same as whole nanoseconds */
	bool judged; /* it was chosen without a look at its delta, and there are runs enough */
	double p;    /* adjusted for all rows that are judged; NAN: it is not */
};

/*
 * How the clock of unchanged kernels differs. Those with the same name, grid and range path outside
 * of what changed are controls: where they all take longer by the same share, the clock of the GPU
 * differs, and no code is to blame.
 */
struct drift {
	size_t kernels;	       /* that tell it; 0: too few */
	double change;	       /* relative, of their durations: 0.04 is 4 % slower */
	double spread;	       /* between the kernels, of the middle half; */
	double extent;	       /* and of all but a tenth: logarithms */
	double step_change;    /* of the step where unchanged kernels are as fast as before */
	bool is_elsewhere;     /* another GPU is compared: no clock explains it */
	bool is_of_some_steps; /* others are as they were */
};

struct diff {
	struct sides sides;
	struct matches matches;
	struct diff_row *rows; /* the largest delta first */
	size_t row_count;
	exact_ns delta; /* of the step */
	exact_ns mix;	/* of which so much by another mix of kinds */
	/* What each side has beside the common mix; between them: the mix. */
	exact_ns beyond[SIDES];
	int64_t beyond_ns[SIDES]; /* as whole nanoseconds that make the rows sum up to the step */
	struct comparison time;
	bool paired; /* run i before belongs to run i after */
	struct drift drift;
	bool relaunched;   /* graphs launch what single calls did, or the other way round */
	bool mix_in_doubt; /* the ends of captures may make the mix that makes the change */
	bool structural;   /* kernels came or went, or so are launched: a change of code */
	struct hindrances hindrances;
};

struct diff_options {
	struct compare_options compare;
	const struct match_map *map; /* or NULL */
};

void diff_make(struct diff *ret, const struct account *const *before, size_t before_count,
	       const struct account *const *after, size_t after_count,
	       const struct diff_options *o);
void diff_free(struct diff *d);

/* What a row took in each run, in ns of a step: before, then after. For free(). */
double *diff_row_means(const struct diff *d, const struct diff_row *r);
/* The leaf that a row is told by: that of the side after, if it has one. */
static inline const struct leaf *diff_row_leaf(const struct diff_row *r)
{
	return r->leaf[AFTER] ? r->leaf[AFTER] : r->leaf[BEFORE];
}

/* Of the GPU ops of a side those that came, went or were replaced, or that nothing but their order
 * tells to be those of other ranges: the larger share. */
double diff_other_launches(const struct diff *d);

/*
 * Of the kernels of a step those that are on both sides, by name or by their place in it, as a
 * share of what the side has that has less; by number or by time, whichever is more. NAN: a side
 * has no kernels.
 */
double diff_common_kernels(const struct diff *d);

static inline exact_ns exact_size(exact_ns x)
{
	return x < 0 ? -x : x;
}

/* A number of units as nanoseconds of a step. */
double diff_step_ns(const struct diff *d, exact_ns units);

/* Once the rows are made. */
struct drift drift_find(const struct diff *d);
/* Whether the controls agree so well, and differ so much from before, that it is the clock. */
bool drift_is_clear(const struct drift *d);
/* The same where steps that are fast have none of it: a clock that is low for a while, or another
 * program on the GPU. */
bool drift_is_of_some_steps(const struct drift *d);

#endif
