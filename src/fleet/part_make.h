/* A part made of one capture. */
#ifndef FLEET_PART_MAKE_H
#define FLEET_PART_MAKE_H

#include "analysis/scope.h"
#include "fleet/part.h"

struct part_question {
	const char *file; /* what the capture is called: the last part of its name is kept */
	/* --span, --marker, --label; of a trim the steps inside it. Nothing else of it is asked. */
	struct scope scope;
};

/*
 * The trace is used up by that: it keeps what several analyses ask for. ERR_INPUT, marked absent,
 * where it has no GPU work. For part_free() whether this fails or not.
 */
int part_make(struct part *ret, struct trace *t, const struct part_question *q, struct err *e);
/*
 * What the search for stragglers asks for: all but how the capture ends and its findings. The trace
 * is as good as before.
 */
int part_make_ranks(struct part *ret, struct trace *t, const struct part_question *q,
		    struct err *e);
/*
 * No more than who is there and what its steps and collectives are, for whoever asks whether these
 * are one job, on one clock; the trace is as good as before.
 */
int part_make_collectives(struct part *ret, struct trace *t, const struct part_question *q,
			  struct err *e);

#endif
