/* Which method fits the runs at hand, and what does it say of the shift? */
#ifndef STATISTICS_METHOD_H
#define STATISTICS_METHOD_H

#include "statistics/estimate.h"
#include "statistics/side.h"

struct method {
	const char *name; /* for people; NULL: no method fits */
	struct estimate estimate;
	bool by_runs;	    /* the estimate holds for other runs, too */
	bool is_bound;	    /* of few steps: the estimate is a bound, and no interval */
	bool is_apart;	    /* … which the gap between the steps of the two runs tells */
	bool of_pairs;	    /* of the differences of pairs, which `run_sd` is of, too */
	double run_sd;	    /* that it went by; NAN: not known */
	const char *spread; /* of several runs, which of two spreads that is; NULL: there is one */
};

/* Each side has a run. */
struct method method_apply(const struct side *before, const struct side *after,
			   const struct compare_options *o);

#endif
