/*
 * How long a server takes to the first token and from token to token, by its NVTX ranges. A decode
 * step makes a token of each sequence: from its start to the next one's is the time of a token,
 * with sampling and whatever else lies between. A prefill takes from its start to the end of the
 * last GPU work that it launched, and so does a step; where the host runs ahead, it starts when the
 * one before is done.
 */
#ifndef ANALYSIS_TOKEN_STEPS_H
#define ANALYSIS_TOKEN_STEPS_H

#include "analysis/analysis.h"
#include "analysis/workload/range_roles.h"
#include "base/span.h"
#include "trace/ranges/attribution.h"

struct token_step {
	struct span own;
	uint32_t row;	/* of its range in the NVTX events */
	uint32_t range; /* in the forest */
	uint8_t role;
	uint32_t batch; /* 0: no name says it */
};

/* Of the thread whose decode steps take the most time; in order. */
struct token_steps {
	struct token_step *decodes, *prefills;
	size_t decode_count, prefill_count;
	size_t requests; /* ranges around them that are called so */
};

/*
 * `joined`: who launched what is known. Empty where no range decodes. ERR_USAGE as
 * range_role_find().
 */
int token_steps_find(struct token_steps *ret, struct trace *t, const struct attribution *a,
		     bool joined, struct range_roles *roles, struct err *e);
void token_steps_free(struct token_steps *s);

/* What the warm ones take. */
struct token_times {
	int64_t *periods; /* sorted */
	size_t count;
	size_t interrupted; /* left out: a prefill begins before the next step */
	int64_t total_ns;
	uint64_t tokens;     /* of all sequences in these periods; 0: some batch is unknown */
	uint32_t batch;	     /* of all of them; 0: it varies, or is unknown */
	bool speculative;    /* a step may make several tokens of a sequence */
	int64_t *prefill_ns; /* sorted */
	size_t prefill_count, prefills_left_out;
};

/*
 * Of a window that somebody chose, those inside; else those after warm-up: that of the run's steps
 * where it has them, or that of the decode steps themselves.
 */
void token_times_make(struct token_times *ret, const struct token_steps *s, const struct scope *p);
/* The same from the steps of a run that has no ranges for them: each makes a token. */
void token_times_of_steps(struct token_times *ret, const struct warm_steps *steps);
void token_times_free(struct token_times *t);

#endif
