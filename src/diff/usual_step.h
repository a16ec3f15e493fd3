/* Which step of a run is the usual one, and which of its ops are worth drawing? */
#ifndef DIFF_USUAL_STEP_H
#define DIFF_USUAL_STEP_H

#include "diff/account.h"

/* Ops as they are met; a zeroed one is empty. */
struct step_ops {
	struct step_op *all; /* their lanes are the export's streams */
	size_t count, cap;
};

void step_ops_add(struct step_ops *to, uint32_t leaf, uint32_t stream, int64_t start_ns,
		  int64_t ns);
void step_ops_free(struct step_ops *o);

/* The step of a kind whose time is the median. Of an account that has its steps and kinds. */
size_t usual_step_choose(const struct account *a, uint32_t kind);
/* In the arena. */
const struct usual_step *usual_step_make(struct step_ops *ops, size_t step, struct arena *arena);

#endif
