/* Whether a program trains a model or serves one, by what its names show. */
#ifndef ANALYSIS_WORKLOAD_KIND_H
#define ANALYSIS_WORKLOAD_KIND_H

#include "analysis/workload/signs.h"

enum workload_kind { WORKLOAD_OTHER, WORKLOAD_TRAINING, WORKLOAD_SERVING, WORKLOAD_KINDS };

struct workload_claim {
	enum workload_kind kind;
	bool likely; /* thin evidence: it is said so */
};

/*
 * A claim needs two parts of the work that belong together, and training steps that repeat; a part
 * less makes it likely. `kernel_ns` is the time of all kernels that were looked at.
 */
struct workload_claim workload_decide(const struct sign_found *found, int64_t kernel_ns,
				      bool has_steps);
/* "training", "serving", "other" */
const char *workload_kind_name(enum workload_kind k);

#endif
