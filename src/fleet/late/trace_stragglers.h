/* The ranks of one trace as a job: whoever looks for its stragglers finds those that `fleet` finds.
 */
#ifndef FLEET_TRACE_STRAGGLERS_H
#define FLEET_TRACE_STRAGGLERS_H

#include "analysis/numbers/owned_spans.h"
#include "fleet/part_make.h"
#include "fleet/stragglers/stragglers.h"

struct trace_stragglers {
	struct part part;
	const struct part *parts[1];
	struct job job;
	struct instances met;
	struct stragglers found;
};

/*
 * In the window of an analysis, which asks about all its ranks. ERR_INPUT where the trace has no
 * ranks that can be compared. For trace_stragglers_free() whether this fails or not; it stays where
 * it is until then.
 */
int trace_stragglers_find(struct trace_stragglers *ret, struct trace *t, const struct scope *scope,
			  struct err *e);
void trace_stragglers_free(struct trace_stragglers *x);

/* The collectives that a straggler was last in. */
struct straggler_turns {
	uint64_t last, of; /* these, and all that it was in */
	double wait_ns;	   /* of all others for it */
};

struct straggler_turns straggler_count_turns(const struct stragglers *s, const struct straggler *g);
/* When others wait for it in these: each from its own coming to the straggler's, or until it leaves
 * without. Not joined. */
void straggler_add_waits(const struct stragglers *s, const struct straggler *g,
			 struct owned_spans *to);

/* The bubbles of a pipeline: a rank's waiting for another stage with nothing to compute meanwhile.
 */
struct stage_waits {
	uint32_t member;  /* that waits the most */
	double wait_ns;	  /* of the window: 0: there is no pipeline, or nobody waits */
	uint64_t waits;	  /* its exchanges with other stages in which it does */
	double others_ns; /* the same of the rank that waits the least */
};

struct stage_waits stage_waits_sum(const struct stragglers *s);

#endif
