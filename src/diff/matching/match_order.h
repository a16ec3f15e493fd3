/* For diff/match.c: leaves on their way to being matched, and those that only their order tells. */
#ifndef DIFF_MATCH_ORDER_H
#define DIFF_MATCH_ORDER_H

#include "diff/matching/match.h"
#include "text/strtab.h"

struct match_leaf {
	bool matched, is_idle;
	bool anchors; /* with one other, of the same path: others lie before or after both */
	int class;    /* with the blame of what is idle */
	uint32_t path, name, grid, plain,
		bare;	 /* texts by number; the path as both sides have it */
	uint32_t whole;	 /* … and with ranges that its side has alone */
	uint32_t mapped; /* pair of the user's map; STRTAB_NONE */
	uint32_t match;	 /* number of its match, from 1; 0: none yet */
	uint32_t block;	 /* the same where that is a block */
	int64_t place;	 /* in the step: where it is met first, where that is known */
	double at;	 /* on average, as a share of the step */
	double calls;	 /* a step */
	double call_ns;	 /* that a call takes */
	struct str text; /* its name */
	uint32_t *words; /* … cut into words, by number, ascending */
	size_t word_count;
	int kind; /* see kernel_kind(): a long name takes its time */
};

struct matching {
	struct sides *sides;
	struct matches *to;
	struct strtab texts;
	struct match_leaf *leaves[SIDES];
};

void matching_add(struct matching *x, enum match_how how, double sure, const uint32_t *before,
		  size_t before_count, const uint32_t *after, size_t after_count);
/* Whether so many more pairs may be compared; they then count. */
bool matching_may_compare(struct matching *x, size_t pairs);
/* Leaves of one class in one range, in the order of the step. */
struct match_list {
	uint32_t *leaves;
	size_t count;
};
/* The leaves of a range that both sides have. */
typedef void match_range_fn(struct matching *x, const struct match_list range[SIDES], void *ctx);
enum { MATCH_INNERMOST = 64 }; /* as a depth: each path by itself */
/* Calls back with all work of both sides range by range: the outer ones, of no more ranges than
 * that. */
void match_each_range(struct matching *x, size_t depth, match_range_fn *fn, void *ctx);
/*
 * How many anchors lie before each leaf of a range, of those that are in the same order on both
 * sides; for free(). What has the same place has as many before it: work of several streams, or
 * that one step launches first and the next step second, overtakes each other, and tells nothing.
 */
void match_count_firm(const struct matching *x, const struct match_list range[SIDES],
		      size_t *ret[SIDES]);
/* Of such numbers of all leaves of a range keeps those of what is not matched, as below. */
void match_keep_open(const struct matching *x, enum side side, const struct match_list *range,
		     size_t *of);
/* Those that are not matched yet. For free(). */
struct match_list match_open_leaves(const struct matching *x, enum side side,
				    const struct match_list *range);
/* Whether leaves are launched as often. */
bool match_same_calls(double a, double b);
/* How much speaks for two being the same: 0 to 1. */
double match_likeness(const struct match_leaf *a, const struct match_leaf *b);
/* Several that became one, or one that became several, though some are still launched elsewhere in
 * the range: what is less of these is parted from them. */
void match_parts(struct matching *x);
/* By how much of a step the sides differ: by so much what is the same may be elsewhere in it. */
double match_step_change(const struct matching *x);
/* Those of a path with the same grid, launched as often at the same place, where both sides have as
 * many of these: whatever they are called, and however long they take. */
void match_by_shape(struct matching *x);
/* Those of a path that come in the same order and are launched alike. */
void match_by_order(struct matching *x);
/* What is left between those that match. */
void match_blocks(struct matching *x);

#endif
