/*
 * What `gpuwhy mfu` is asked: whose FLOPs, done in which time, on what peak. Values come as texts
 * of the command line; whether they make a question together is looked at once, before any work.
 */
#ifndef ANALYSIS_MFU_QUESTION_H
#define ANALYSIS_MFU_QUESTION_H

#include "analysis/model/gpu_peaks.h"
#include "analysis/model/model_flops.h"
#include "analysis/scope.h"

/* What the FLOPs that are given, or one batch of the model, are for. */
enum mfu_per {
	PER_UNSAID,
	PER_STEP,
	PER_TOKEN,
	PER_RANGE,  /* of the ranges or the phase that is named */
	PER_WINDOW, /* all of the time that is measured */
};

struct mfu_question {
	double flops; /* 0: not given, as for all numbers below */
	enum mfu_per per;
	const char *model;	/* a config.json, or NULL */
	struct string_list ncu; /* CSVs of Nsight Compute */
	struct model_work work;
	const char *phase; /* or NULL */
	const char *range; /* see text/name_pattern.h; or NULL */
	enum dtype dtype;
	double peak_tflops; /* of one GPU */
	bool shared;	    /* processes do the FLOPs together, not each for itself */
};

/* What `gpuwhy mfu` is told. */
struct mfu_args {
	struct table_args table;
	struct mfu_question question;
};
extern const struct option_group mfu_options;

/* Whether any option of it was given. */
bool mfu_question_is_asked(const struct mfu_question *q);
/* All but --ncu, which not everybody reads in the same way. */
extern const struct option_group mfu_question_options;

#endif
