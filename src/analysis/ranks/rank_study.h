/*
 * What streams and stages are told from: the ranks, the window of each, what the GPUs did in it,
 * and which ranges launched its communication.
 */
#ifndef ANALYSIS_RANK_STUDY_H
#define ANALYSIS_RANK_STUDY_H

#include "analysis/ranks/markers.h"
#include "analysis/ranks/rank_activity.h"

struct rank_study {
	struct trace *trace;
	struct preset preset;
	struct ops ops;
	struct rank_map map;
	struct rank_windows windows;
	struct rank_activity activity;
	struct markers markers;
	uint32_t *label;     /* by communication kernel: number in markers.labels, or LABEL_NONE */
	uint64_t unlaunched; /* communication kernels whose call the trace does not have */
};

/* Which rules of the preset label the communication. */
enum study_rules { STUDY_PURPOSES, STUDY_STAGES };

/* Heads the report, too. What was made until an error is freed by rank_study_free() alike. */
int rank_study_make(const struct analysis *self, struct trace *t, const struct rank_window_args *a,
		    enum study_rules rules, struct report *r, struct rank_study *ret,
		    struct err *e);
void rank_study_free(struct rank_study *s);

/* The label's text; `otherwise` for LABEL_NONE. */
struct str rank_study_label(const struct rank_study *s, uint32_t label, const char *otherwise);

#endif
