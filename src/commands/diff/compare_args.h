/* How sure a comparison has to be: options that diff, baseline and gate share. */
#ifndef COMMANDS_DIFF_COMPARE_ARGS_H
#define COMMANDS_DIFF_COMPARE_ARGS_H

#include "diff/diff.h"
#include "options/option.h"
#include "report/report.h"

struct compare_args {
	bool has_tolerance;
	double tolerance_pct;
	bool has_run_sd;
	double run_sd_pct;
	bool paired;
	const char *map; /* a file of kernels that are the same, or NULL */
	bool anyway;	 /* what is not alike is compared nevertheless */
};
extern const struct option_group compare_arg_options;

/* As a share: 0.02 where nobody gave one. */
double compare_args_tolerance(const struct compare_args *a);
struct compare_options compare_args_options(const struct compare_args *a);
/* ERR_INPUT where the sides cannot be compared, unless somebody wants that. */
int compare_args_check(const struct compare_args *a, const struct diff *d, struct err *e);
/*
 * Makes the diff of two lists of runs as the options say; ERR_USAGE where there are no pairs. For
 * diff_free() and match_map_free() whether this fails or not; the map must outlive the diff.
 */
int compare_args_diff(const struct compare_args *a, const struct compare_options *how,
		      const struct sides *lists, struct match_map *map, struct diff *ret,
		      struct err *e);

/* Warns of pairs of the map that matched nothing. */
void compare_args_warn(struct report *r, const struct match_map *map, const struct diff *d);

#endif
