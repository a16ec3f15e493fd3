/* How sure a comparison has to be: options that diff, baseline and gate share. */
#ifndef COMMANDS_DIFF_COMPARE_ARGS_H
#define COMMANDS_DIFF_COMPARE_ARGS_H

#include "options/option.h"
#include "statistics/compare.h"

struct compare_args {
	double tolerance_pct;
	bool has_run_sd;
	double run_sd_pct;
	bool paired;
	const char *map; /* a file of kernels that are the same, or NULL */
};
extern const struct option_group compare_arg_options;

struct compare_options compare_args_options(const struct compare_args *a);

#endif
