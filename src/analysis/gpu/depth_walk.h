/*
 * How many waits are open at once, by steps of time. They come in any order, but whoever adds them
 * says from time to time what will not come any more, so that only those out of order are kept.
 */
#ifndef ANALYSIS_DEPTH_WALK_H
#define ANALYSIS_DEPTH_WALK_H

#include "analysis/gpu/steps.h"

struct depth_step {
	unsigned __int128 waited_ns; /* of all waits together */
	size_t most;		     /* at once */
};

/* Times that are not counted yet. */
struct depth_times {
	int64_t *ns;
	size_t count, cap;
};

struct depth_walk {
	const struct steps *steps;
	struct depth_step *met; /* by step */
	struct depth_times from, to;
	size_t kept; /* of both, when they were last put in order */
	/* Where the walk is. */
	int64_t now_ns;
	size_t step, open;
	int64_t step_begin_ns, step_end_ns;
};

/* `steps` hold all that is added, and must live on. */
void depth_walk_begin(struct depth_walk *w, const struct steps *steps);
/* A wait from one time to a later one. */
void depth_walk_add(struct depth_walk *w, int64_t from_ns, int64_t to_ns);
/* No wait that begins before that will be added. */
void depth_walk_pass(struct depth_walk *w, int64_t before_ns);
/* Nothing will be added; `met` is complete. */
void depth_walk_end(struct depth_walk *w);
void depth_walk_free(struct depth_walk *w);

#endif
