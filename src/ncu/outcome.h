/* What ncu says of itself: whether it measured anything, and if not, why. */
#ifndef NCU_OUTCOME_H
#define NCU_OUTCOME_H

#include "base/str.h"

enum ncu_outcome {
	NCU_PROFILED, /* as far as it says */
	NCU_NOTHING,  /* no launch was what was asked for */
	NCU_REFUSED,  /* it may not, or cannot, measure here: asking again is of no use */
};

/* What it says where it cannot measure, what that means, and what to do. */
struct ncu_refusal {
	const char *said, *means, *hint;
};

/* NULL: it says nothing of the kind. */
const struct ncu_refusal *ncu_refusal_of(struct str said);

enum ncu_outcome ncu_outcome_of(struct str said);
/* Whether it says that the program failed; its exit code is then the program's. */
bool ncu_said_exit(struct str said);
/* The first line that it marks as an error, without the mark; empty where there is none. */
struct str ncu_said_error(struct str said);

#endif
