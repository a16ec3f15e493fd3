/*
 * Did it get slower or faster, by how much, and how sure is that? Runs of steps against runs of
 * steps; nothing here knows of traces.
 *
 * All is done on logarithms, so that swapping the sides negates the change to the bit.
 */
#ifndef STATISTICS_COMPARE_H
#define STATISTICS_COMPARE_H

#include "statistics/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Any number would do; one that is in the code gives the same answer tomorrow. */
#define COMPARE_SEED UINT64_C(20)

enum verdict { VERDICT_SAME, VERDICT_SLOWER, VERDICT_FASTER, VERDICT_CANNOT_TELL };

struct compare_options {
	double tolerance; /* 0.02: changes of up to 2 % are none */
	/*
	 * How far runs of one program are apart, from runs other than those compared: the standard
	 * deviation of log run means without the noise of their steps (run_spread_of()).
	 */
	bool has_run_sd;
	double run_sd;
	size_t run_sd_runs; /* that it was told from; 0: the user said so */
	bool paired;	    /* run i of one side belongs to run i of the other */
	bool structural;    /* what is launched, or how, is another: a change of code */
	bool of_windows;    /* runs have no steps: each is one sample */
	bool looks_ahead;   /* asks for the outlook, too, which takes some milliseconds */
	uint64_t seed;
};

struct compare_side {
	size_t runs, steps;	/* those with durations */
	double mean_ns;		/* of run means: a run counts once, however long it is */
	double effective_steps; /* of all runs */
	double block;		/* the longest of the runs' */
	double se_ns;		/* of the mean, by steps alone; NAN: too few */
};

enum { OUTLOOK_MOST_RUNS = 1000 }; /* a side: more is no plan */

/* What would overturn a change, or settle it; spreads are standard deviations of log run means. */
struct outlook {
	/* One run a side, a change beyond the tolerance: it would be no news where runs differ by
	 * more, as somebody says, or as three runs of one side show it. NAN: neither. */
	double overturned_by, overturned_by_three;
	/* A side, or pairs, where it cannot be told; 0: more than OUTLOOK_MOST_RUNS. */
	size_t runs_to_settle;
	double settled_below; /* if runs differ by less; NAN: by how much they differ is known */
};

/* NAN: none. */
struct comparison {
	struct compare_side before, after;
	double change; /* relative: after / before - 1, of means */
	/* Relative, each a one-sided bound of 95 %. Where run_sd_known is false, by steps alone:
	 * other runs may well lie outside. */
	bool has_interval; /* no: there are too few steps for one */
	double low, high;
	double bound; /* where that is so: what the change is at least, or at most if negative */
	double se;    /* of the log ratio */
	double p;     /* two-sided, of no change */
	const char *method;
	double run_sd; /* given, or as these runs show it; of pairs: of their differences */
	bool of_pairs; /* pair by pair */
	bool run_sd_known;
	double least_detectable; /* relative; beyond the tolerance, it is found with 80 % chance */
	struct outlook outlook;
	double hodges_lehmann; /* relative: of steps for one run a side, else of runs */
	/* One run a side: steps that alone make a change of the mean that Hodges and Lehmann's does
	 * not have, or not that sign. */
	size_t driven_by;
	enum verdict verdict;
	bool not_slower; /* the upper bound is within the tolerance, wherever the lower one is */
	const char *why; /* one sentence for people */
	const char
		*spread; /* which counts, that of the runs or the one given; NULL: there is one */
};

/* Values that are no durations are left out, and so are runs without any. */
void compare_runs(const struct run_steps *before, size_t before_count,
		  const struct run_steps *after, size_t after_count,
		  const struct compare_options *o, struct comparison *ret);

#endif
