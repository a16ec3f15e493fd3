/* What ncu says of itself: whether it measured anything, and if not, why. */
#ifndef NCU_OUTCOME_H
#define NCU_OUTCOME_H

#include "base/err.h"
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
/* ERR_SYSTEM or ERR_INPUT that says so, and what to do; of NCU_PROFILED that there is no report. */
int ncu_outcome_explain(struct str said, struct err *e);

#endif
